"""Rescale sums of integers to stored integers, rounded once, halves to even.

The result is `round(sum * factor) + zero point` with an exact factor. Three forms compute it:

* TOSA's RESCALE with single rounding (halves up), where no sum that can occur gives a half. With
  the factor n / d in lowest terms, `sum * n / d` is a half only if d is even and d / 2 divides the
  sum, so none does if d / 2 is above the largest sum.
* The same in 64-bit integers with halves to even, where 31 bits represent the factor.
* A division of floats that represent `sum * n` and d, where halves are exact and all others stay
  apart from them.

In the first form the factor is rounded to 31 bits. All factors of QLinearConv have 24.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from mlir import ir
from mlir.dialects import arith, math, tosa
from msgspec import Struct
from numpy.typing import NDArray

from forebay.frontends import tosa as emit
from forebay.frontends.elementwise import map_elements
from forebay.frontends.onnx.lowering.node import HALF, OnnxNode
from forebay.frontends.onnx.model.graph import OnnxQuantization
from forebay.lowering.kernels import scalar

_BITS = 31
_LARGEST_SHIFT = 62
_SMALLEST_SHIFT = 2


class FixedPoint(Struct, frozen=True):
    """The number `significand / 2**shift`, in TOSA's form."""

    significand: int
    shift: int

    @property
    def value(self) -> Fraction:
        """The number."""
        return Fraction(self.significand, 1 << self.shift)


def fixed_point(factor: Fraction) -> FixedPoint:
    """Return the closest number with a significand of 31 bits; a factor below 2**-32 becomes 0."""
    if factor <= 0:
        return FixedPoint(0, _BITS)
    exponent = factor.numerator.bit_length() - factor.denominator.bit_length()
    if Fraction(2) ** exponent > factor:
        exponent -= 1
    shift = _BITS - 1 - exponent
    significand = round(factor * Fraction(2) ** shift)
    if significand == 1 << _BITS:
        significand, shift = significand // 2, shift - 1
    return FixedPoint(significand, shift) if shift <= _LARGEST_SHIFT else FixedPoint(0, _BITS)


def gives_half(factor: Fraction, reach: int) -> bool:
    """Return whether an integer in `[-reach, reach]` times the factor can be a half."""
    d = factor.denominator
    return d % 2 == 0 and d // 2 <= reach


def stored_zero_point(quantization: OnnxQuantization) -> int:
    """Return the zero point of the integers that the compiler stores."""
    zero_point = int(quantization.zero_point.reshape(-1)[0])
    return zero_point - HALF if quantization.dtype == np.uint8 else zero_point


def product_factors(node: OnnxNode) -> list[Fraction]:
    """Return `scale of a * scale of b / scale of the result`: one, or one per channel."""
    target = node.target
    if target is None:
        node.malformed("it has no quantisation")
    a, b, y = (q.scale.reshape(-1) for q in (node.source(0), node.source(1), target))
    if node.operator.has_single_factor:
        return [Fraction(float(f)) for f in np.asarray(a * b / y, np.float32)]
    first, last = Fraction(float(a[0])), Fraction(float(y[0]))
    return [first * Fraction(float(scale)) / last for scale in b]


def rescaled_to_target(
    node: OnnxNode, sums: ir.Value, factors: Sequence[Fraction], reaches: Sequence[int]
) -> ir.Value:
    """Build the stored result of sums of int32, whose channels are last.

    There is one factor, or one per channel. `reaches` are the largest magnitudes of the sums of
    the channels.
    """
    target = node.target
    if target is None:
        node.malformed("it has no quantisation")
    if len(factors) == 1:
        reaches = [max(reaches)]
    if max(reaches) >= 1 << 31:
        node.refuse(f"sums up to {max(reaches):,}, which leave 32 bits", "use smaller products")
    fixed = [fixed_point(factor) for factor in factors]
    for by, factor, reach in zip(fixed, factors, reaches, strict=True):
        if by.shift < _SMALLEST_SHIFT or (by.significand and reach >= 1 << (by.shift - 1)):
            node.refuse(f"a rescaling by {float(factor):g}", "check the scales of its tensors")
    pairs = list(zip(factors, reaches, strict=True))
    zero_point = stored_zero_point(target)
    if not any(gives_half(factor, reach) for factor, reach in pairs):
        value = _rescaled(sums, fixed, zero_point)
    elif all(by.value == factor for by, factor in zip(fixed, factors, strict=True)):
        # QLinearConv and QLinearMatMul add the zero point before they round.
        before = zero_point if node.operator.has_single_factor else 0
        value = _halves_to_even(sums, fixed, before, zero_point - before)
    else:
        value = _divided(node, sums, pairs, zero_point)
    return bounded(node, value)


def bounded(node: OnnxNode, value: ir.Value) -> ir.Value:
    """Limit stored integers to the bounds of the operator."""
    bounds = node.operator.bounds
    if bounds is None or node.target is None:
        return value
    low, high = (_stored(bound, node.target) for bound in bounds)
    if (low, high) == (-HALF, HALF - 1):
        return value
    return emit.clamp_integer(value, low, high)


def _stored(real: float, quantization: OnnxQuantization) -> int:
    """Return QuantizeLinear of a number."""
    if real in (float("inf"), float("-inf")):
        return HALF - 1 if real > 0 else -HALF
    scaled = float(np.rint(np.float32(real) / np.float32(quantization.scale.reshape(-1)[0])))
    return int(max(-HALF, min(HALF - 1, scaled + stored_zero_point(quantization))))


def _rescaled(sums: ir.Value, by: Sequence[FixedPoint], zero_point: int) -> ir.Value:
    i8 = emit.signless(8)
    return tosa.RescaleOp(
        emit.tensor_type(emit.static_shape_of(sums), i8),
        sums,
        emit.tosa_constant(np.array([b.significand for b in by], np.int32)),
        emit.tosa_constant(np.array([b.shift for b in by], np.int8)),
        emit.tosa_zero_point(0, emit.signless(32)),
        emit.tosa_zero_point(zero_point, i8),
        True,
        ir.Attribute.parse("#tosa.rounding_mode<SINGLE_ROUND>"),
        len(by) > 1,
        False,
        False,
    ).result


def _halves_to_even(sums: ir.Value, by: Sequence[FixedPoint], before: int, after: int) -> ir.Value:
    """Build the rounded value of `sum * factor + before`, plus `after`.

    With p / 2**s for the number, it is `floor(p / 2**s + 1/2)`, less 1 if that is odd and the
    number is a half. What is added before decides which integers are even.
    """
    i64 = emit.signless(64)
    # Common factors of two do not change the number, and keep the shift below 63 bits.
    small = [_reduced(b) for b in by]
    significands = np.array([b.significand for b in small], np.int32)
    shifts = np.array([b.shift for b in small], np.int32)

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        value, factor, shift = (arith.ExtSIOp(i64, x).result for x in ins)
        one = scalar.scalar_constant(1, i64)
        offset = arith.ShLIOp(scalar.scalar_constant(before, i64), shift).result
        product = scalar.add(scalar.multiply(value, factor), offset)
        odd = arith.AndIOp(arith.ShRSIOp(product, shift).result, one).result
        # Below a half, by one if the integer part is even, so that only odd ones round a half up.
        below = scalar.subtract(arith.ShLIOp(one, scalar.subtract(shift, one)).result, one)
        rounded = arith.ShRSIOp(scalar.add(scalar.add(product, below), odd), shift).result
        shifted = scalar.add_constant(rounded, after)
        return scalar.narrow(scalar.clamp(shifted, -HALF, HALF - 1), emit.signless(8))

    operands = [sums, emit.tosa_constant(significands), emit.tosa_constant(shifts)]
    return map_elements(operands, emit.static_shape_of(sums), emit.signless(8), compute)


def _reduced(by: FixedPoint) -> FixedPoint:
    twos = (by.significand & -by.significand).bit_length() - 1
    shared = max(0, min(twos, by.shift - 1))
    return FixedPoint(by.significand >> shared, by.shift - shared)


def _divided(
    node: OnnxNode, sums: ir.Value, pairs: Sequence[tuple[Fraction, int]], zero_point: int
) -> ir.Value:
    """Build `round(sum * n / d)` in the smallest float type whose quotients stay apart."""
    largest = max(reach * factor.numerator for factor, reach in pairs)
    denominator = max(factor.denominator for factor, _ in pairs)
    # A quotient below 2**8 that is no half is 1 / (2 d) away from one, at least.
    if largest < 1 << 24 and denominator < 1 << 15:
        element, dtype = ir.F32Type.get(), np.float32
    elif largest < 1 << 53 and denominator < 1 << 43:
        element, dtype = ir.F64Type.get(), np.float64
    else:
        node.refuse("scales whose ratio gives inexact halves", "use scales of fewer digits")
    numerators = np.array([f.numerator for f, _ in pairs], dtype)
    denominators = np.array([f.denominator for f, _ in pairs], dtype)

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        exact = scalar.multiply(arith.SIToFPOp(element, ins[0]).result, ins[1])
        quotient = scalar.divide(exact, ins[2])
        return quantised_real(quotient, zero_point)

    operands = [sums, emit.tosa_constant(numerators), emit.tosa_constant(denominators)]
    return map_elements(operands, emit.static_shape_of(sums), emit.signless(8), compute)


def quantised_real(real: ir.Value, zero_point: int, bits: int = 8) -> ir.Value:
    """Build the stored integer of a scaled number: halves to even, within some bits."""
    rounded = math.RoundEvenOp(real).result
    half = 1 << (bits - 1)
    low, high = (
        scalar.scalar_constant(limit - zero_point, real.type) for limit in (-half, half - 1)
    )
    limited = arith.MinNumFOp(arith.MaxNumFOp(rounded, low).result, high).result
    integer = arith.FPToSIOp(emit.signless(32), limited).result
    return scalar.narrow(scalar.add_constant(integer, zero_point), emit.signless(bits))


def reach_of(
    weights: NDArray[np.int64], source: OnnxQuantization, bias: NDArray[np.generic] | None
) -> list[int]:
    """Return the largest magnitude of each row's sum of products, over all stored inputs.

    `weights` have no zero point, a row for each channel.
    """
    limits = np.iinfo(source.dtype)
    zero_point = int(source.zero_point.reshape(-1)[0])
    above, below = int(limits.max) - zero_point, zero_point - int(limits.min)
    positive, negative = weights.clip(min=0).sum(1), (-weights).clip(min=0).sum(1)
    offset = bias.astype(np.int64) if bias is not None else np.zeros(len(weights), np.int64)
    largest = positive * above + negative * below + offset
    smallest = positive * below + negative * above - offset
    return np.maximum(np.maximum(largest, smallest), 0).tolist()
