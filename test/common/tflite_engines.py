"""A `.tflite` file on every engine and on the interpreter, beside the outputs that it must give."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import forebay
from common.oracles.contexts import kernel_context
from common.tflite_reference import micro
from forebay.frontends.tflite import import_model
from forebay.reference import Interpreter

ENGINES = ("llvm", "c", "emulator")
LARGEST_DIFFERENCE = 1e-6
"""Of floats: the largest difference over the largest magnitude of the tensor."""


def assert_all_equal_micro(file: bytes, folder: Path, *inputs: np.ndarray) -> list[np.ndarray]:
    """Return TFLite Micro's outputs, which all engines and the interpreter must give, too."""
    expected = micro(file, inputs)
    assert_all_give(file, folder, inputs, expected)
    return expected


def assert_all_give(
    file: bytes, folder: Path, inputs: Sequence[np.ndarray], expected: Sequence[np.ndarray]
) -> None:
    """Integers must have the same bits."""
    path = folder / "network.tflite"
    path.write_bytes(file)
    compiled = forebay.compile(path)
    for engine in ENGINES:
        found: Any = compiled.run(*inputs, engine=engine)
        assert_close(found if isinstance(found, tuple) else (found,), expected, engine)
    assert_close(interpreted(file, inputs), expected, "interpreter")


def interpreted(file: bytes, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """What the interpreter computes, in signed integers."""
    with kernel_context():
        module = import_model(file)
        signed = [x.view(f"i{x.itemsize}") if x.dtype.kind == "u" else x for x in inputs]
        return list(Interpreter(module.operation).run(signed).outputs)


def assert_close(found: Sequence[np.ndarray], expected: Sequence[np.ndarray], who: str) -> None:
    """Compare outputs; floats up to `LARGEST_DIFFERENCE`."""
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        if other.dtype.kind == "f":
            largest = np.abs(other).max(initial=0, where=np.isfinite(other))
            limit = LARGEST_DIFFERENCE * largest
            np.testing.assert_allclose(one, other, rtol=0, atol=limit, err_msg=who)
        else:
            np.testing.assert_array_equal(one.view(other.dtype), other, err_msg=who)
