"""Requantisation in few operations, where the ranges of its operands are known.

A product is rounded to 32 bits, and a shift rounds halves away from zero: the bits of
`tosa.apply_scale` with double rounding for small values and no shift to the left.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mlir import ir
from mlir.dialects import arith, tosa, vector
from msgspec import Struct

from forebay.dialects.accel import StoreRescaledOp
from forebay.ir.memory.ranges_arith import (
    SHORT_SHIFT,
    SHORT_SHIFT_OF_LANES,
    SHORT_VALUE,
    RangeOf,
)
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.vector_features import VectorFeatures
from forebay.lowering.kernels.vector_sums import splat_of

_HALF = 1 << 31
"""Half of what is rounded off the product."""


_ROUNDED_PRODUCT = "llvm.aarch64.neon.sqrdmulh.v4i32"
_ROUNDED_SHIFT = "llvm.aarch64.neon.srshl.v4i32"
_NEON_LANES = 4
"""Elements of 32 bits in a register of 128 bits."""


def shorten_scales(ops: Iterable[ir.OpView], range_of: RangeOf, features: VectorFeatures) -> None:
    """Replace each requantisation whose operands have small ranges by arithmetic.

    Vectors may use the `features`. All ranges are computed before the first op changes, because
    values are their keys.
    """
    found = list(ops)
    scales = [op for op in found if isinstance(op, tosa.ApplyScaleOp) and _is_short(op, range_of)]
    stores = [op for op in found if isinstance(op, StoreRescaledOp) and _is_small(op, range_of)]
    for op in scales:
        with ir.InsertionPoint(op), op.location:
            is_vector = isinstance(op.value.type, ir.VectorType)
            op.output.replace_all_uses_with(_lanes_of(op, features) if is_vector else _scaled(op))
        op.operation.erase()
    for op in stores:
        with ir.InsertionPoint(op), op.location:
            _store(op, features)
        op.operation.erase()


def _is_short(op: tosa.ApplyScaleOp, range_of: RangeOf) -> bool:
    is_double = op.rounding_mode == ir.Attribute.parse("#tosa.rounding_mode<DOUBLE_ROUND>")
    is_known = is_double and op.value.type == op.multiplier.type and _is_word(op.value.type)
    return is_known and range_of(op.value) in SHORT_VALUE and range_of(op.shift) in SHORT_SHIFT


def _is_word(type_: ir.Type) -> bool:
    """Return whether a type is that of a number of 32 bits, or of pairs of them."""
    if isinstance(type_, ir.VectorType):
        return type_.element_type == scalar.i32() and type_.rank == 1 and type_.shape[0] % 2 == 0
    return type_ == scalar.i32()


def _is_small(op: StoreRescaledOp, range_of: RangeOf) -> bool:
    is_small = _is_word(op.sum.type) and range_of(op.sum) in SHORT_VALUE
    return is_small and range_of(op.shift) in SHORT_SHIFT_OF_LANES


def _scaled(op: tosa.ApplyScaleOp) -> ir.Value:
    wide, type_ = ir.IntegerType.get_signless(64), scalar.i32()
    one, other = (arith.ExtSIOp(wide, value).result for value in (op.value, op.multiplier))
    product = scalar.multiply(scalar.scaled(one, 2), other)
    high = _shifted(scalar.add_constant(product, _HALF), scalar.scalar_constant(32, wide))
    rounded = arith.TruncIOp(type_, high).result
    sign = _shifted(rounded, scalar.scalar_constant(31, type_))
    bits = scalar.add_constant(scalar.widen(op.shift), -32)
    result = _shifted(scalar.add(rounded, sign), bits)
    last = scalar.scalar_constant(1, type_)
    return _shifted(scalar.add(result, last), last)


def _lanes_of(op: tosa.ApplyScaleOp, features: VectorFeatures) -> ir.Value:
    """Return the requantised lanes of a vector."""
    type_ = ir.VectorType(op.value.type)
    shift = arith.ExtSIOp(type_, op.shift).result
    return _rounded_lanes(_Lanes(op.value, op.multiplier, shift), 0, features, is_limited=False)


def _store(op: StoreRescaledOp, features: VectorFeatures) -> None:
    """Store lanes.

    Halves below zero are rounded up where a limit replaces all results below zero.
    """
    type_ = ir.VectorType(op.sum.type)
    zero_point, low = op.zero_point.value, op.low.value
    lanes = _Lanes(op.sum, op.multiplier, op.shift)
    result = _rounded_lanes(lanes, zero_point, features, is_limited=zero_point <= low)
    raised = arith.MaxSIOp(result, splat_of(type_, low)).result
    limited = arith.MinSIOp(raised, splat_of(type_, op.high.value)).result
    bytes_ = ir.VectorType.get(type_.shape, ir.IntegerType.get_signless(8))
    vector.StoreOp(arith.TruncIOp(bytes_, limited).result, op.base, op.indices)


class _Lanes(Struct, frozen=True):
    """The operands of a requantisation of vectors, each of 32 bits."""

    value: ir.Value
    multiplier: ir.Value
    shift: ir.Value

    @property
    def type_(self) -> ir.VectorType:
        return ir.VectorType(self.value.type)


def _rounded_lanes(
    lanes: _Lanes, zero_point: int, features: VectorFeatures, *, is_limited: bool
) -> ir.Value:
    """Return requantised lanes plus a zero point, with halves below zero rounded up if limited."""
    type_ = lanes.type_
    has_parts = features.rounded_products and type_.shape[0] % _NEON_LANES == 0
    one, other = lanes.value, lanes.multiplier
    rounded = _by_parts(_ROUNDED_PRODUCT, one, other) if has_parts else _products(one, other, type_)
    if not is_limited:
        rounded = arith.AddIOp(rounded, _shifted(rounded, splat_of(type_, 31))).result
    if has_parts:
        bits = arith.SubIOp(splat_of(type_, 31), lanes.shift).result
        result = _by_parts(_ROUNDED_SHIFT, rounded, bits)
        return arith.AddIOp(result, splat_of(type_, zero_point)).result
    # The zero point is added to twice the result, before it is rounded.
    bits = arith.AddIOp(lanes.shift, splat_of(type_, -32)).result
    moved = arith.AddIOp(_shifted(rounded, bits), splat_of(type_, 2 * zero_point + 1)).result
    return _shifted(moved, splat_of(type_, 1))


def _by_parts(name: str, one: ir.Value, other: ir.Value) -> ir.Value:
    """Return the results of an intrinsic on 4 lanes, for all lanes of two vectors."""
    from mlir.dialects import llvm  # noqa: PLC0415  (loads in 11 ms)

    (count,) = ir.VectorType(one.type).shape
    part = ir.VectorType.get([_NEON_LANES], scalar.i32())
    symbol = ir.StringAttr.get(name)
    result: ir.Value | None = None
    for start in range(0, count, _NEON_LANES):
        offset, sizes = ir.ArrayAttr.get([_i64(start)]), ir.ArrayAttr.get([_i64(_NEON_LANES)])
        strides = ir.ArrayAttr.get([_i64(1)])
        own = [
            vector.ExtractStridedSliceOp(part, value, offset, sizes, strides).result
            for value in (one, other)
        ]
        found = llvm.CallIntrinsicOp(part, symbol, own, [], []).results[0]
        into = splat_of(one.type, 0) if result is None else result
        result = vector.InsertStridedSliceOp(found, into, offset, strides).result
    assert result is not None, "a vector has lanes"
    return result


def _i64(value: int) -> ir.Attribute:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)


def _products(value: ir.Value, multiplier: ir.Value, type_: ir.VectorType) -> ir.Value:
    """Return the upper halves of twice the products, rounded.

    Even lanes and odd ones are multiplied on their own, each in the place of two lanes.
    """
    (lanes,) = type_.shape
    wide = ir.VectorType.get([lanes // 2], ir.IntegerType.get_signless(64))
    distance, half = splat_of(wide, 32), splat_of(wide, _HALF)
    twice = arith.AddIOp(value, value).result
    pairs = [vector.BitCastOp(wide, value).result for value in (twice, multiplier)]
    low = [arith.ShLIOp(pair, distance).result for pair in pairs]
    highs: list[ir.Value] = []
    for one, other in ((low[0], low[1]), (pairs[0], pairs[1])):
        product = arith.MulIOp(_shifted(one, distance), _shifted(other, distance)).result
        highs.append(vector.BitCastOp(type_, arith.AddIOp(product, half).result).result)
    chosen = [lane | 1 if lane % 2 == 0 else lane + lanes for lane in range(lanes)]
    return vector.ShuffleOp(highs[0], highs[1], chosen).result


def _shifted(value: Any, bits: Any) -> ir.Value:
    return arith.ShRSIOp(value, bits).result
