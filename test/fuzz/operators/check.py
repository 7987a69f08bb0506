"""One operator on TFLite Micro and on an engine."""

from __future__ import annotations

import pickle
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import forebay
from forebay.errors import Error
from forebay.frontends.errors import UnsupportedModel
from fuzz.cases import Wrong
from fuzz.operators.draw import binary, layout, products, unary, windows
from fuzz.operators.draw.drawing import Array, Drawing
from fuzz.operators.known import known

FAMILIES = (binary, unary, windows, windows, layout, layout, products)
LARGEST_DIFFERENCE = 1e-6
RUNS = 2


def draw(seed: int) -> Drawing:
    """The operator of this number."""
    rng = Random(seed)
    drawing = Drawing(rng)
    rng.choice(rng.choice(FAMILIES).DRAWS)(drawing)
    return drawing


def check(seed: int) -> Counter[str]:
    """Judge the operator of this number by one engine."""
    drawing = draw(seed)
    file, inputs = drawing.file()
    (op,) = drawing.ops
    types = [drawing.tensors[i].dtype for i in (*op.inputs, *op.outputs) if i >= 0]
    what = f"{op.name} {' '.join(types)}"
    expected = MICRO.run(file, inputs)
    engine = drawing.rng.choice(["llvm", "llvm", "c", "emulator"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"case_{seed}.tflite"
        path.write_bytes(file)
        try:
            compiled = forebay.compile(path)
        except UnsupportedModel as error:
            if expected is None:
                return Counter({f"refused by both: {op.name}": 1})
            if (reason := known(str(error))) is None:
                raise Wrong(f"{what}: {error}") from error
            return Counter({f"refused: {reason}": 1})
        except Error as error:
            raise Wrong(f"{what}: {error}") from error
        if expected is None:
            return Counter({f"TFLite Micro refuses: {op.name}": 1})
        compiled.reset(engine)
        for step, wanted in enumerate(expected):
            found = compiled.run(*inputs, engine=engine)
            outputs = found if isinstance(found, tuple) else (found,)
            _compare(outputs, wanted, f"{what} on {engine}, run {step}")
    return Counter({f"equal: {op.name}": 1})


def _compare(found: Any, wanted: list[Array], what: str) -> None:
    for number, (one, other) in enumerate(zip(found, wanted, strict=True)):
        place = f"{what}: output {number}"
        if one.shape != other.shape or one.dtype != other.dtype:
            raise Wrong(f"{place} is {one.dtype} {one.shape}, not {other.dtype} {other.shape}")
        differs = one != other
        if other.dtype.kind == "f":
            largest = np.abs(other).max(initial=0, where=np.isfinite(other))
            with np.errstate(invalid="ignore"):
                is_close = np.abs(np.subtract(one, other)) <= LARGEST_DIFFERENCE * largest
            differs = differs & ~is_close & ~(np.isnan(one) & np.isnan(other))
        if differs.any():
            at = tuple(np.argwhere(differs)[0])
            count = f"{int(differs.sum())} of {other.size}"
            raise Wrong(f"{place} differs in {count}: {one[at]}, not {other[at]}")


class _Micro:
    """The process of `micro.py`, started again where a network has ended it."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None

    def run(self, file: bytes, inputs: list[Array]) -> list[list[Array]] | None:
        """The outputs of each run; None where TFLite Micro refuses the network, or ends."""
        process = self.process
        if process is None or process.poll() is not None:
            process = self.process = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("micro.py"))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            pickle.dump((file, inputs, RUNS), process.stdin)
            process.stdin.flush()
            return pickle.load(process.stdout)
        except (EOFError, BrokenPipeError):
            process.wait()
            return None


MICRO = _Micro()
