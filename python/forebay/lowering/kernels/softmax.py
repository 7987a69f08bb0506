"""Lower SOFTMAX over the last dimension; the others are rows.

The quantised form equals that of TFLite Micro bit for bit (`reference/softmax.h`):

    highest = max(x)                                     [rows] i8
    total   = sum(exps[highest - x] >> 12)               [rows] i32  Q12.19, exps a table of Q0.31
    inverse = 1 / (total without its leading zeros)      [rows] i32  Q0.31, three Newton steps
    out     = exps[highest - x] * inverse >> shift       [rows, columns] i8
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import arith, tensor, tosa
from mlir.dialects import math as mathlib

from forebay.ir.fused import shape_of
from forebay.ir.softmax import FloatSoftmax, QuantizedSoftmax, Softmax
from forebay.lowering.kernels import q31, scalar
from forebay.lowering.kernels.exponential import exponentials
from forebay.lowering.kernels.pooling import lowest_value
from forebay.lowering.kernels.rows import (
    empty_rows,
    fill_rows,
    map_rows,
    over_rows,
    reduce_rows,
)

_SUM_INTEGER_BITS = 12


def lower_softmax(op: tosa.CustomOp, softmax: Softmax) -> ir.Value:
    """Return the op's result, computed at the current insertion point."""
    source = op.operation.operands[0]
    if isinstance(softmax, FloatSoftmax):
        return _lower_float(source, softmax)
    element = ir.IntegerType(ir.RankedTensorType(op.operation.results[0].type).element_type)
    return _lower_quantized(source, softmax, element)


def _lower_float(source: ir.Value, softmax: FloatSoftmax) -> ir.Value:
    f32 = ir.F32Type.get()

    def exp(elements: Sequence[ir.Value]) -> ir.Value:
        difference = scalar.subtract(elements[0], elements[1])
        if softmax.beta != 1.0:
            difference = scalar.multiply(difference, scalar.scalar_constant(softmax.beta, f32))
        return mathlib.ExpOp(difference).result

    highest = reduce_rows("highest", source, lowest_value(f32), scalar.at_least)
    exps = over_rows([source, highest], empty_rows(shape_of(source), f32), exp)
    total = reduce_rows("total", exps, 0.0, scalar.add)
    return over_rows([total], exps, lambda elements: scalar.divide(elements[1], elements[0]))


def _lower_quantized(
    source: ir.Value, softmax: QuantizedSoftmax, element: ir.IntegerType
) -> ir.Value:
    i32, i8 = scalar.i32(), ir.IntegerType.get_signless(8)
    numbers: Any = np.array(exponentials(softmax), np.int32)
    table: Any = ir.DenseElementsAttr.get(numbers)
    exps = arith.ConstantOp(table.type, table).result
    highest = reduce_rows("highest", source, lowest_value(i8), scalar.at_least)
    zeros = fill_rows("total", shape_of(source)[:-1], 0)

    def accumulate(elements: Sequence[ir.Value]) -> ir.Value:
        exp = _exp_of(exps, elements[0], elements[1])
        return scalar.add(
            elements[2], q31.rounded_shift(exp, scalar.scalar_constant(_SUM_INTEGER_BITS, i8))
        )

    total = over_rows([source, highest], zeros, accumulate, columns_are_reduced=True)
    inverse = map_rows("inverse", total, i32, q31.inverse)
    shift = map_rows("shift", total, i8, lambda value: _shift_of(value, element.width))
    lowest, highest_result = -(1 << (element.width - 1)), (1 << (element.width - 1)) - 1

    def normalise(elements: Sequence[ir.Value]) -> ir.Value:
        x, highest, inverse, shift, _ = elements
        scaled = q31.rounded_shift(q31.product(_exp_of(exps, x, highest), inverse), shift)
        shifted = scalar.add_constant(scaled, lowest)
        return scalar.narrow(scalar.clamp(shifted, lowest, highest_result), element)

    operands = [source, highest, inverse, shift]
    return over_rows(operands, empty_rows(shape_of(source), element), normalise)


def _exp_of(exps: ir.Value, x: ir.Value, highest: ir.Value) -> ir.Value:
    difference = scalar.subtract(scalar.widen(highest), scalar.widen(x))
    index = arith.IndexCastOp(ir.IndexType.get(), difference).result
    return tensor.ExtractOp(exps, [index]).result


def _shift_of(total: ir.Value, width: int) -> ir.Value:
    """Return the shift that removes the sum's bits above one, and those below the result's."""
    bits = scalar.scalar_constant(_SUM_INTEGER_BITS + 31 - width, scalar.i32())
    shift = scalar.subtract(bits, q31.leading_zeros(total))
    return scalar.narrow(shift, ir.IntegerType.get_signless(8))
