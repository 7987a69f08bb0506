"""AVG_POOL2D and MAX_POOL2D."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import tosa

from forebay.reference.integers import apply_scale_32
from forebay.reference.products import centred
from forebay.reference.registry import Function, function
from forebay.reference.rules.tosa.tosa_elementwise import ignores_nan
from forebay.reference.types import (
    Array,
    dtype_of,
    is_float,
    limits_of,
    shape_of,
)
from forebay.reference.windows import Window


def _window(op: Any) -> Window:
    return Window.of(op, tuple(ir.DenseI64ArrayAttr(op.operation.attributes["kernel"])))


@function(tosa.MaxPool2dOp)
def largest(op: tosa.MaxPool2dOp) -> Function:
    """Return the largest element of the image in each window."""
    type_ = op.results[0].type
    outputs, window = shape_of(type_)[1:-1], _window(op)
    least = -np.inf if is_float(type_) else limits_of(type_)[0]
    larger = np.fmax if ignores_nan(op) else np.maximum

    def pool(x: Array) -> Array:
        (_, result), *others = window.taps(window.padded(x, least), outputs)
        for _, tap in others:
            result = larger(result, tap)
        return np.ascontiguousarray(result)

    return pool


@function(tosa.AvgPool2dOp)
def average(op: tosa.AvgPool2dOp) -> Function:
    """Return the mean of the image's elements in each window; the border is not counted."""
    type_ = op.results[0].type
    outputs, window, dtype = shape_of(type_)[1:-1], _window(op), dtype_of(type_, op)

    def pool(x: Array, input_zp: Array, output_zp: Array) -> Array:
        image = centred(x, input_zp)
        wide = np.float64 if is_float(type_) else np.int64
        sums = _sums(image.astype(wide), window, outputs)
        counts = _sums(np.ones((1, *x.shape[1:3], 1), np.int64), window, outputs)
        if is_float(type_):
            return (sums / counts).astype(dtype)
        scaled = apply_scale_32(sums, *_reciprocal(counts), double_round=False)
        return np.clip(scaled + int(output_zp.flat[0]), *limits_of(type_)).astype(dtype)

    return pool


def _sums(image: Array, window: Window, outputs: tuple[int, ...]) -> Array:
    return np.sum([tap for _, tap in window.taps(window.padded(image, 0), outputs)], axis=0)


def _reciprocal(counts: Array) -> tuple[Array, Array]:
    """Return TOSA's `reciprocal_scale`: multiplier and shift of a division by each count."""
    bits = np.ceil(np.log2(counts)).astype(np.int64)
    return np.left_shift(np.int64((1 << 30) + 1), bits) // counts, 30 + bits
