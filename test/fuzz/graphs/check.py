"""One network on one configuration, by the engines, beside TFLite Micro."""

from __future__ import annotations

import os
import pickle
import re
import signal
import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import tflite
from numpy.typing import NDArray
from tflite_micro.python.tflite_micro import runtime

import forebay
from forebay.errors import Error
from forebay.frontends.errors import MalformedModel, UnsupportedModel
from fuzz.cases import Wrong
from fuzz.graphs.draw import draw_networks

TWO_POOLS = Path(__file__).with_name("two_pools.py")
TARGETS = [
    *["host"] * 3,
    *[f"{TWO_POOLS}:fast={size}" for size in (64, 512, 4096)],
    *["fetch_conv"] * 2,
    "fetch_conv:act_mem=4096",
    "fetch_conv:act_mem=16384,l2_mem=65536",
    "fetch_conv:act_mem=8192,wei_mem=4096,stream=1",
]
PROCESSORS = (
    "generic",
    "generic",
    "cortex-m4",
    "cortex-m55",
    "x86-64-v3",
    "cascadelake",
    "cortex-a76",
)
RUNS = 2
ARENA = 4_000_000
TOO_SMALL = re.compile(r"needs [\d,]+ bytes|bytes.* (free|left)|does not fit|too small")
Arrays = list[NDArray[Any]]


def check(seed: int) -> Counter[str]:
    """Judge the network of this number; the emulator, which is slow, on one of three."""
    (file, micro_file), rng = draw_networks(seed), Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"case_{seed}.tflite"
        path.write_bytes(file)
        target, io = rng.choice(TARGETS), rng.choice(["caller", "caller", "pool"])
        budget = rng.choice(["", "", "min"])
        cpu = Random(~seed).choice(PROCESSORS)
        try:
            compiled = forebay.compile(path, target=target, io=io, budget=budget or (), cpu=cpu)
        except UnsupportedModel as error:
            reason = re.sub(r"^.*?: (operators?|not supported).*?(?=[A-Z_]{3,})", "", str(error))
            return Counter({f"networks refused: {reason.split(';')[0][:60]}": 1})
        except MalformedModel as error:
            raise Wrong(f"the drawn file is malformed: {error}") from error
        except Error as error:
            if "mem=" in target and TOO_SMALL.search(str(error)):
                return Counter({"networks that a small memory does not hold": 1})
            raise Wrong(f"refused on {target}, io {io}, budget '{budget}': {error}") from error
        expected = _micro(micro_file, seed)
        if expected is None:
            return Counter({"networks that end TFLite Micro's process": 1})
        machine = Path(target.split(":")[0]).stem
        counts = Counter({"networks": 1, f"networks on {machine}, io {io}": 1})
        counts["networks with the smallest budget"] = int(bool(budget))
        counts[f"networks scheduled for {cpu}"] = 1
        counts.update(f"operators {name}" for name in names_of(file))
        engines = ["c", *(e for e in ("llvm", "emulator") if rng.random() < 0.4)]
        for engine in engines:
            _compare(
                compiled, engine, expected, seed, f"{engine} on {target}, io {io} {budget} {cpu}"
            )
            counts[f"runs by {engine}"] += RUNS
    return counts


def _compare(compiled: Any, engine: Any, expected: list[Arrays], seed: int, where: str) -> None:
    compiled.reset(engine)
    for step, wanted in enumerate(expected):
        inputs = _inputs(compiled.inputs, seed, step)
        try:
            found = compiled.run(*inputs, engine=engine)
        except Error as error:
            raise Wrong(f"{where}: {error}") from error
        found = found if isinstance(found, tuple) else (found,)
        for number, (one, other) in enumerate(zip(found, wanted, strict=True)):
            if one.tobytes() != other.tobytes() or one.shape != other.shape:
                unlike = int((one != other).sum()) if one.shape == other.shape else "all"
                raise Wrong(
                    f"{where}: output {number} in run {step} differs in {unlike} of {other.size}"
                )


def _inputs(ports: Any, seed: int, step: int) -> Arrays:
    rng = np.random.default_rng([seed, step])
    return [_drawn(rng, port.dtype, port.shape) for port in ports]


def _drawn(rng: np.random.Generator, dtype: Any, shape: Any) -> NDArray[Any]:
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return (rng.standard_normal(shape) * 5).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max + 1, shape).astype(dtype)


def _micro(file: bytes, seed: int) -> list[Arrays] | None:
    """What TFLite Micro computes, run after run; None if a check of its kernels ends the process.

    It runs in a process of its own for that reason.
    """
    with tempfile.TemporaryFile() as results:
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                pickle.dump(_micro_here(file, seed), results)
                results.flush()
                code = 0
            finally:
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if code == -signal.SIGABRT:
            return None
        if code != 0:
            raise Wrong(f"TFLite Micro does not run the network: exit code {code}")
        results.seek(0)
        return pickle.load(results)


def _micro_here(file: bytes, seed: int) -> list[Arrays]:
    """What TFLite Micro computes, run after run, until it refuses a value."""
    interpreter = runtime.Interpreter.from_bytes(file, arena_size=ARENA)
    graph = tflite.Model.GetRootAs(file, 0).Subgraphs(0)
    results: list[Arrays] = []
    for step in range(RUNS):
        rng = np.random.default_rng([seed, step])
        for index in range(graph.InputsLength()):
            details = interpreter.get_input_details(index)
            values = _drawn(rng, details["dtype"], tuple(details["shape"]))
            interpreter.set_input(values, index)
        try:
            interpreter.invoke()
        except RuntimeError:  # it refuses a value, such as RSQRT of a negative number
            break
        results.append([interpreter.get_output(i) for i in range(graph.OutputsLength())])
    return results


def names_of(file: bytes) -> list[str]:
    """The operators of the main graph, custom ones by their own names."""
    model = tflite.Model.GetRootAs(file, 0)
    graph = model.Subgraphs(0)
    codes = {v: k for k, v in vars(tflite.BuiltinOperator).items() if isinstance(v, int)}
    operators = (graph.Operators(i) for i in range(graph.OperatorsLength()))
    used = [model.OperatorCodes(op.OpcodeIndex()) for op in operators]
    return [
        code.CustomCode().decode() if code.CustomCode() else codes[code.BuiltinCode()]
        for code in used
    ]
