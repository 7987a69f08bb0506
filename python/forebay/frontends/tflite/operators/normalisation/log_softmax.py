"""LOG_SOFTMAX over the last dimension: `x - max(x) - log(sum(exp(x - max(x))))`.

    highest = max(x)                                   [rows]
    total   = sum(exp(x - highest))                    [rows] int8: Q12.19, exponentials in a table
    log     = log(total)                               [rows] int8: Q5.26
    out     = x - highest - log                        [rows, columns]

int8 is computed in TFLite's fixed point; the result has scale 1/16 and zero point 127.
Source: TFLite Micro `log_softmax.cc`, TFLite `reference/log_softmax.h`,
`PreprocessLogSoftmaxScalingExp` in `quantization_util.cc`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import arith, tensor
from mlir.dialects import math as mathlib

from forebay.frontends.elementwise import single_result
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.kernels.fixed_log import divided_by_power_of_two, fixed_log
from forebay.frontends.tflite.kernels.scaled import rescaled, saturated
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.quantize import Multiplier
from forebay.frontends.tflite.lowering.registry import document, operator
from forebay.ir.softmax import QuantizedSoftmax
from forebay.lowering.kernels import q31, scalar
from forebay.lowering.kernels.exponential import exponentials
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceKernel,
    ReduceOperand,
    affine_dimensions,
    build_reduce,
)
from forebay.lowering.kernels.rows import empty_rows, fill_rows, map_rows, over_rows, reduce_rows

_INTEGER_BITS = 5
_SCALE, _ZERO_POINT = 16.0 / 256.0, 127
_LARGEST_MULTIPLIER = float((1 << 31) - 1)
_SUM_INTEGER_BITS = 12
_OUTPUT_SHIFT = 22
"""From 26 fraction bits to the output's 4."""
_LOWEST = -(1 << 31)

document(
    "LOG_SOFTMAX",
    types="int8, float32",
    limits="last dimension",
    becomes="`accel.reduce`s and `linalg.generic`s",
    exact="int8",
)


@operator("LOG_SOFTMAX", newest_version=2)
def log_softmax(node: Node) -> Sequence[ir.Value]:
    """Lower the logarithm of a softmax."""
    node.expect_operands(1)
    node.expect_types((ElementType.INT8,) * 2, (ElementType.FLOAT32,) * 2)
    if not node.shape(0):
        node.malformed("its input is a scalar")
    lower = _floats if node.output.type is ElementType.FLOAT32 else _integers
    return [lower(node, node.value(0))]


def _floats(_: Node, source: ir.Value) -> ir.Value:
    f32 = ir.F32Type.get()
    lowest = float(np.finfo(np.float32).min)
    highest = reduce_rows("highest", source, lowest, scalar.at_least)
    shape = emit.static_shape_of(source)
    *rows, columns = shape
    index = tuple(affine_dimensions(len(shape)))
    log = build_reduce(
        KernelDomain(tuple(rows), (columns,)),
        ReduceKernel(
            init=lambda _: [scalar.scalar_constant(0.0, f32)],
            body=lambda sums, ins: [
                scalar.add(sums[0], mathlib.ExpOp(scalar.subtract(*ins)).result)
            ],
            finish=lambda sums, _count, _params: single_result(mathlib.LogOp(sums[0])),
        ),
        ins=[ReduceOperand(source, index), ReduceOperand(highest, index[:-1])],
        params=[],
        out=index[:-1],
        result=emit.tensor_type(rows, f32),
        name="log",
    )

    def result(elements: Sequence[ir.Value]) -> ir.Value:
        return scalar.subtract(scalar.subtract(elements[0], elements[1]), elements[2])

    return over_rows([source, highest, log], empty_rows(shape, f32), result)


def _integers(node: Node, source: ir.Value) -> ir.Value:
    factor, back, least = _factors(node)
    shape = emit.static_shape_of(source)
    i32, i8 = scalar.i32(), emit.signless(8)
    softmax = QuantizedSoftmax(factor.significand, factor.exponent, least)
    numbers: Any = np.array(exponentials(softmax), np.int32)
    table: Any = ir.DenseElementsAttr.get(numbers)
    exps = arith.ConstantOp(table.type, table).result
    highest = reduce_rows("highest", source, -128, scalar.at_least)

    def accumulate(elements: Sequence[ir.Value]) -> ir.Value:
        below = scalar.subtract(scalar.widen(elements[1]), scalar.widen(elements[0]))
        index = arith.IndexCastOp(ir.IndexType.get(), below).result
        exp = tensor.ExtractOp(exps, [index]).result
        bits = scalar.scalar_constant(_SUM_INTEGER_BITS, i8)
        return scalar.add(elements[2], q31.rounded_shift(exp, bits))

    zeros = fill_rows("total", shape[:-1], 0)
    total = over_rows([source, highest], zeros, accumulate, columns_are_reduced=True)
    log = map_rows("log", total, i32, lambda x: fixed_log(x, _SUM_INTEGER_BITS, _INTEGER_BITS))

    def result(elements: Sequence[ir.Value]) -> ir.Value:
        x, top, log, _ = elements
        difference = scalar.subtract(scalar.widen(x), scalar.widen(top))
        lowest = rescaled(scalar.add_constant(log, _LOWEST), back)
        bound = scalar.at_least(lowest, scalar.scalar_constant(least - 1, i32))
        limited = scalar.at_least(difference, scalar.add_constant(bound, 1))
        value = scalar.subtract(rescaled(limited, factor), log)
        shifted = saturated(
            divided_by_power_of_two(value, _OUTPUT_SHIFT), _ZERO_POINT, ElementType.INT8
        )
        counts = arith.CmpIOp(arith.CmpIPredicate.sgt, difference, bound).result
        return arith.SelectOp(counts, shifted, scalar.scalar_constant(-128, i8)).result

    return over_rows([source, highest, log], empty_rows(shape, i8), result)


def _factors(node: Node) -> tuple[Multiplier, Multiplier, int]:
    """Return the factor of differences, its inverse, and the least difference that counts."""
    target = node.quantization(node.output)
    if (target.scale, target.zero_point) != (_SCALE, _ZERO_POINT):
        node.refuse(
            f"an output of scale {target.scale:g} and zero point {target.zero_point}",
            f"TFLite's int8 LOG_SOFTMAX has scale {_SCALE:g} and zero point {_ZERO_POINT}",
        )
    scale = node.quantization(node.input(0)).scale
    factor = node.multiplier(min(scale * (1 << (31 - _INTEGER_BITS)), _LARGEST_MULTIPLIER))
    if factor.exponent < 0:
        node.refuse(f"an input scale of {scale:g}", "use a larger one")
    back = node.multiplier((1 << (31 - factor.exponent)) / factor.significand)
    radius = ((1 << _INTEGER_BITS) - 1) * (1 << (31 - _INTEGER_BITS)) / (1 << factor.exponent)
    return factor, back, -math.floor(radius)
