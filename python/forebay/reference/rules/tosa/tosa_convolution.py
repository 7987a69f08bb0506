"""Convolutions: windows of an image times the kernel of each output channel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import tosa

from forebay.reference.products import centred, exact_dtype
from forebay.reference.registry import Function, function
from forebay.reference.types import (
    Array,
    dtype_of,
    is_float,
    shape_of,
    wrapped,
)
from forebay.reference.windows import Window

_BLOCK = 1 << 17
"""The number of elements that are processed at once, so that they fit a cache."""


@function(tosa.Conv2DOp, tosa.Conv3DOp)
def convolution(op: Any) -> Function:
    """Convolve `[batch, places..., inputs]` with kernels `[outputs, places..., inputs]`."""
    type_ = op.results[0].type
    outputs = shape_of(type_)[1:-1]
    window = Window.of(op, shape_of(op.weight.type)[1:-1])

    def convolve(x: Array, w: Array, bias: Array, x_zero: Array, w_zero: Array) -> Array:
        image, kernel = centred(x, x_zero), centred(w, w_zero)
        columns = kernel.reshape(kernel.shape[0], -1).T
        dtype = exact_dtype(image, columns, 0)
        columns = np.ascontiguousarray(columns, dtype)
        patches = window.patches(window.padded(image, 0), outputs)
        sums = np.empty((x.shape[0], math.prod(outputs), columns.shape[1]), dtype)
        for windows, result in zip(patches, sums, strict=True):
            _by_rows(windows, columns, result)
        return with_bias(sums.reshape(x.shape[0], *outputs, -1), bias, type_, op)

    return convolve


def _by_rows(windows: Array, columns: Array, sums: Array) -> None:
    """Multiply the flattened windows of a few output rows at a time."""
    depth, per_row = columns.shape[0], len(sums) // len(windows)
    step = max(1, _BLOCK // (per_row * depth))
    for begin in range(0, len(windows), step):
        block = windows[begin : begin + step].astype(columns.dtype, order="C").reshape(-1, depth)
        first = begin * per_row
        np.matmul(block, columns, out=sums[first : first + len(block)])


@function(tosa.DepthwiseConv2DOp)
def depthwise(op: tosa.DepthwiseConv2DOp) -> Function:
    """Convolve each channel alone; the kernel is `[height, width, inputs, multiplier]`."""
    type_ = op.results[0].type
    outputs = shape_of(type_)[1:-1]
    window = Window.of(op, shape_of(op.weight.type)[:2])

    def convolve(x: Array, w: Array, bias: Array, x_zero: Array, w_zero: Array) -> Array:
        image, kernel = centred(x, x_zero), centred(w, w_zero)
        dtype = exact_dtype(image, kernel, (0, 1))
        padded, kernel = window.padded(image, 0), kernel.astype(dtype)
        taps = window.taps(padded, outputs)
        sums = np.empty((x.shape[0], *outputs, *kernel.shape[2:]), dtype)
        step = max(1, _BLOCK // math.prod(sums.shape[2:]))
        for begin in range(0, outputs[0], step):
            rows = slice(begin, begin + step)
            _add_taps([(at, tap[:, rows]) for at, tap in taps], kernel, sums[:, rows])
        return with_bias(sums.reshape(*sums.shape[:-2], -1), bias, type_, op)

    return convolve


def _add_taps(taps: list[tuple[tuple[int, ...], Array]], kernel: Array, sums: Array) -> None:
    (first, tap), *others = taps
    np.multiply(tap[..., None], kernel[first], out=sums, casting="unsafe")
    product = np.empty_like(sums)
    for place, tap in others:
        np.multiply(tap[..., None], kernel[place], out=product, casting="unsafe")
        np.add(sums, product, out=sums)


@function(tosa.TransposeConv2DOp)
def transposed(op: tosa.TransposeConv2DOp) -> Function:
    """Add a kernel to the result for each element of the image; `out_pad` widens or crops it."""
    type_ = op.results[0].type
    _, height, width, _ = shape_of(type_)
    attributes = op.operation.attributes
    top, _, left, _ = ir.DenseI64ArrayAttr(attributes["out_pad"])
    step_y, step_x = ir.DenseI64ArrayAttr(attributes["stride"])

    def convolve(x: Array, w: Array, bias: Array, x_zero: Array, w_zero: Array) -> Array:
        image, kernel = centred(x, x_zero), centred(w, w_zero)
        batch, rows, columns, _ = x.shape
        depth, kernel_height, kernel_width, _ = kernel.shape
        dtype = exact_dtype(image, kernel.transpose(1, 2, 3, 0), (0, 1, 2))
        image, kernel = image.astype(dtype), kernel.astype(dtype)
        # The array also covers elements before the result, for negative pads, and after it.
        front = max(-top, 0), max(-left, 0)
        whole = np.zeros(
            (
                batch,
                front[0] + max(height, top + (rows - 1) * step_y + kernel_height),
                front[1] + max(width, left + (columns - 1) * step_x + kernel_width),
                depth,
            ),
            dtype,
        )
        for y, x_ in np.ndindex(kernel_height, kernel_width):
            first = front[0] + top + y, front[1] + left + x_
            target = whole[
                :,
                first[0] : first[0] + (rows - 1) * step_y + 1 : step_y,
                first[1] : first[1] + (columns - 1) * step_x + 1 : step_x,
            ]
            target += image @ kernel[:, y, x_].T
        kept = whole[:, front[0] : front[0] + height, front[1] : front[1] + width]
        return with_bias(kept, bias, type_, op)

    return convolve


def with_bias(sums: Array, bias: Array, type_: ir.Type, op: Any) -> Array:
    """Return sums plus a bias in the type of the result.

    The bias has one element, or one for each element of the last dimension.
    """
    if is_float(type_):
        return (sums + bias.astype(np.float64)).astype(dtype_of(type_, op))
    return wrapped(sums.astype(np.int64) + bias, type_, op)
