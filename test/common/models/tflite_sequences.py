"""Networks with state: several inferences in a row, on every engine, beside TFLite Micro."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import tflite
from mlir import ir

import forebay
from common.tflite_engines import ENGINES, assert_close
from forebay.frontends.tflite import import_model
from forebay.reference import Interpreter


def assert_sequence_equals_micro(
    file: bytes, folder: Path, steps: int = 3, *, has_flag: bool = False
) -> None:
    """Some inferences from a reset give TFLite Micro's outputs.

    With `has_flag`, output 1 says whether output 0 is valid, which TFLite Micro else leaves as it
    was, and which is then 0.
    """
    inputs = _inputs_of(file, steps)
    expected = _micro_sequence(file, inputs)
    if has_flag:
        expected = [[y * valid, valid] for y, valid in expected]
    _assert_sequence(file, folder, inputs, expected)


def assert_sequence_gives(
    file: bytes, folder: Path, inputs: Sequence[np.ndarray], expected: Sequence[np.ndarray]
) -> None:
    """Some inferences from a reset give these outputs of a network with one output."""
    _assert_sequence(file, folder, inputs, [[y] for y in expected])


def _assert_sequence(
    file: bytes,
    folder: Path,
    inputs: Sequence[np.ndarray],
    expected: Sequence[Sequence[np.ndarray]],
) -> None:
    path = folder / "lstm.tflite"
    path.write_bytes(file)
    compiled = forebay.compile(path)
    for engine in ENGINES:
        compiled.reset(engine)
        for x, y in zip(inputs, expected, strict=True):
            found = compiled.run(x, engine=engine)
            outputs = found if isinstance(found, tuple) else (found,)
            assert_close([np.asarray(value) for value in outputs], y, engine)
    with ir.Context():
        interpreter = Interpreter(import_model(file).operation)
        for x, y in zip(inputs, expected, strict=True):
            assert_close(interpreter.run([x]).outputs, y, "interpreter")


def _inputs_of(file: bytes, count: int) -> list[np.ndarray]:
    with ir.Context():
        module = import_model(file)
        main = next(op for op in module.body.operations if op.operation.name == "func.func")
        kind = ir.RankedTensorType(main.type.inputs[0])
        shape, element = list(kind.shape), str(kind.element_type)
    rng = np.random.default_rng(1)
    if element == "f32":
        return [rng.standard_normal(shape).astype(np.float32) for _ in range(count)]
    info = np.iinfo(f"int{element[1:]}")
    return [rng.integers(info.min, info.max + 1, shape).astype(info.dtype) for _ in range(count)]


def _micro_sequence(file: bytes, inputs: list[np.ndarray]) -> list[list[np.ndarray]]:
    runtime = pytest.importorskip("tflite_micro.python.tflite_micro.runtime")
    interpreter = runtime.Interpreter.from_bytes(file, arena_size=1_000_000)
    count = tflite.Model.GetRootAs(file, 0).Subgraphs(0).OutputsLength()
    outputs = []
    for x in inputs:
        interpreter.set_input(x, 0)
        interpreter.invoke()
        outputs.append([interpreter.get_output(i).copy() for i in range(count)])
    return outputs
