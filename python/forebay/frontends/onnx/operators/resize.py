"""Resize: rows that are copied (nearest), or one kernel that mixes elements (linear, cubic).

The kernel reads the elements around each position with weights from tables, one for each axis:

    out[n, y, x, c] = sum over i, j of wy[y, i] * wx[x, j] * in[n, sy[y] + i, sx[x] + j, c]

It reads stored integers as well, and gives them, so nothing in float32 is in memory. With
antialias, a smaller image mixes more elements; floats then have a kernel for each axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from mlir import ir
from mlir.dialects import arith, tensor
from msgspec import Struct
from numpy.typing import NDArray

from forebay.frontends import tosa as emit
from forebay.frontends.elementwise import map_indexed, position_along
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator
from forebay.frontends.onnx.lowering.rescale import bounded, quantised_real, stored_zero_point
from forebay.lowering.kernels import scalar

document_onnx(
    "Resize",
    types="int8, uint8, float32",
    limits="all but the first two dimensions, constant sizes; no region of interest",
    golden="nearest: bits; linear and cubic of floats: 1e-6, of integers: the nearest ones, halves "
    "to even where the weights are sums of powers of two",
)

_ROUNDINGS: dict[str, Callable[[float], int]] = {
    "round_prefer_floor": lambda x: math.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: math.floor(x + 0.5),
    "floor": math.floor,
    "ceil": math.ceil,
}


_MOST_TAPS = 256
"""The largest number of stored integers that a kernel mixes; each of them is in its code."""


class _Axis(Struct, frozen=True):
    """An axis of the value with channels last, whose size changes."""

    at: int
    size: int
    positions: tuple[float, ...]
    """The position in the input, in elements, that each output position reads."""
    scale: float


@onnx_operator("Resize")
def resize(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower rows and columns that are copied, or mixed from several."""
    mode = node.attribute("mode", "nearest")
    if mode not in ("nearest", "linear", "cubic"):
        node.refuse(f"the mode {mode}", "nearest, linear and cubic are")
    shape = node.shape(0)
    scales, sizes = _sizes(node, shape)
    if len(shape) < 3 or sizes[:2] != list(shape[:2]):
        node.refuse(f"a resizing of {list(shape)} to {sizes}", "batch and channels stay")
    axes: list[_Axis] = []
    for axis in range(2, len(shape)):
        old, new, scale = shape[axis], sizes[axis], scales[axis]
        positions = tuple(_position(node, o, old, new, scale) for o in range(new))
        if positions != tuple(range(old)):
            axes.append(_Axis(axis - 1, old, positions, scale))
    value = node.operand(0).channels_last()
    if mode == "nearest":
        return [LaidOut(_nearest(node, value, axes), last=True)]
    for part in _together(node, axes):
        value = _mixed(node, value, part)
    return [LaidOut(value, last=True)]


def _together(node: OnnxNode, axes: Sequence[_Axis]) -> list[Sequence[_Axis]]:
    """Return the axes of each kernel.

    With antialias there are many elements to mix, so floats take one axis after the other. Integers
    are rounded once, and so have one kernel.
    """
    is_antialiased = bool(node.attribute("antialias", 0)) and any(a.scale < 1 for a in axes)
    if not is_antialiased:
        return [axes]
    if node.is_float() and node.target is None:
        return [[axis] for axis in axes]
    count = math.prod(_tables(node, axis)[1].shape[1] for axis in axes)
    if count > _MOST_TAPS:
        node.refuse(
            f"a sum of {count} elements of {node.dtype(0).name} for each one",
            f"{_MOST_TAPS} are: resize in steps, or without antialias",
        )
    return [axes]


def _sizes(node: OnnxNode, shape: Sequence[int]) -> tuple[list[float], list[int]]:
    axes = [node.axis(int(a), len(shape)) for a in node.attribute("axes", range(len(shape)))]
    scales, sizes = [1.0] * len(shape), list(shape)
    if node.has(3):
        for axis, size in _along(node, axes, node.integers(3)):
            sizes[axis], scales[axis] = int(size), size / shape[axis]
        one = _common_scale(node, [scales[axis] for axis in axes])
        if one is not None:
            for axis in axes:
                sizes[axis], scales[axis] = math.floor(shape[axis] * one + 0.5), one
    else:
        for axis, scale in _along(node, axes, node.constant(2).reshape(-1).tolist()):
            sizes[axis], scales[axis] = math.floor(shape[axis] * scale), scale
    node.expect_size(sizes)
    return scales, sizes


def _common_scale(node: OnnxNode, scales: Sequence[float]) -> float | None:
    """Return the scale of all axes, with which the result keeps its shape, or None."""
    policy = node.attribute("keep_aspect_ratio_policy", "stretch")
    if policy == "stretch":
        return None
    if policy not in ("not_larger", "not_smaller"):
        node.malformed(f"the keep_aspect_ratio_policy {policy} is unknown")
    return min(scales) if policy == "not_larger" else max(scales)


def _along(node: OnnxNode, axes: Sequence[int], values: Sequence[float]) -> list[tuple[int, float]]:
    """Return the values with the axes that they are for."""
    if len(axes) != len(values) or not all(v > 0 for v in values):
        node.malformed(f"scales or sizes {list(values)} for the axes {list(axes)}")
    return list(zip(axes, values, strict=True))


def _position(node: OnnxNode, output: int, size: int, result: int, scale: float) -> float:
    """Return the position in the input, in elements, that an output position reads."""
    mode = node.attribute("coordinate_transformation_mode", "half_pixel")
    if mode == "asymmetric":
        return output / scale
    if mode == "align_corners":
        return 0.0 if result == 1 else output * (size - 1) / (result - 1)
    if mode == "pytorch_half_pixel" and result == 1:
        return 0.0
    if mode in ("half_pixel", "pytorch_half_pixel"):
        return (output + 0.5) / scale - 0.5
    if mode == "half_pixel_symmetric":
        # A result that is cut to an integer keeps its middle.
        middle = size / 2 * (1 - result / (scale * size))
        return middle + (output + 0.5) / scale - 0.5
    node.refuse(f"the coordinates {mode}", "half_pixel, asymmetric and align_corners are supported")


def _nearest(node: OnnxNode, value: ir.Value, axes: Sequence[_Axis]) -> ir.Value:
    rounding = _ROUNDINGS.get(node.attribute("nearest_mode", "round_prefer_floor"))
    if rounding is None:
        node.malformed("its nearest_mode is unknown")
    for axis in axes:
        rows = [max(0, min(axis.size - 1, int(rounding(p)))) for p in axis.positions]
        value = _rows(value, axis.at, rows)
    return value


def _rows(value: ir.Value, axis: int, rows: Sequence[int]) -> ir.Value:
    """Return these rows along an axis: runs of consecutive and of equal ones, put together."""
    shape = emit.static_shape_of(value)
    if list(rows) == list(range(shape[axis])):
        return value
    factor = len(rows) // shape[axis]
    if list(rows) == [i // factor for i in range(shape[axis] * factor)] and factor:
        split = (*shape[: axis + 1], 1, *shape[axis + 1 :])
        repeated = emit.tosa_concat([emit.tosa_reshape(value, split)] * factor, axis + 1)
        return emit.tosa_reshape(
            repeated, (*shape[:axis], shape[axis] * factor, *shape[axis + 1 :])
        )
    size = [1 if i == axis else d for i, d in enumerate(shape)]
    parts = [
        emit.tosa_slice(value, [r if i == axis else 0 for i in range(len(shape))], size)
        for r in rows
    ]
    return emit.tosa_concat(parts, axis)


class _Taps(Struct, frozen=True, eq=False):
    """The elements of one axis that the kernel mixes, as scalars of its body."""

    axis: _Axis
    start: ir.Value
    weights: Sequence[ir.Value]


def _mixed(node: OnnxNode, value: ir.Value, axes: Sequence[_Axis]) -> ir.Value:
    """Build the kernel; an axis has a table of starts, and one of weights for each tap."""
    shape = list(emit.static_shape_of(value))
    operands: list[tuple[ir.Value, list[ir.AffineExpr]]] = []
    counts: list[int] = []
    for axis in axes:
        shape[axis.at] = len(axis.positions)
        starts, weights = _tables(node, axis)
        counts.append(weights.shape[1])
        for table in (starts, *weights.T):
            constant = emit.tosa_constant(np.ascontiguousarray(table))
            operands.append((constant, [ir.AffineExpr.get_dim(axis.at)]))

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        taps: list[_Taps] = []
        rest = list(ins)
        for axis, count in zip(axes, counts, strict=True):
            taps.append(_Taps(axis, rest[0], rest[1 : 1 + count]))
            rest = rest[1 + count :]
        position = [position_along(i) for i in range(len(shape))]
        return _finished(node, _sum_of_taps(node, value, position, taps))

    if not axes:
        # Integers are rescaled although no size changes.
        operands.append((value, [ir.AffineExpr.get_dim(i) for i in range(len(shape))]))
    return bounded(node, map_indexed(operands, shape, emit.element_of(value), compute))


def _tables(node: OnnxNode, axis: _Axis) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Return the first element of each position, which may be outside, and the weights."""
    starts = [math.floor(p) for p in axis.positions]
    shares = [p - start for p, start in zip(axis.positions, starts, strict=True)]
    kernel, reach = _kernel(node)
    shrinks = min(axis.scale, 1.0) if node.attribute("antialias", 0) else 1.0
    first = math.floor(-reach / shrinks) + 1
    weights = np.array(
        [[kernel(abs(i - s) * shrinks) for i in range(first, 2 - first)] for s in shares]
    )
    if shrinks < 1:
        weights /= weights.sum(1, keepdims=True)
    starts = [start + first for start in starts]
    if node.attribute("exclude_outside", 0):
        at = np.array(starts)[:, None] + np.arange(weights.shape[1])
        weights = np.where((at >= 0) & (at < axis.size), weights, 0)
        weights /= weights.sum(1, keepdims=True)
    return np.array(starts, np.int32), weights.astype(np.float32)


def _kernel(node: OnnxNode) -> tuple[Callable[[float], float], int]:
    """Return the weight of an element by its distance, and the distance from which on it is 0."""
    if node.attribute("mode", "nearest") == "linear":
        return lambda d: max(0.0, 1 - d), 1
    return partial(_cubic, float(node.attribute("cubic_coeff_a", -0.75))), 2


def _cubic(a: float, d: float) -> float:
    """Return the convolution kernel of Keys (1981)."""
    if d <= 1:
        return ((a + 2) * d - (a + 3)) * d * d + 1
    return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a if d < 2 else 0.0


def _sum_of_taps(
    node: OnnxNode, value: ir.Value, position: list[ir.Value], taps: Sequence[_Taps]
) -> ir.Value:
    """Build the weighted sum over the axes, the last one innermost."""
    if not taps:
        return _real(node, tensor.ExtractOp(value, position).result)
    first, *rest = taps
    total: ir.Value | None = None
    for i, weight in enumerate(first.weights):
        near = scalar.clamp(scalar.add_constant(first.start, i), 0, first.axis.size - 1)
        at = list(position)
        at[first.axis.at] = arith.IndexCastOp(ir.IndexType.get(), near).result
        term = scalar.multiply(_sum_of_taps(node, value, at, rest), weight)
        total = term if total is None else scalar.add(total, term)
    assert total is not None
    return total


def _real(node: OnnxNode, element: ir.Value) -> ir.Value:
    """Return an element as a float: a stored integer less its zero point."""
    if isinstance(element.type, ir.FloatType):
        return element
    if node.dtype(0).name not in ("int8", "uint8"):
        node.refuse(f"operand 0 of type {node.dtype(0).name}", "int8, uint8 and float32 are")
    offset = stored_zero_point(node.source(0)) if node.target is not None else 0
    centred = scalar.add_constant(scalar.widen(element), -offset)
    return arith.SIToFPOp(ir.F32Type.get(), centred).result


def _finished(node: OnnxNode, mixed: ir.Value) -> ir.Value:
    """Return an element of the result, from the sum."""
    if node.target is not None:
        source, target = (float(q.scale.reshape(-1)[0]) for q in (node.source(0), node.target))
        ratio = scalar.scalar_constant(float(np.float32(source / target)), mixed.type)
        return quantised_real(scalar.multiply(mixed, ratio), stored_zero_point(node.target))
    return mixed if node.is_float() else quantised_real(mixed, 0)
