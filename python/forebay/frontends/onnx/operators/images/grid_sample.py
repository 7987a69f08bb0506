"""GridSample and AffineGrid: elements of an image at positions that a tensor gives, mixed.

    position[i] = ((grid[.., k - 1 - i] + 1) * size[i] - 1) / 2       size - 1 in place of size, and
                                                                      no - 1, with align_corners
    out[n, .., c] = sum over taps t of weight(t) * in[n, floor(position) + t, c]

The grid has its coordinates in the opposite order of the dimensions, each from -1 to 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith, tensor
from mlir.dialects import math as mathlib
from msgspec import Struct

from forebay.frontends import tosa as emit
from forebay.frontends.elementwise import map_indexed, position_along
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator
from forebay.lowering.kernels import scalar

document_onnx("GridSample", types="float32", golden="nearest: bits; linear and cubic: 1e-6")
document_onnx(
    "AffineGrid", types="float32", limits="a constant size, of an image or a volume", golden="1e-6"
)

_MODES = {"bilinear": "linear", "bicubic": "cubic"}
"""Names before opset 20."""
_CUBIC = -0.75
_FAR = 4
"""Elements after the border from which on all taps are outside."""


class _Axis(Struct, frozen=True):
    """A spatial dimension of the image, with the places where a reflected position turns."""

    size: int
    low: float
    high: float


class _Tap(Struct, frozen=True, eq=False):
    """An element along one axis: its index, whether it is inside (None: always), its weight."""

    index: ir.Value
    is_inside: ir.Value | None
    weight: ir.Value | None


@onnx_operator("GridSample")
def grid_sample(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower to one kernel over the result, which reads the elements around each position."""
    node.expect_floats(0, 1)
    shape, grid = node.shape(0), node.shape(1)
    count = len(shape) - 2
    if count < 1 or len(grid) != len(shape) or grid[-1] != count or grid[0] != shape[0]:
        node.malformed(f"a grid of shape {list(grid)} for {list(shape)}")
    value = node.operand(0).channels_last()
    result = (shape[0], *grid[1:-1], shape[1])
    dims = [ir.AffineExpr.get_dim(i) for i in range(count + 1)]
    places = [(node.value(1), [*dims, ir.AffineExpr.get_constant(i)]) for i in range(count)]
    axes = [_axis(node, size) for size in shape[2:]]

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        taps = [_taps(node, axis, x) for axis, x in zip(axes, reversed(ins), strict=True)]
        batch, channel = position_along(0), position_along(count + 1)
        return _mixed(value, [batch], taps, channel)

    return [LaidOut(map_indexed(places, result, ir.F32Type.get(), compute), last=True)]


def _axis(node: OnnxNode, size: int) -> _Axis:
    if node.attribute("align_corners", 0):
        return _Axis(size, 0.0, size - 1.0)
    return _Axis(size, -0.5, size - 0.5)


def _taps(node: OnnxNode, axis: _Axis, coordinate: ir.Value) -> list[_Tap]:
    """Build the elements along one axis that a coordinate of the grid reads."""
    mode = str(node.attribute("mode", "linear"))
    build = _TAPS.get(_MODES.get(mode, mode))
    border = _BORDERS.get(str(node.attribute("padding_mode", "zeros")))
    if build is None or border is None:
        node.malformed("its mode or padding_mode is unknown")
    raised = scalar.add(coordinate, _f32(1.0))
    if node.attribute("align_corners", 0):
        at = scalar.multiply(scalar.divide(raised, _f32(2.0)), _f32(axis.size - 1.0))
    else:
        scaled = scalar.subtract(scalar.multiply(raised, _f32(float(axis.size))), _f32(1.0))
        at = scalar.divide(scaled, _f32(2.0))
    return build(at, axis, border)


def _nearest(at: ir.Value, axis: _Axis, border: _Border) -> list[_Tap]:
    place = border.limit(mathlib.RoundEvenOp(at).result, axis)
    return [border.tap(arith.FPToSIOp(emit.signless(64), place).result, axis, None)]


def _linear(at: ir.Value, axis: _Axis, border: _Border) -> list[_Tap]:
    start, share = _split(border.limit(at, axis))
    weights = [scalar.subtract(_f32(1.0), share), share]
    return [border.tap(scalar.add_constant(start, i), axis, w) for i, w in enumerate(weights)]


def _cubic(at: ir.Value, axis: _Axis, border: _Border) -> list[_Tap]:
    start, share = _split(border.limit(at, axis))
    rest = scalar.subtract(_f32(1.0), share)
    far = (scalar.add(share, _f32(1.0)), scalar.add(rest, _f32(1.0)))
    weights = [_far_weight(far[0]), _near_weight(share), _near_weight(rest), _far_weight(far[1])]
    return [border.tap(scalar.add_constant(start, i - 1), axis, w) for i, w in enumerate(weights)]


def _split(at: ir.Value) -> tuple[ir.Value, ir.Value]:
    """Build the integer in front of a position, and how far after it the position is."""
    floor = mathlib.FloorOp(at).result
    return arith.FPToSIOp(emit.signless(64), floor).result, scalar.subtract(at, floor)


def _near_weight(d: ir.Value) -> ir.Value:
    """Build the convolution kernel of Keys (1981) for a distance up to 1."""
    line = scalar.subtract(scalar.multiply(_f32(_CUBIC + 2), d), _f32(_CUBIC + 3))
    return scalar.add(scalar.multiply(scalar.multiply(line, d), d), _f32(1.0))


def _far_weight(d: ir.Value) -> ir.Value:
    """Build the kernel for a distance from 1 to 2."""
    total = scalar.subtract(scalar.multiply(_f32(_CUBIC), d), _f32(5 * _CUBIC))
    total = scalar.add(scalar.multiply(total, d), _f32(8 * _CUBIC))
    return scalar.subtract(scalar.multiply(total, d), _f32(4 * _CUBIC))


class _Border(Struct, frozen=True):
    """What is outside of the image: the position that is read, and each element of its taps."""

    limit: Callable[[ir.Value, _Axis], ir.Value]
    tap: Callable[[ir.Value, _Axis, ir.Value | None], _Tap]


def _limited_far(at: ir.Value, axis: _Axis) -> ir.Value:
    return scalar.clamp(at, -_FAR, axis.size + _FAR, ignores_nan=True)


def _limited(at: ir.Value, axis: _Axis) -> ir.Value:
    """Build the nearest element's position; positions within half an element outside stay."""
    limited = scalar.clamp(at, 0, axis.size - 1, ignores_nan=True)
    return arith.SelectOp(_is_inside(at, axis), at, limited).result


def _is_inside(at: ir.Value, axis: _Axis) -> ir.Value:
    floats = arith.CmpFPredicate
    from_low = arith.CmpFOp(floats.OGE, at, _f32(axis.low)).result
    return arith.AndIOp(from_low, arith.CmpFOp(floats.OLE, at, _f32(axis.high)).result).result


def _reflected(at: ir.Value, axis: _Axis) -> ir.Value:
    """Build the position inside, mirrored at each border that lies between."""
    length = axis.high - axis.low
    if length <= 0:
        return _f32(axis.low)
    distance = mathlib.AbsFOp(scalar.subtract(at, _f32(axis.low))).result
    turns = mathlib.FloorOp(scalar.divide(distance, _f32(length))).result
    rest = scalar.subtract(distance, scalar.multiply(turns, _f32(length)))
    half = scalar.multiply(turns, _f32(0.5))
    is_odd = arith.CmpFOp(arith.CmpFPredicate.UNE, mathlib.FloorOp(half).result, half).result
    forwards = scalar.add(_f32(axis.low), rest)
    backwards = scalar.subtract(_f32(axis.high), rest)
    mirrored = arith.SelectOp(is_odd, backwards, forwards).result
    return arith.SelectOp(_is_inside(at, axis), at, mirrored).result


def _zero_tap(at: ir.Value, axis: _Axis, weight: ir.Value | None) -> _Tap:
    inside = scalar.clamp(at, 0, axis.size - 1)
    is_inside = arith.CmpIOp(arith.CmpIPredicate.eq, inside, at).result
    return _Tap(_index(inside), is_inside, weight)


def _border_tap(at: ir.Value, axis: _Axis, weight: ir.Value | None) -> _Tap:
    return _Tap(_index(scalar.clamp(at, 0, axis.size - 1)), None, weight)


def _reflected_tap(at: ir.Value, axis: _Axis, weight: ir.Value | None) -> _Tap:
    place = _reflected(arith.SIToFPOp(ir.F32Type.get(), at).result, axis)
    return _border_tap(arith.FPToSIOp(emit.signless(64), place).result, axis, weight)


_TAPS: dict[str, Callable[[ir.Value, _Axis, _Border], list[_Tap]]] = {
    "nearest": _nearest,
    "linear": _linear,
    "cubic": _cubic,
}
_BORDERS = {
    "zeros": _Border(_limited_far, _zero_tap),
    "border": _Border(_limited, _border_tap),
    "reflection": _Border(_reflected, _reflected_tap),
}


def _mixed(
    value: ir.Value, outer: list[ir.Value], taps: Sequence[list[_Tap]], channel: ir.Value
) -> ir.Value:
    """Build the weighted sum over the axes, the last one innermost."""
    if not taps:
        return tensor.ExtractOp(value, [*outer, channel]).result
    first, *rest = taps
    total: ir.Value | None = None
    for tap in first:
        term = _mixed(value, [*outer, tap.index], rest, channel)
        if tap.is_inside is not None:
            term = arith.SelectOp(tap.is_inside, term, _f32(0.0)).result
        if tap.weight is not None:
            term = scalar.multiply(term, tap.weight)
        total = term if total is None else scalar.add(total, term)
    assert total is not None
    return total


@onnx_operator("AffineGrid")
def affine_grid(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower the products of matrices with the coordinates of each position."""
    node.expect_floats(0)
    batch, _, *sizes = node.integers(1)
    count = len(sizes)
    if count not in (2, 3) or node.shape(0) != (batch, count, count + 1):
        node.malformed(f"matrices of shape {list(node.shape(0))} for a size of {sizes}")
    n, *places, row = (ir.AffineExpr.get_dim(i) for i in range(count + 2))
    theta = node.value(0)
    operands = [(theta, [n, row, ir.AffineExpr.get_constant(i)]) for i in range(count + 1)]
    steps = [_coordinates(size, node.attribute("align_corners", 0)) for size in sizes]
    operands += [(emit.tosa_constant(s), [d]) for s, d in zip(steps, places, strict=True)]

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        *factors, offset = ins[: count + 1]
        total = offset
        for factor, coordinate in zip(factors, reversed(ins[count + 1 :]), strict=True):
            total = scalar.add(total, scalar.multiply(factor, coordinate))
        return total

    return [LaidOut(map_indexed(operands, (batch, *sizes, count), ir.F32Type.get(), compute))]


def _coordinates(size: int, align_corners: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """Return the coordinate of each position, from -1 to 1."""
    if align_corners:
        return np.linspace(-1, 1, size, dtype=np.float32)
    return ((2 * np.arange(size) + 1) / size - 1).astype(np.float32)


def _index(at: ir.Value) -> ir.Value:
    return arith.IndexCastOp(ir.IndexType.get(), at).result


def _f32(value: float) -> ir.Value:
    return scalar.scalar_constant(float(np.float32(value)), ir.F32Type.get())
