"""ReduceSum, ReduceMax and others, ArgMax and ArgMin."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from mlir import ir
from mlir.dialects import arith, tosa
from mlir.dialects import math as mathlib

from forebay.frontends import tosa as emit
from forebay.frontends.elementwise import (
    map_elements,
    map_indexed,
    position_along,
    single_result,
)
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.onnx.lowering.reduce_axes import reduce_axes, reduced_axes
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
    zero,
)

document_onnx(
    *("ReduceMax", "ReduceMin", "ReduceProd", "ReduceSum"),
    types="float32, int32, int64; ReduceMax, ReduceMin: int8, uint8, bool, too",
    limits="constant axes",
    golden="bits; sums and products of float32: 1e-6",
)
document_onnx(
    *("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"),
    types="float32",
    limits="constant axes",
    golden="1e-6",
)
document_onnx("ArgMax", "ArgMin", types="float32, int8, uint8", golden="bits")
document_onnx("Hardmax", types="float32", limits="opset 13 and newer", golden="bits")

_INTEGERS = ("int8", "uint8", "int32", "int64")
_REDUCTIONS: dict[str, tuple[Callable[[ir.Value, int], ir.OpView], tuple[str, ...]]] = {
    "ReduceMax": (tosa.ReduceMaxOp, ("float32", *_INTEGERS, "bool")),
    "ReduceMin": (tosa.ReduceMinOp, ("float32", *_INTEGERS, "bool")),
    "ReduceProd": (tosa.ReduceProductOp, ("float32", "int32", "int64")),
    "ReduceSum": (tosa.ReduceSumOp, ("float32", "int32", "int64")),
}
_OF_TOSA = ("float32", "int8", "uint8", "int32")
"""The types of TOSA's reductions; a product is of float32 only."""
_Function = Callable[[ir.Value], ir.Value]


def _square(x: ir.Value) -> ir.Value:
    return scalar.multiply(x, x)


def _magnitude(x: ir.Value) -> ir.Value:
    return mathlib.AbsFOp(x).result


_SUMS: dict[str, tuple[_Function | None, _Function | None]] = {
    "ReduceL1": (_magnitude, None),
    "ReduceL2": (_square, lambda x: single_result(mathlib.SqrtOp(x))),
    "ReduceLogSum": (None, lambda x: single_result(mathlib.LogOp(x))),
    "ReduceSumSquare": (_square, None),
}


@onnx_operator(*_REDUCTIONS)
def reduction(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower to one TOSA op for each axis, or to one `accel.reduce` of all axes."""
    op, types = _REDUCTIONS[node.operator.kind]
    _expect_types(node, types)

    def build(value: ir.Value, axes: list[int]) -> ir.Value:
        if not _is_of_tosa(node):
            return _reduced(value, axes, _kernel(node.operator.kind, emit.element_of(value)))
        for axis in axes:
            value = op(value, axis).operation.results[0]
        return value

    axes = reduced_axes(node)
    return [reduce_axes(node, axes, build) if axes else node.operand(0)]


def _is_of_tosa(node: OnnxNode) -> bool:
    """Return whether TOSA's op is used; MLIR's lowering of its minimum begins with a number."""
    kind, dtype = node.operator.kind, node.dtype(0).name
    if kind == "ReduceMin" and dtype == "float32":
        return False
    return dtype in _OF_TOSA and (kind != "ReduceProd" or dtype == "float32")


def _kernel(kind: str, element: ir.Type) -> ReduceKernel:
    if kind == "ReduceSum":
        return sum_kernel(element, lambda ins: ins[0])
    if kind == "ReduceProd":
        return product_kernel(element)
    is_largest = kind == "ReduceMax"
    if element == emit.signless(1):
        logic = arith.OrIOp if is_largest else arith.AndIOp
        return _extremum(element, 0 if is_largest else 1, lambda a, b: single_result(logic(a, b)))
    limit = -math.inf if isinstance(element, ir.FloatType) else _lowest(element)
    if is_largest:
        return _extremum(element, limit, scalar.at_least)
    return _extremum(element, -1 - limit if isinstance(limit, int) else -limit, scalar.at_most)


def _lowest(element: ir.Type) -> int:
    return -(1 << (ir.IntegerType(element).width - 1))


def _extremum(
    element: ir.Type, first: float, chosen: Callable[[ir.Value, ir.Value], ir.Value]
) -> ReduceKernel:
    return ReduceKernel(
        lambda _: [scalar.scalar_constant(first, element)],
        lambda found, ins: [chosen(found[0], ins[0])],
        lambda found, _, __: found[0],
    )


def _reduced(value: ir.Value, axes: list[int], kernel: ReduceKernel) -> ir.Value:
    """Reduce axes, which stay with size 1, by one `accel.reduce`."""
    shape = emit.static_shape_of(value)
    kept = [i for i in range(len(shape)) if i not in axes]
    dims = affine_dimensions(len(shape))
    position = {axis: dims[i] for i, axis in enumerate([*kept, *axes])}
    return build_reduce(
        KernelDomain(tuple(shape[i] for i in kept), tuple(shape[i] for i in axes)),
        kernel,
        ins=[ReduceOperand(value, tuple(position[i] for i in range(len(shape))))],
        params=[],
        out=[zero() if i in axes else position[i] for i in range(len(shape))],
        result=emit.tensor_type(
            [1 if i in axes else d for i, d in enumerate(shape)], emit.element_of(value)
        ),
    )


@onnx_operator(*_SUMS)
def reduced_function(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower a function of the sum of a function of the elements."""
    node.expect_floats(0)
    before, behind = _SUMS[node.operator.kind]

    def build(value: ir.Value, axes: list[int]) -> ir.Value:
        value = _mapped(value, before)
        for axis in axes:
            value = emit.tosa_reduce_sum(value, axis)
        return _mapped(value, behind)

    return [reduce_axes(node, reduced_axes(node), build)]


@onnx_operator("ReduceLogSumExp")
def reduce_log_sum_exp(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower the logarithm of a sum of exponentials; the largest element is subtracted before."""
    node.expect_floats(0)

    def build(value: ir.Value, axes: list[int]) -> ir.Value:
        largest = value
        for axis in axes:
            largest = tosa.ReduceMaxOp(largest, axis).result
        shape = emit.static_shape_of(value)
        f32 = ir.F32Type.get()
        sums = map_elements([value, largest], shape, f32, _exponential)
        for axis in axes:
            sums = emit.tosa_reduce_sum(sums, axis)
        reduced = emit.static_shape_of(sums)
        return map_elements([sums, largest], reduced, f32, _logarithm)

    return [reduce_axes(node, reduced_axes(node), build)]


def _exponential(ins: Sequence[ir.Value]) -> ir.Value:
    return mathlib.ExpOp(scalar.subtract(ins[0], ins[1])).result


def _logarithm(ins: Sequence[ir.Value]) -> ir.Value:
    return scalar.add(mathlib.LogOp(ins[0]).result, ins[1])


def _mapped(value: ir.Value, function: _Function | None) -> ir.Value:
    if function is None:
        return value
    shape = emit.static_shape_of(value)
    return map_elements([value], shape, ir.F32Type.get(), lambda ins: function(ins[0]))


@onnx_operator("ArgMax", "ArgMin")
def arg_extremum(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower to `tosa.argmax`; the smallest is the largest of the negated elements."""
    _expect_types(node, ("float32", "int8", "uint8"))
    axis = node.axis(int(node.attribute("axis", 0)), len(node.shape(0)))
    return [reduce_axes(node, [axis], partial(_arg_extremum, node))]


def _arg_extremum(node: OnnxNode, value: ir.Value, axes: list[int]) -> ir.Value:
    (axis,) = axes
    shape = emit.static_shape_of(value)
    selects_last = bool(node.attribute("select_last_index", 0))
    if node.operator.kind == "ArgMin":
        value = map_elements([value], shape, emit.element_of(value), _opposite)
    if selects_last:
        value = tosa.ReverseOp(value.type, value, axis).result
    kept = [d for i, d in enumerate(shape) if i != axis]
    found = tosa.ArgMaxOp(emit.tensor_type(kept, emit.signless(32)), value, axis).result

    def number(ins: Sequence[ir.Value]) -> ir.Value:
        wide = arith.ExtSIOp(emit.signless(64), ins[0]).result
        last = scalar.scalar_constant(shape[axis] - 1, wide.type)
        return scalar.subtract(last, wide) if selects_last else wide

    numbers = map_elements([found], kept, emit.signless(64), number)
    return emit.tosa_reshape(numbers, [1 if i == axis else d for i, d in enumerate(shape)])


@onnx_operator("Hardmax")
def hardmax(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower 1 for the first largest element along an axis, 0 for the others."""
    node.expect_floats(0)
    shape = node.shape(0)
    if node.opset < 13 and len(shape) != 2:
        node.refuse("rows of several dimensions, before opset 13", "convert to opset 13")
    axis = node.axis(int(node.attribute("axis", -1)), len(shape))
    value = node.value(0)
    kept = [d for i, d in enumerate(shape) if i != axis]
    found = tosa.ArgMaxOp(emit.tensor_type(kept, emit.signless(32)), value, axis).result
    index = [ir.AffineExpr.get_dim(i) for i in range(len(shape)) if i != axis]
    f32 = ir.F32Type.get()

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        at = arith.IndexCastOp(ir.IndexType.get(), ins[0]).result
        is_largest = arith.CmpIOp(arith.CmpIPredicate.eq, at, position_along(axis)).result
        return arith.UIToFPOp(f32, is_largest).result

    return [LaidOut(map_indexed([(found, index)], shape, f32, compute))]


def _opposite(ins: Sequence[ir.Value]) -> ir.Value:
    """Return elements in the opposite order: `-x` of floats, and `-1 - x` of integers."""
    if isinstance(ins[0].type, ir.FloatType):
        return arith.NegFOp(ins[0]).result
    return arith.XOrIOp(ins[0], scalar.scalar_constant(-1, ins[0].type)).result


def _expect_types(node: OnnxNode, types: Sequence[str]) -> None:
    if node.dtype(0).name not in types:
        node.refuse(f"operand 0 of type {node.dtype(0).name}", f"{', '.join(types)} are supported")
