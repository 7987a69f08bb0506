"""LRN, CumSum, CumProd: neighbours together, as one `accel.reduce` that skips those outside.

LRN       out[c] = x[c] / (bias + alpha / size * sum over k of x[c + k - before]^2)^beta
CumSum    out[i] = sum over k of x[i - k]; CumProd: the product
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import math as mathlib

from forebay.frontends import tosa as emit
from forebay.frontends.elementwise import map_elements
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceKernel,
    ReduceOperand,
    affine_dimensions,
    build_reduce,
    product_kernel,
    sum_kernel,
)

document_onnx("LRN", types="float32", golden="1e-6")
document_onnx(
    "CumProd",
    "CumSum",
    types="float32, int32, int64",
    limits="a constant axis",
    golden="integers: bits; float32: 1e-6",
)


@onnx_operator("LRN")
def lrn(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower the division by the squares of neighbouring channels."""
    node.expect_floats(0)
    count = int(node.attribute("size", 1))
    if count < 1 or len(node.shape(0)) < 3:
        node.malformed(f"{count} channels of an operand of shape {list(node.shape(0))}")
    value = node.operand(0).channels_last()
    shape = emit.static_shape_of(value)
    f32 = ir.F32Type.get()
    near = range(-((count - 1) // 2), count // 2 + 1)
    squares = _of_neighbours(value, len(shape) - 1, near, sum_kernel(f32, _square))
    factor = float(node.attribute("alpha", 1e-4)) / count
    beta, bias = float(node.attribute("beta", 0.75)), float(node.attribute("bias", 1.0))

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        x, total = ins
        scaled = scalar.multiply(total, scalar.scalar_constant(factor, f32))
        raised = scalar.add(scaled, scalar.scalar_constant(bias, f32))
        power = mathlib.PowFOp(raised, scalar.scalar_constant(beta, f32)).result
        return scalar.divide(x, power)

    return [LaidOut(map_elements([value, squares], shape, f32, compute), last=True)]


@onnx_operator("CumSum", "CumProd")
def cumulative(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower the sums or products of all elements up to each, or after each one."""
    if node.dtype(0).name not in ("float32", "int32", "int64"):
        node.refuse(f"operand 0 of type {node.dtype(0).name}", "float32, int32 and int64 are")
    value = node.value(0)
    shape = emit.static_shape_of(value)
    axis = node.axis(node.integers(1)[0], len(shape))
    first = 1 if node.attribute("exclusive", 0) else 0
    offsets = range(first, shape[axis] + first)
    if not node.attribute("reverse", 0):
        offsets = range(-offsets[-1], 1 - first)
    element = emit.element_of(value)
    is_sum = node.operator.kind == "CumSum"
    kernel = sum_kernel(element, lambda ins: ins[0]) if is_sum else product_kernel(element)
    return [LaidOut(_of_neighbours(value, axis, offsets, kernel))]


def _square(ins: Sequence[ir.Value]) -> ir.Value:
    return scalar.multiply(ins[0], ins[0])


def _of_neighbours(value: ir.Value, axis: int, offsets: range, kernel: ReduceKernel) -> ir.Value:
    """Reduce the elements at offsets along an axis."""
    shape = emit.static_shape_of(value)
    *dims, k = affine_dimensions(len(shape) + 1)
    index = [d + k + offsets.start if i == axis else d for i, d in enumerate(dims)]
    return build_reduce(
        KernelDomain(shape, (len(offsets),)),
        kernel,
        ins=[ReduceOperand(value, tuple(index))],
        params=[],
        out=dims,
        result=emit.tensor_type(shape, emit.element_of(value)),
    )
