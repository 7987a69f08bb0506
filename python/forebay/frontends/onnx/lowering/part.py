"""A part of a tensor, in the order of its elements."""

from __future__ import annotations

from collections.abc import Mapping

from forebay.frontends import tosa as emit
from forebay.frontends.onnx.lowering.layout import LaidOut


def part_of(operand: LaidOut, parts: Mapping[int, tuple[int, int]]) -> LaidOut:
    """Return a start and a size of each axis of ONNX."""
    value = operand.value if operand.last else operand.logical()
    shape = emit.static_shape_of(value)
    starts, sizes = [0] * len(shape), list(shape)
    for axis, (start, size) in parts.items():
        at = axis_with_channels_last(axis, len(shape)) if operand.last else axis
        starts[at], sizes[at] = start, size
    return LaidOut(emit.tosa_slice(value, starts, sizes), last=operand.last)


def axis_with_channels_last(axis: int, rank: int) -> int:
    """Return the dimension of a value with channels last that an axis of ONNX is."""
    return 0 if axis == 0 else rank - 1 if axis == 1 else axis - 1
