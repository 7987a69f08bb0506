"""RESIZE, nearest neighbour and bilinear."""

from __future__ import annotations

import numpy as np
from mlir import ir
from mlir.dialects import tosa
from msgspec import Struct

from forebay.reference.registry import Function, function
from forebay.reference.types import (
    Array,
    dtype_of,
    is_float,
    shape_of,
    wrapped,
)


class _Axis(Struct, frozen=True, eq=False):
    """For each position of the result, the two image positions around it and the distance.

    `past` is the distance from `first`, in units of `1 / unit` of the distance between two
    elements.
    """

    first: Array
    second: Array
    past: Array
    unit: int

    @staticmethod
    def of(count: int, size: int, by: tuple[int, int, int]) -> _Axis:
        """Return the positions; `by` is the scale's numerator and denominator, and the offset."""
        numerator, denominator, offset = by
        at = np.arange(count) * denominator + offset
        below = at // numerator
        limits = 0, size - 1
        return _Axis(
            np.clip(below, *limits), np.clip(below + 1, *limits), at - below * numerator, numerator
        )

    @property
    def nearest(self) -> Array:
        """Return the closer position; the second one if both are equally close."""
        return np.where(self.past * 2 >= self.unit, self.second, self.first)


@function(tosa.ResizeOp)
def resize(op: tosa.ResizeOp) -> Function:
    """Resize an image.

    Integer results are `scale_y_n * scale_x_n` times the interpolated value, float results the
    value.
    """
    type_ = op.results[0].type
    _, out_height, out_width, _ = shape_of(type_)
    nearest = ir.Attribute.parse("#tosa.resize_mode<NEAREST_NEIGHBOR>", op.operation.context)
    takes_nearest = op.operation.attributes["mode"] == nearest

    def resized(x: Array, scale: Array, offset: Array, _border: Array) -> Array:
        y_n, y_d, x_n, x_d = (int(n) for n in scale)
        rows = _Axis.of(out_height, x.shape[1], (y_n, y_d, int(offset[0])))
        columns = _Axis.of(out_width, x.shape[2], (x_n, x_d, int(offset[1])))
        if takes_nearest:
            return x[:, rows.nearest][:, :, columns.nearest].astype(dtype_of(type_, op))
        sums = _interpolated(x.astype(np.float64 if is_float(type_) else np.int64), rows, columns)
        if is_float(type_):
            return (sums / (y_n * x_n)).astype(dtype_of(type_, op))
        return wrapped(sums, type_, op)

    return resized


def _interpolated(x: Array, rows: _Axis, columns: _Axis) -> Array:
    past, unit = rows.past[:, None, None], rows.unit
    between = x[:, rows.first] * (unit - past) + x[:, rows.second] * past
    past, unit = columns.past[:, None], columns.unit
    return between[:, :, columns.first] * (unit - past) + between[:, :, columns.second] * past
