"""Rows of float32 that are stored as int8 at run time, each with a factor of its own.

    symmetric:   largest = max(|x|)
                 factor  = largest / 127
                 stored  = round(x * (127 / largest))
    asymmetric:  low, high = min(0, min(x)), max(0, max(x))
                 factor  = (high - low) / 255                   computed in f64
                 zero    = -128 - low / factor, rounded         computed in f64
                 stored  = round(zero + x / factor)

A row of zeros has the factor 1.
Source: LiteRT `portable_tensor_utils.cc` (`PortableSymmetricQuantizeFloats`,
`PortableAsymmetricQuantizeFloats`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith
from mlir.dialects import math as mathlib
from msgspec import Struct

from forebay.frontends.elementwise import map_elements
from forebay.frontends.tflite.lowering import emit
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.rows import reduce_rows

_LARGEST = 127.0
_LOWEST, _HIGHEST = -128, 127


class QuantisedRows(Struct, frozen=True, eq=False):
    """Stored elements `[..., depth]`, with a factor and, if asymmetric, a zero point `[...]`."""

    stored: ir.Value
    factors: ir.Value
    zeros: ir.Value | None

    def reshaped(self, shape: Sequence[int]) -> QuantisedRows:
        """Return the same rows with elements of that shape, whose last dimension is a row."""
        zeros = self.zeros and emit.tosa_reshape(self.zeros, shape[:-1])
        factors = emit.tosa_reshape(self.factors, shape[:-1])
        return QuantisedRows(emit.tosa_reshape(self.stored, shape), factors, zeros)


def quantised_rows(value: ir.Value, *, is_asymmetric: bool) -> QuantisedRows:
    """Build the quantisation of each row along the last dimension."""
    shape = emit.static_shape_of(value)
    depth = shape[-1]
    rows = emit.tosa_reshape(value, (math.prod(shape[:-1]), depth))
    return (_asymmetric if is_asymmetric else _symmetric)(rows).reshaped(shape)


def _symmetric(value: ir.Value) -> QuantisedRows:
    rows, depth = emit.static_shape_of(value)
    largest = reduce_rows("largest", value, 0.0, _larger_magnitude)
    column = emit.tosa_reshape(largest, (rows, 1))
    stored = map_elements([value, column], (rows, depth), emit.signless(8), _symmetric_value)
    factors = map_elements(
        [largest], (rows,), ir.F32Type.get(), lambda ins: _symmetric_factor(ins[0])
    )
    return QuantisedRows(stored, factors, None)


def _asymmetric(value: ir.Value) -> QuantisedRows:
    rows, depth = emit.static_shape_of(value)
    low = reduce_rows("lowest", value, 0.0, scalar.at_most)
    high = reduce_rows("highest", value, 0.0, scalar.at_least)
    factors = map_elements([low, high], (rows,), ir.F32Type.get(), _factor)
    zeros = map_elements([low, high], (rows,), scalar.i32(), _zero_point)
    columns = [emit.tosa_reshape(t, (rows, 1)) for t in (factors, zeros)]
    stored = map_elements([value, *columns], (rows, depth), emit.signless(8), _stored)
    return QuantisedRows(stored, factors, zeros)


def _larger_magnitude(largest: ir.Value, x: ir.Value) -> ir.Value:
    return scalar.at_least(largest, mathlib.AbsFOp(x).result)


def _symmetric_value(ins: Sequence[ir.Value]) -> ir.Value:
    """Return the int8 value of an element, from it and the largest magnitude of its row."""
    x, largest = ins
    used = arith.SelectOp(_is_zero(largest), _number(1.0, x.type), largest).result
    inverse = scalar.divide(_number(_LARGEST, x.type), used)
    rounded = mathlib.RoundOp(scalar.multiply(x, inverse)).result
    limited = scalar.clamp(rounded, -_LARGEST, _LARGEST)
    return scalar.narrow(arith.FPToSIOp(scalar.i32(), limited).result, emit.signless(8))


def _symmetric_factor(largest: ir.Value) -> ir.Value:
    range_ = scalar.divide(largest, _number(_LARGEST, largest.type))
    return arith.SelectOp(_is_zero(largest), _number(1.0, largest.type), range_).result


def _is_zero(value: ir.Value) -> ir.Value:
    return arith.CmpFOp(arith.CmpFPredicate.OEQ, value, _number(0.0, value.type)).result


def _factor(ins: Sequence[ir.Value]) -> ir.Value:
    low, high = ins
    narrowed = arith.TruncFOp(ir.F32Type.get(), _range(low, high)).result
    return arith.SelectOp(_are_equal(low, high), _number(1.0, narrowed.type), narrowed).result


def _zero_point(ins: Sequence[ir.Value]) -> ir.Value:
    """Return the zero point, from that bound of the two that gives the smaller error."""
    scale = _range(*ins)
    low, high = (scalar.divide(_wide(bound), scale) for bound in ins)
    kind = low.type
    below, above = (
        arith.SubFOp(_number(limit, kind), bound).result
        for limit, bound in ((_LOWEST, low), (_HIGHEST, high))
    )
    errors = [
        scalar.add(_number(abs(limit), kind), mathlib.AbsFOp(bound).result)
        for limit, bound in ((_LOWEST, low), (_HIGHEST, high))
    ]
    is_below = arith.CmpFOp(arith.CmpFPredicate.OLT, *errors).result
    exact = arith.SelectOp(is_below, below, above).result
    used = arith.SelectOp(_are_equal(*ins), _number(0, kind), exact).result
    limited = scalar.clamp(mathlib.RoundOp(used).result, _LOWEST, _HIGHEST)
    return arith.FPToSIOp(scalar.i32(), limited).result


def _stored(ins: Sequence[ir.Value]) -> ir.Value:
    x, factor, zero = ins
    f32 = ir.F32Type.get()
    wide = scalar.divide(_number(1.0, ir.F64Type.get()), _wide(factor))
    inverse = arith.TruncFOp(f32, wide).result
    offset = arith.SIToFPOp(f32, zero).result
    rounded = mathlib.RoundOp(scalar.add(offset, scalar.multiply(x, inverse))).result
    limited = scalar.clamp(rounded, _LOWEST, _HIGHEST)
    return scalar.narrow(arith.FPToSIOp(scalar.i32(), limited).result, emit.signless(8))


def _range(low: ir.Value, high: ir.Value) -> ir.Value:
    width = arith.SubFOp(_wide(high), _wide(low)).result
    return scalar.divide(width, _number(_HIGHEST - _LOWEST, width.type))


def _are_equal(low: ir.Value, high: ir.Value) -> ir.Value:
    return arith.CmpFOp(arith.CmpFPredicate.OEQ, low, high).result


def _wide(value: ir.Value) -> ir.Value:
    return arith.ExtFOp(ir.F64Type.get(), value).result


def _number(value: float, type_: ir.Type) -> ir.Value:
    return scalar.scalar_constant(float(value), type_)
