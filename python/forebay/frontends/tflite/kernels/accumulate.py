"""Sums of products as `accel.reduce`, where no TOSA op gives the bits or the operands in place.

TOSA has no groups, no products of broadcast batches, and sums of int16 only in 48 bits, which no
memory holds. The access maps of `accel.reduce` express the first two without copies, and its
accumulator has the width that the sum needs.

    int8:    acc i32 = bias + sum((a - zero point) * (b - zero point)), rescaled with two roundings
    int16:   acc i64 = bias + sum(a * b), or i32 where no input leaves it, rescaled once by 16 bits
    float32: acc f32 = sum(a * b), then + bias

Sources: TFLite Micro `reference/integer_ops/conv.h`, `fully_connected.h`, `transpose_conv.h`, and
both forms of `MultiplyByQuantizedMultiplier` in `common.cc`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith, tosa
from msgspec import Struct
from numpy.typing import NDArray

from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.activation import activation_bounds
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.quantize import Multiplier
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceKernel,
    ReduceOperand,
    Scalars,
    build_reduce,
)

_REDUCED_BITS = 15
"""The fraction bits of the multipliers that scale 64-bit sums."""


class Product(Struct, frozen=True, eq=False):
    """Two operands over a domain; `channel` selects the bias and the factor."""

    domain: KernelDomain
    a: ReduceOperand
    b: ReduceOperand
    channel: ir.AffineExpr
    out: tuple[ir.AffineExpr, ...]
    zero_points: tuple[int, int] = (0, 0)
    bias: NDArray[np.generic] | None = None
    factors: Sequence[Multiplier] = ()
    wide: bool = False
    """Whether the sum, rescaled by 16 bits of the factor, needs 64 bits in TFLite."""
    reach: int = 0
    """The largest magnitude of a sum."""


class StoredAs(Struct, frozen=True):
    """The stored form of a result: its type, its zero point, and the bounds of its activation."""

    element: ElementType
    zero_point: int = 0
    bounds: tuple[float, float] | None = None


def sum_of_products(
    node: Node, product: Product, shape: Sequence[int], activation: int = 0
) -> ir.Value:
    """Build the operator's result of that shape, clamped by the fused activation."""
    element = node.output.type
    zero_point = node.quantization(node.output).zero_point if element.is_quantised else 0
    bounds = activation_bounds(node, activation)
    return accumulate(product, shape, StoredAs(element, zero_point, bounds))


class Followed(Struct, frozen=True, eq=False):
    """A computation on a result and an element of another tensor, before the result is stored."""

    operand: ReduceOperand
    compute: Callable[[ir.Value, ir.Value], ir.Value]


def accumulate(
    product: Product, shape: Sequence[int], to: StoredAs, then: Followed | None = None
) -> ir.Value:
    """Build the sum of products over the domain, stored in that form."""
    is_float = to.element is ElementType.FLOAT32
    narrow = not product.wide or product.reach < 1 << 31
    width = scalar.i32() if narrow else emit.signless(64)
    accumulator = ir.F32Type.get() if is_float else width
    bias = _bias(product, accumulator)
    factors = [] if is_float else _factor_operands(product)
    after = [then.operand] if then else []
    bounds = to.bounds

    def init(params: Scalars) -> Scalars:
        starts_at_bias = bool(bias) and not is_float
        return [params[0] if starts_at_bias else scalar.scalar_constant(0, accumulator)]

    def body(accumulators: Scalars, ins: Scalars) -> Scalars:
        terms = ins
        if not is_float:
            pairs = zip(ins, product.zero_points, strict=True)
            terms = [scalar.add_constant(scalar.widen(x), -zero) for x, zero in pairs]
        term = scalar.multiply(*terms)
        return [scalar.add(accumulators[0], term if is_float else _extended(term, accumulator))]

    def finish(accumulators: Scalars, _: ir.Value, params: Scalars) -> ir.Value:
        value = stored(accumulators, params[: len(bias) + len(factors)])
        return then.compute(value, params[-1]) if then else value

    def stored(accumulators: Scalars, params: Scalars) -> ir.Value:
        value = accumulators[0]
        if is_float:
            value = scalar.add(value, params[0]) if bias else value
            return scalar.clamp(value, *bounds) if bounds else value
        scaled = _scaled(product, value, params[len(bias) :])
        shifted = scalar.add_constant(scaled, to.zero_point)
        limited = scalar.clamp(shifted, *(bounds or to.element.range))
        return scalar.narrow(limited, emit.mlir_type_of(to.element))

    return build_reduce(
        product.domain,
        ReduceKernel(init, body, finish),
        ins=[product.a, product.b],
        params=[*bias, *factors, *after],
        out=product.out,
        result=emit.tensor_type(shape, emit.mlir_type_of(to.element)),
    )


def _bias(product: Product, accumulator: ir.Type) -> list[ReduceOperand]:
    if product.bias is None or not product.bias.any():
        return []
    is_float = isinstance(accumulator, ir.FloatType)
    width = 32 if is_float else ir.IntegerType(accumulator).width
    values = product.bias.astype(np.float32 if is_float else f"i{width // 8}")
    return [ReduceOperand(emit.tosa_constant(values), (product.channel,))]


def _factor_operands(product: Product) -> list[ReduceOperand]:
    """Return significands and shifts if there is one per channel; else they are constants."""
    if len(product.factors) == 1:
        return []
    significands = [_significand(product, m) for m in product.factors]
    shifts = [_shift(product, m) for m in product.factors]
    kind = np.int16 if product.wide else np.int32
    return [
        ReduceOperand(emit.tosa_constant(np.array(significands, kind)), (product.channel,)),
        ReduceOperand(emit.tosa_constant(np.array(shifts, np.int8)), (product.channel,)),
    ]


def _significand(product: Product, by: Multiplier) -> int:
    """Return the multiplier; TFLite rounds it to 16 bits for sums of 64 bits."""
    if not product.wide:
        return by.significand
    return min((by.significand + (1 << 15)) >> 16, 0x7FFF)


def _shift(product: Product, by: Multiplier) -> int:
    return _REDUCED_BITS - by.exponent if product.wide else by.shift


def _scaled(product: Product, value: ir.Value, params: Scalars) -> ir.Value:
    """Return the accumulator times the factor, in 32 bits."""
    i8, i64 = emit.signless(8), emit.signless(64)
    if params:
        significand, shift = params
    else:
        (factor,) = product.factors
        width = emit.signless(16) if product.wide else scalar.i32()
        significand = scalar.scalar_constant(_significand(product, factor), width)
        shift = scalar.scalar_constant(_shift(product, factor), i8)
    if not product.wide:
        rounding = ir.Attribute.parse("#tosa.rounding_mode<DOUBLE_ROUND>")
        return tosa.ApplyScaleOp(scalar.i32(), value, significand, shift, rounding).result
    bits = arith.ExtSIOp(i64, shift).result
    one = scalar.scalar_constant(1, i64)
    half = arith.ShLIOp(one, scalar.subtract(bits, one)).result
    scaled = scalar.multiply(_extended(value, i64), _extended(significand, i64))
    return scalar.narrow(arith.ShRSIOp(scalar.add(scaled, half), bits).result, scalar.i32())


def _extended(value: ir.Value, to: ir.Type) -> ir.Value:
    return value if value.type == to else arith.ExtSIOp(to, value).result
