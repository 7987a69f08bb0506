"""Milliseconds of an inference on this machine: our C and object, and other runtimes.

`python benchmarks/codegen.py [--python PYTHON] [--cpu CPU] [--networks NAME ...]` runs all of them
on one thread, in turns, and takes the shortest times. PYTHON has the packages of the others:
tflite-micro, ai-edge-litert (with XNNPACK), iree-base-compiler and iree-base-runtime. What is not
there is left out, with the reason. IREE computes no softmax.
"""

import argparse
import ctypes
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from measurement.contenders import best
from measurement.networks import Network, networks
from measurement.table import figures
from mlir import ir
from mlir.dialects import tosa

import forebay
import forebay.api.dialects
from forebay.reports.table import show

NETWORKS = ("kws_dscnn", "ad01", "person_detect", "resnet8", "mobilenetv2_tf2")
GCC = ("gcc", "-std=c99", "-O3", "-march=native", "-ffp-contract=off", "-shared", "-fPIC")
LONGEST = 100
"""Characters of another tool's message that are printed."""
SCRIPT = Path(__file__).parent / "measurement/contenders.py"

Time = Callable[[], float]
"""Returns the milliseconds of an inference."""


class AbsentError(Exception):
    """A contender cannot run; the message says why."""


@dataclass(frozen=True)
class Setup:
    """What the contenders are built with; `folder` is for their files."""

    python: Path
    cpu: str
    folder: Path


def our_c(network: Network, setup: Setup) -> Time:
    return _ours(network, setup, None)


def our_object(network: Network, setup: Setup) -> Time:
    return _ours(network, setup, "obj")


def _ours(network: Network, setup: Setup, emit: str | None) -> Time:
    compiled = forebay.compile(network.path, cpu=setup.cpu)
    folder = setup.folder / f"{network.name}-{emit or 'c'}"
    compiled.write(folder, emit=emit, internal_pools=True)
    sources = [own for own in folder.glob("*.c") if not own.stem.endswith("_selftest")]
    library = folder / "network.so"
    command = [*GCC, *sources, *folder.glob("*.o"), "-o", library, "-lm"]
    subprocess.run(command, check=True)
    run = getattr(ctypes.CDLL(str(library)), f"{network.name}_run")
    memory = [ctypes.create_string_buffer(1 << 20) for _ in range(2)]
    return lambda: best(lambda: run(*memory))


def _served(name: str) -> Callable[[Network, Setup], Time]:
    def prepare(network: Network, setup: Setup) -> Time:
        command = [setup.python, SCRIPT, name, network.path]
        server = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert server.stdin is not None and server.stdout is not None
        if server.stdout.readline().strip() != "ready":
            raise AbsentError(server.communicate()[1].strip().splitlines()[-1][:LONGEST])

        def ask() -> float:
            print(file=server.stdin, flush=True)
            return float(server.stdout.readline())

        return ask

    return prepare


def iree(network: Network, setup: Setup) -> Time:
    tools = [setup.python.parent / name for name in ("iree-compile", "iree-benchmark-module")]
    for tool in tools:
        if not tool.exists():
            raise AbsentError(f"{tool} is missing")
    folder = setup.folder / f"{network.name}-iree"
    forebay.compile(network.path).write(folder, emit="tosa")
    (source,) = folder.glob("*.mlir")
    text, shape = _without_softmax(source.read_text())
    (folder / "generic.mlir").write_text(text)
    flags = [
        "--iree-input-type=tosa",
        "--iree-hal-target-device=local",
        "--iree-hal-local-target-device-backends=llvm-cpu",
        "--iree-llvmcpu-target-cpu=host",
        "--iree-opt-level=O3",
    ]
    module = folder / "module.vmfb"
    command = [tools[0], *flags, folder / "generic.mlir", "-o", module]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AbsentError(done.stderr.strip().splitlines()[0])
    measure = [
        tools[1],
        f"--module={module}",
        "--device=local-sync",
        "--function=main",
        f"--input={shape}=0",
        "--benchmark_format=json",
        "--benchmark_min_time=0.2s",
    ]

    def time() -> float:
        done = subprocess.run(measure, check=True, capture_output=True, text=True)
        (found,) = json.loads(done.stdout)["benchmarks"]
        units = {"ns": 1e-6, "us": 1e-3, "ms": 1.0}
        return found["real_time"] * units[found["time_unit"]]

    return time


def _without_softmax(text: str) -> tuple[str, str]:
    """Return a TOSA program in the generic form, and the shape of its input.

    Softmax, an op of our own, becomes its input.
    """
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        (function,) = (op for op in module.body.operations if op.operation.name == "func.func")
        for op in list(function.regions[0].blocks[0].operations):
            if isinstance(op, tosa.CustomOp):
                op.results[0].replace_all_uses_with(op.operands[0])
                op.operation.erase()
        type_ = ir.RankedTensorType(function.regions[0].blocks[0].arguments[0].type)
        shape = "x".join([*map(str, type_.shape), str(type_.element_type)])
        return str(module.operation.get_asm(print_generic_op_form=True)), shape


CONTENDERS = {
    "our C": our_c,
    "our object": our_object,
    "TFLite Micro": _served("tflm"),
    "XNNPACK": _served("litert"),
    "IREE": iree,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", type=Path, default=Path(sys.executable))
    parser.add_argument("--cpu", default="native")
    parser.add_argument("--networks", nargs="+", default=NETWORKS, metavar="NAME")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    chosen = networks([f"{name.removesuffix('_int8')}_int8" for name in args.networks])
    with tempfile.TemporaryDirectory() as folder:
        setup = Setup(args.python, args.cpu, Path(folder))
        rows = [row(network, setup, args.rounds) for network in chosen]
    show([figures(["network", *CONTENDERS, "C / XNNPACK", "C / IREE"], rows)])


def row(network: Network, setup: Setup, rounds: int) -> list[str]:
    times: dict[str, Time] = {}
    for name, prepare in CONTENDERS.items():
        try:
            times[name] = prepare(network, setup)
        except AbsentError as error:
            print(f"{network.name}: {name} left out: {error}")
    found = dict.fromkeys(times, float("inf"))
    for _ in range(rounds):
        for name, time in times.items():
            found[name] = min(found[name], time())
    own = found["our C"]
    ratios = [
        f"{own / found[other]:.2f}" if other in found else "-" for other in ("XNNPACK", "IREE")
    ]
    shown = [f"{found[name]:.4f}" if name in found else "-" for name in CONTENDERS]
    return [network.name, *shown, *ratios]


if __name__ == "__main__":
    main()
