"""Streams with a history: TFLite Micro's bits over several inferences."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Graph, Op, T, build, constant, single
from common.models.tflite_sequences import assert_sequence_equals_micro
from mlir import ir

from forebay.frontends.errors import UnsupportedModel
from forebay.frontends.tflite import import_model


@pytest.mark.parametrize(("shape", "length"), [((8,), 3), ((2, 5), 12), ((2, 3, 4), 4)])
def test_a_delay(shape: tuple[int, ...], length: int, tmp_path: Path) -> None:
    op = Op("SignalDelay", [0], [1], custom={"delay_length": length})
    assert_sequence_equals_micro(single(op, [T(shape, "int16")] * 2), tmp_path, 5)


@pytest.mark.parametrize(
    ("samples", "size", "step", "prefill"),
    [(6, 6, 6, 1), (8, 6, 4, 1), (12, 10, 3, 1), (5, 5, 5, 0), (4, 10, 4, 0), (3, 9, 3, 0)],
)
def test_frames(samples: int, size: int, step: int, prefill: int, tmp_path: Path) -> None:
    options = {"frame_size": size, "frame_step": step, "prefill": bool(prefill)}
    tensors = [T((2, samples), "int16"), T((2, samples // step, size), "int16"), T((), "bool")]
    file = single(Op("SignalFramer", [0], [1, 2], custom=options), tensors)
    assert_sequence_equals_micro(file, tmp_path, 6, has_flag=True)


def test_frames_without_a_beginning_are_refused() -> None:
    options = {"frame_size": 5, "frame_step": 3, "prefill": False}
    tensors = [T((6,), "int16"), T((2, 5), "int16"), T((), "bool")]
    file = single(Op("SignalFramer", [0], [1, 2], custom=options), tensors)
    with ir.Context(), pytest.raises(UnsupportedModel, match="2 frames per inference without"):
        import_model(file)


@pytest.mark.parametrize(
    ("left", "right", "step"), [(0, 0, 1), (2, 0, 1), (1, 1, 2), (3, 2, 3), (0, 2, 3)]
)
def test_stacks(left: int, right: int, step: int, tmp_path: Path) -> None:
    options = {"num_channels": 4, "stacker_step": step}
    options |= {"stacker_left_context": left, "stacker_right_context": right}
    tensors = [T((4,), "int16"), T((4 * (left + 1 + right),), "int16"), T((), "bool")]
    file = single(Op("SignalStacker", [0], [1, 2], custom=options), tensors)
    assert_sequence_equals_micro(file, tmp_path, 9, has_flag=True)


@pytest.mark.parametrize("dtype", ["int16", "float32"])
@pytest.mark.parametrize(("count", "size", "step"), [(1, 6, 4), (3, 7, 2), (2, 4, 4)])
def test_overlapping_frames(dtype: str, count: int, size: int, step: int, tmp_path: Path) -> None:
    kind = 7 if dtype == "int16" else 0  # the number of the type in the schema
    op = Op("SignalOverlapAdd", [0], [1], custom={"T": kind, "frame_step": step})
    tensors = [T((2, count, size), dtype), T((2, count * step), dtype)]
    assert_sequence_equals_micro(single(op, tensors), tmp_path, 4)


def test_a_state_on_constants_is_no_constant(tmp_path: Path) -> None:
    """A delay of a constant is zeros at first; the network has another input beside it."""
    tensors = [T((3,), "int16"), constant(np.arange(1, 4), "int16"), *[T((3,), "int16")] * 2]
    delay = {"delay_length": 2}
    operators = [Op("SignalDelay", [i], [i + 2], custom=delay) for i in (0, 1)]
    assert_sequence_equals_micro(build(Graph(tensors, [0], [2, 3], operators)), tmp_path, 3)
