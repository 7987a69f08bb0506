"""L2_NORMALIZATION: each row divided by the root of the sum of its squares.

    float32: x / max(sqrt(sum(x * x)), 1e-6)
    int8:    (x - zero point) / sqrt(sum((x - zero point)**2)) in units of 1/128

Source: TFLite Micro `l2norm.cc`, TFLite `reference/l2normalization.h` and its `integer_ops`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import math as mathlib

from forebay.frontends.elementwise import map_elements
from forebay.frontends.tflite.file.options import OperatorOptions, SchemaInt8
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.kernels.inverse_root import scaled_by_inverse_root
from forebay.frontends.tflite.kernels.scaled import centred
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import DIFFERENCE, Node
from forebay.frontends.tflite.lowering.registry import document, operator
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceKernel,
    ReduceOperand,
    affine_dimensions,
    build_reduce,
)


class L2NormOptions(OperatorOptions, frozen=True):
    """L2_NORMALIZATION."""

    fused_activation_function: SchemaInt8


_LEAST_ROOT = 1e-6
_RESULT_BITS = 7
_I8, _F32 = ElementType.INT8, ElementType.FLOAT32

document(
    "L2_NORMALIZATION",
    types="int8, float32",
    limits="last dimension; no fused activation",
    becomes="`accel.reduce`, `linalg.generic`",
    exact="yes",
)


@operator("L2_NORMALIZATION", newest_version=2)
def l2_normalization(node: Node) -> Sequence[ir.Value]:
    """Lower rows to vectors of length 1."""
    node.expect_operands(1)
    node.expect_types((_I8, _I8), (_F32, _F32))
    if node.options(L2NormOptions).fused_activation_function:
        node.refuse("a fused activation", "use an activation operator after it")
    shape = node.shape(0)
    if not shape:
        node.malformed("its input is a scalar")
    rows, columns = math.prod(shape[:-1]), shape[-1]
    source = emit.tosa_reshape(node.value(0), (rows, columns))
    build = _floats if node.output.type is _F32 else _integers
    return [emit.tosa_reshape(build(node, source), shape)]


def _floats(_: Node, source: ir.Value) -> ir.Value:
    f32 = ir.F32Type.get()

    def divide(ins: Sequence[ir.Value]) -> ir.Value:
        root = scalar.at_least(
            mathlib.SqrtOp(ins[1]).result, scalar.scalar_constant(_LEAST_ROOT, f32)
        )
        return scalar.divide(ins[0], root)

    squares = _squares(source, f32, lambda x: x)
    return map_elements([source, squares], emit.static_shape_of(source), f32, divide)


def _integers(node: Node, source: ir.Value) -> ir.Value:
    zero_point = node.quantization(node.input(0)).zero_point
    columns = emit.static_shape_of(source)[1]
    if columns * DIFFERENCE**2 >= 1 << 31:
        node.refuse(f"rows of {columns:,}, whose squares may leave 32 bits", "use shorter rows")

    def divide(ins: Sequence[ir.Value]) -> ir.Value:
        value = centred(ins[0], zero_point)
        scaled = scaled_by_inverse_root(value, ins[1], _RESULT_BITS)
        return scalar.narrow(scalar.clamp(scaled, *_I8.range), emit.signless(8))

    squares = _squares(source, scalar.i32(), lambda x: centred(x, zero_point))
    return map_elements([source, squares], emit.static_shape_of(source), emit.signless(8), divide)


def _squares(source: ir.Value, element: ir.Type, real: Callable[[ir.Value], ir.Value]) -> ir.Value:
    """Build the sum of the squares of each row, as a column."""
    rows, columns = emit.static_shape_of(source)
    r, c = affine_dimensions(2)

    def add(sums: Sequence[ir.Value], ins: Sequence[ir.Value]) -> Sequence[ir.Value]:
        value = real(ins[0])
        return [scalar.add(sums[0], scalar.multiply(value, value))]

    total = build_reduce(
        KernelDomain((rows,), (columns,)),
        ReduceKernel(
            lambda _: [scalar.scalar_constant(0, element)],
            add,
            lambda sums, _count, _params: sums[0],
        ),
        ins=[ReduceOperand(source, (r, c))],
        params=[],
        out=(r,),
        result=emit.tensor_type((rows,), element),
    )
    return emit.tosa_reshape(total, (rows, 1))
