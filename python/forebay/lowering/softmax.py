"""SOFTMAX over the last dimension, as rows and columns.

Quantised, bit for bit as TFLite Micro computes it (`reference/softmax.h`):

    highest = max(x)                                     [rows] i8
    total   = sum(exps[highest - x] >> 12)               [rows] i32  Q12.19, exps a table of Q0.31
    inverse = 1 / (total without its leading zeros)      [rows] i32  Q0.31, three Newton steps
    out     = exps[highest - x] * inverse >> shift       [rows, columns] i8

Products of Q0.31 are `tosa.apply_scale` by `2**-31`, which rounds halves up as gemmlowp's high
products do; values are the whole range of i32 here, and no result leaves it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import arith, tensor, tosa
from mlir.dialects import math as mathlib

from forebay.ir.fused import shape_of
from forebay.ir.softmax import FloatSoftmax, QuantizedSoftmax, Softmax
from forebay.lowering import scalar
from forebay.lowering.fixed_point import exponentials
from forebay.lowering.generic import empty, over_rows
from forebay.lowering.named import named
from forebay.lowering.pooling import lowest
from forebay.lowering.reduce import Domain, Kernel, Operand, build_reduce, dimensions
from forebay.lowering.reshape import reshape

_SUM_INTEGER_BITS = 12
Combine = Callable[[ir.Value, ir.Value], ir.Value]


def lower_softmax(op: tosa.CustomOp, softmax: Softmax) -> ir.Value:
    """The op's result, computed at the current insertion point."""
    source = op.operation.operands[0]
    shape = shape_of(source)
    matrix = reshape(source, (math.prod(shape[:-1]), shape[-1]))
    if isinstance(softmax, FloatSoftmax):
        return reshape(_lower_float(matrix, softmax), shape)
    return reshape(_lower_quantized(matrix, softmax), shape)


def _lower_float(source: ir.Value, softmax: FloatSoftmax) -> ir.Value:
    f32 = ir.F32Type.get()

    def exp(elements: Sequence[ir.Value]) -> ir.Value:
        difference = scalar.subtract(elements[0], elements[1])
        if softmax.beta != 1.0:
            difference = scalar.multiply(difference, scalar.constant(softmax.beta, f32))
        return mathlib.ExpOp(difference).result

    highest = _reduce_rows("highest", source, lowest(f32), scalar.at_least)
    exps = over_rows([source, highest], empty(shape_of(source), f32), exp)
    total = _reduce_rows("total", exps, 0.0, scalar.add)
    return over_rows([total], exps, lambda elements: scalar.divide(elements[1], elements[0]))


def _lower_quantized(source: ir.Value, softmax: QuantizedSoftmax) -> ir.Value:
    rows, _ = shape_of(source)
    i32, i8 = scalar.i32(), ir.IntegerType.get_signless(8)
    numbers: Any = np.array(exponentials(softmax), np.int32)
    table: Any = ir.DenseElementsAttr.get(numbers)
    exps = arith.ConstantOp(table.type, table).result
    highest = _reduce_rows("highest", source, lowest(i8), scalar.at_least)
    zeros = _zeros(rows)

    def accumulate(elements: Sequence[ir.Value]) -> ir.Value:
        exp = _exp_of(exps, elements[0], elements[1])
        return scalar.add(elements[2], _rounded_shift(exp, scalar.constant(_SUM_INTEGER_BITS, i8)))

    total = over_rows([source, highest], zeros, accumulate, columns_are_reduced=True)
    inverse = _map_rows("inverse", total, i32, _inverse_of)
    shift = _map_rows("shift", total, i8, _shift_of)

    def normalise(elements: Sequence[ir.Value]) -> ir.Value:
        x, highest, inverse, shift, _ = elements
        scaled = _rounded_shift(_product(_exp_of(exps, x, highest), inverse), shift)
        return scalar.narrow(scalar.clamp(scalar.add_constant(scaled, -128), -128, 127), i8)

    operands = [source, highest, inverse, shift]
    return over_rows(operands, empty(shape_of(source), i8), normalise)


def _reduce_rows(name: str, source: ir.Value, start: float, combine: Combine) -> ir.Value:
    """`combine` over each row: `[rows, columns]` to `[rows]`."""
    rows, columns = shape_of(source)
    element = ir.RankedTensorType(source.type).element_type
    r, c = dimensions(2)
    return build_reduce(
        Domain((rows,), (columns,)),
        Kernel(
            init=lambda _: [scalar.constant(start, element)],
            body=lambda accumulators, ins: [combine(accumulators[0], ins[0])],
            finish=lambda accumulators, _count, _params: accumulators[0],
        ),
        ins=[Operand(source, (r, c))],
        params=[],
        out=(r,),
        result=ir.RankedTensorType.get([rows], element),
        name=name,
    )


def _map_rows(
    name: str, source: ir.Value, element: ir.Type, emit: Callable[[ir.Value], ir.Value]
) -> ir.Value:
    """`emit` of each element of `[rows]`, as a kernel that no pass fuses into an inner loop."""
    (rows,) = shape_of(source)
    (r,) = dimensions(1)
    return build_reduce(
        Domain((rows,), ()),
        Kernel(
            init=lambda params: [params[0]],
            body=lambda accumulators, _: accumulators,
            finish=lambda accumulators, _count, _params: emit(accumulators[0]),
        ),
        ins=[],
        params=[Operand(source, (r,))],
        out=(r,),
        result=ir.RankedTensorType.get([rows], element),
        name=name,
    )


def _zeros(rows: int) -> ir.Value:
    (r,) = dimensions(1)
    return build_reduce(
        Domain((rows,), ()),
        Kernel(
            init=lambda _: [_i32(0)],
            body=lambda accumulators, _: accumulators,
            finish=lambda accumulators, _count, _params: accumulators[0],
        ),
        ins=[],
        params=[],
        out=(r,),
        result=ir.RankedTensorType.get([rows], scalar.i32()),
        name="total",
    )


def _exp_of(exps: ir.Value, x: ir.Value, highest: ir.Value) -> ir.Value:
    difference = scalar.subtract(scalar.widen(highest), scalar.widen(x))
    index = arith.IndexCastOp(ir.IndexType.get(), difference).result
    return tensor.ExtractOp(exps, [index]).result


def _shift_of(total: ir.Value) -> ir.Value:
    """Takes away the bits of the sum above one, and all but 8 of the result's 31."""
    with named("leading"):
        leading = mathlib.CountLeadingZerosOp(total).result
    bits = scalar.constant(_SUM_INTEGER_BITS + 31 - 8, scalar.i32())
    return scalar.narrow(scalar.subtract(bits, leading), ir.IntegerType.get_signless(8))


def _inverse_of(total: ir.Value) -> ir.Value:
    """`1 / (1 + fraction)` in Q0.31, where total = (1 + fraction) times a power of two.

    Newton's x += x * (1 - x * d) in Q2.29, with d = (1 + fraction) / 2, from x = 48/17 - 32/17 * d.
    """
    with named("leading"):
        leading = mathlib.CountLeadingZerosOp(total).result
    fraction = arith.AndIOp(arith.ShLIOp(total, leading).result, _i32(2**31 - 1)).result
    with named("half"):
        half = scalar.add_constant(arith.ShRUIOp(fraction, _i32(1)).result, 1 << 30)
    start = _product(_i32(-1010580540), half)
    with named("guess"):
        x = scalar.add_constant(start, 1515870810)
    for _ in range(3):
        error = scalar.subtract(_i32(1 << 29), _product(x, half))
        correction = scalar.scaled(_product(error, x), 4)
        with named("guess"):
            x = scalar.add(x, correction)
    i64 = ir.IntegerType.get_signless(64)
    twice = scalar.multiply(arith.ExtSIOp(i64, x).result, scalar.constant(2, i64))
    return scalar.narrow(scalar.at_most(twice, scalar.constant(2**31 - 1, i64)), scalar.i32())


def _product(a: ir.Value, b: ir.Value) -> ir.Value:
    """`a * b / 2**31`, halves up, for `b` at least zero."""
    return _apply_scale(a, b, scalar.constant(31, ir.IntegerType.get_signless(8)))


def _rounded_shift(value: ir.Value, bits: ir.Value) -> ir.Value:
    """`value / 2**bits`, halves up, for a value at least zero."""
    return _apply_scale(value, _i32(1), bits)


def _apply_scale(value: ir.Value, multiplier: ir.Value, shift: ir.Value) -> ir.Value:
    rounding = ir.Attribute.parse("#tosa.rounding_mode<SINGLE_ROUND>")
    return tosa.ApplyScaleOp(scalar.i32(), value, multiplier, shift, rounding).result


def _i32(value: int) -> ir.Value:
    return scalar.constant(value, scalar.i32())
