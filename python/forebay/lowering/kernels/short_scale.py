"""Requantisation in few operations, where the ranges of its operands are known.

A product is rounded to 32 bits, and a shift rounds halves away from zero: the bits of
`tosa.apply_scale` with double rounding for small values and no shift to the left.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mlir import ir
from mlir.dialects import arith, tosa, vector

from forebay.dialects.accel import StoreRescaledOp
from forebay.ir.memory.ranges_arith import (
    SHORT_SHIFT,
    SHORT_SHIFT_OF_LANES,
    SHORT_VALUE,
    RangeOf,
)
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.vector_sums import splat_of

_HALF = 1 << 31
"""Half of what is rounded off the product."""


def shorten_scales(ops: Iterable[ir.OpView], range_of: RangeOf) -> None:
    """Replace each requantisation whose operands have small ranges by arithmetic.

    All ranges are computed before the first op changes, because values are their keys.
    """
    found = list(ops)
    scales = [op for op in found if isinstance(op, tosa.ApplyScaleOp) and _is_short(op, range_of)]
    stores = [op for op in found if isinstance(op, StoreRescaledOp) and _is_small(op, range_of)]
    for op in scales:
        with ir.InsertionPoint(op), op.location:
            op.output.replace_all_uses_with(_scaled(op))
        op.operation.erase()
    for op in stores:
        with ir.InsertionPoint(op), op.location:
            _store(op)
        op.operation.erase()


def _is_short(op: tosa.ApplyScaleOp, range_of: RangeOf) -> bool:
    is_double = op.rounding_mode == ir.Attribute.parse("#tosa.rounding_mode<DOUBLE_ROUND>")
    is_word = op.value.type == scalar.i32() and op.multiplier.type == scalar.i32()
    is_known = is_double and is_word
    return is_known and range_of(op.value) in SHORT_VALUE and range_of(op.shift) in SHORT_SHIFT


def _is_small(op: StoreRescaledOp, range_of: RangeOf) -> bool:
    has_pairs = ir.VectorType(op.sum.type).shape[0] % 2 == 0
    is_small = has_pairs and range_of(op.sum) in SHORT_VALUE
    return is_small and range_of(op.shift) in SHORT_SHIFT_OF_LANES


def _scaled(op: tosa.ApplyScaleOp) -> ir.Value:
    wide, type_ = ir.IntegerType.get_signless(64), scalar.i32()
    one, other = (arith.ExtSIOp(wide, own).result for own in (op.value, op.multiplier))
    product = scalar.multiply(scalar.scaled(one, 2), other)
    high = _shifted(scalar.add_constant(product, _HALF), scalar.scalar_constant(32, wide))
    rounded = arith.TruncIOp(type_, high).result
    sign = _shifted(rounded, scalar.scalar_constant(31, type_))
    bits = scalar.add_constant(scalar.widen(op.shift), -32)
    result = _shifted(scalar.add(rounded, sign), bits)
    last = scalar.scalar_constant(1, type_)
    return _shifted(scalar.add(result, last), last)


def _store(op: StoreRescaledOp) -> None:
    """Store lanes; the zero point is added to twice the result, before it is rounded."""
    type_ = ir.VectorType(op.sum.type)
    rounded = _products(op.sum, op.multiplier, type_)
    sign = _shifted(rounded, splat_of(type_, 31))
    bits = arith.AddIOp(op.shift, splat_of(type_, -32)).result
    twice = _shifted(arith.AddIOp(rounded, sign).result, bits)
    moved = arith.AddIOp(twice, splat_of(type_, 2 * op.zero_point.value + 1)).result
    result = _shifted(moved, splat_of(type_, 1))
    raised = arith.MaxSIOp(result, splat_of(type_, op.low.value)).result
    limited = arith.MinSIOp(raised, splat_of(type_, op.high.value)).result
    bytes_ = ir.VectorType.get(type_.shape, ir.IntegerType.get_signless(8))
    vector.StoreOp(arith.TruncIOp(bytes_, limited).result, op.base, op.indices)


def _products(value: ir.Value, multiplier: ir.Value, type_: ir.VectorType) -> ir.Value:
    """Return the upper halves of twice the products, rounded.

    Even lanes and odd ones are multiplied on their own, each in the place of two lanes.
    """
    (lanes,) = type_.shape
    wide = ir.VectorType.get([lanes // 2], ir.IntegerType.get_signless(64))
    distance, half = splat_of(wide, 32), splat_of(wide, _HALF)
    twice = arith.AddIOp(value, value).result
    pairs = [vector.BitCastOp(wide, own).result for own in (twice, multiplier)]
    low = [arith.ShLIOp(own, distance).result for own in pairs]
    highs: list[ir.Value] = []
    for one, other in ((low[0], low[1]), (pairs[0], pairs[1])):
        product = arith.MulIOp(_shifted(one, distance), _shifted(other, distance)).result
        highs.append(vector.BitCastOp(type_, arith.AddIOp(product, half).result).result)
    chosen = [lane | 1 if lane % 2 == 0 else lane + lanes for lane in range(lanes)]
    return vector.ShuffleOp(highs[0], highs[1], chosen).result


def _shifted(value: Any, bits: Any) -> ir.Value:
    return arith.ShRSIOp(value, bits).result
