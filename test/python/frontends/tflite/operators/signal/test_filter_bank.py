"""From the spectrum to the logarithm of the channels, over frames, with the noise as state."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Graph, Op, T, build, constant
from common.models.audio_networks import channels
from common.models.tflite_sequences import assert_sequence_equals_micro
from common.sweep import sweep
from mlir import ir

import forebay
from forebay.frontends.tflite import import_model
from forebay.reference import Interpreter

LENGTH = 64
FRAMES = [(20_000, 0), (3000, 2), (300, 4), (10, 7), (0, 3), (32_000, 0)]


def frames() -> list[list[np.ndarray]]:
    rng = np.random.default_rng(3)
    return [
        [
            np.clip(rng.normal(0, spread, LENGTH + 2), -32768, 32767).astype(np.int16),
            np.array(bits, np.int32),
        ]
        for spread, bits in FRAMES
    ]


@pytest.mark.parametrize("engine", sweep(["c", "llvm", "emulator"]))
@pytest.mark.parametrize("clamping", [False, True])
def test_frames_in_a_row_have_tflite_micros_bits(
    tmp_path: Path, engine: str, clamping: bool
) -> None:
    file = channels(LENGTH, clamping=clamping)
    expected = micro(file)
    (tmp_path / "n.tflite").write_bytes(file)
    compiled = forebay.compile(tmp_path / "n.tflite")
    compiled.reset(engine)  # type: ignore[arg-type]
    for inputs, outputs in zip(frames(), expected, strict=True):
        found = compiled.run(*inputs, engine=engine)  # type: ignore[arg-type]
        for one, other in zip(found, outputs, strict=True):
            np.testing.assert_array_equal(one, other)
    with ir.Context():
        interpreter = Interpreter(import_model(file).operation)
        for inputs, outputs in zip(frames(), expected, strict=True):
            for one, other in zip(interpreter.run(inputs).outputs, outputs, strict=True):
                np.testing.assert_array_equal(one, other)
    assert len({outputs[0].tobytes() for outputs in expected}) > 3


@pytest.mark.parametrize("dtype", ["uint32", "uint64"])
def test_channels_may_be_constant(tmp_path: Path, dtype: str) -> None:
    """The operand of SignalFilterBankLog is of uint32, that of the square root of uint64."""
    values = np.array([1, 3_000_000_000, 4_294_967_295, 70_000], dtype)
    if dtype == "uint32":
        options = {"input_correction_bits": 3, "output_scale": 1600}
        first, kind = Op("SignalFilterBankLog", [0], [2], custom=options), "int16"
    else:
        first, kind = Op("SignalFilterBankSquareRoot", [0, 1], [2], custom={}), "uint32"
    cast = Op("CAST", [2], [3], "CastOptions")
    add = Op("ADD", [3, 4], [5], "AddOptions")
    tensors = [constant(values, dtype), constant(6), T((4,), kind)]
    tensors += [T((4,), "int32"), T((4,), "int32"), T((4,), "int32")]
    file = build(Graph(tensors, [4], [5], [first, cast, add]))
    assert_sequence_equals_micro(file, tmp_path)


def micro(file: bytes) -> list[list[np.ndarray]]:
    runtime = pytest.importorskip("tflite_micro.python.tflite_micro.runtime")
    interpreter = runtime.Interpreter.from_bytes(file, arena_size=1_000_000)
    results = []
    for inputs in frames():
        for index, values in enumerate(inputs):
            interpreter.set_input(values, index)
        interpreter.invoke()
        results.append([interpreter.get_output(i).copy() for i in range(5)])
    return results
