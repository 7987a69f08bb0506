"""Gather, GatherElements, GatherND and OneHot: elements at positions that a tensor gives."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, tensor

from forebay.frontends import tosa as emit
from forebay.frontends.elementwise import map_elements, map_indexed, position_along
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.onnx.lowering.part import part_of
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator
from forebay.frontends.onnx.lowering.rows import expect_indices, index_tuple, row_index
from forebay.lowering.kernels import scalar

document_onnx(
    *("Gather", "GatherElements", "GatherND"),
    types="all, by int32, int64",
    limits="an index outside reads the nearest row",
    golden="bits",
)
document_onnx(
    "OneHot",
    types="all, by int32, int64, float32",
    limits="a constant depth",
    golden="bits",
)


@onnx_operator("Gather")
def gather(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower rows along one axis; a constant index of one row is a slice."""
    own = node.shape(0)
    axis = node.axis(int(node.attribute("axis", 0)), len(own))
    numbers = node.known(1)
    if numbers is not None and numbers.size == 1:
        at = int(numbers.reshape(-1)[0])
        part = part_of(node.operand(0), {axis: (node.axis(at, own[axis]), 1)}).logical()
        result = (*own[:axis], *numbers.shape, *own[axis + 1 :])
        return [LaidOut(emit.tosa_reshape(part, result))]
    expect_indices(node, 1)
    value, indices = node.value(0), node.value(1)
    shape = emit.static_shape_of(indices)
    result = (*own[:axis], *shape, *own[axis + 1 :])
    inner = axis + len(shape)
    selected = [ir.AffineExpr.get_dim(i) for i in range(axis, inner)]

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        outer = [position_along(i) for i in range(axis)]
        rest = [position_along(i) for i in range(inner, len(result))]
        at = row_index(ins[0], own[axis])
        return tensor.ExtractOp(value, [*outer, at, *rest]).result

    gathered = map_indexed([(indices, selected)], result, emit.element_of(value), compute)
    return [LaidOut(gathered)]


@onnx_operator("GatherElements")
def gather_elements(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower elements at positions that a tensor of the result's shape gives along one axis."""
    data_shape, shape = node.shape(0), node.shape(1)
    axis = node.axis(int(node.attribute("axis", 0)), len(data_shape))
    expect_indices(node, 1)
    fits = all(s <= d or i == axis for i, (s, d) in enumerate(zip(shape, data_shape, strict=False)))
    if len(data_shape) != len(shape) or not fits:
        node.malformed(f"indices of shape {list(shape)} for {list(data_shape)}")
    value = node.value(0)

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        at = [position_along(i) for i in range(len(shape))]
        at[axis] = row_index(ins[0], data_shape[axis])
        return tensor.ExtractOp(value, at).result

    return [LaidOut(map_elements([node.value(1)], shape, emit.element_of(value), compute))]


@onnx_operator("GatherND")
def gather_nd(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower the parts at the positions that the vectors of a tensor give."""
    data_shape, shape = node.shape(0), node.shape(1)
    expect_indices(node, 1)
    batch = int(node.attribute("batch_dims", 0))
    *outer_shape, length = shape or (0,)
    first = batch + length
    if not 0 <= batch <= len(outer_shape) or length < 1 or first > len(data_shape):
        node.malformed(f"indices of shape {list(shape)} for {list(data_shape)}")
    if data_shape[:batch] != shape[:batch]:
        node.malformed(f"batches of {list(data_shape[:batch])} and {list(shape[:batch])}")
    value, indices = node.value(0), node.value(1)
    result = (*outer_shape, *data_shape[first:])
    node.expect_size(result)

    def compute(_: Sequence[ir.Value]) -> ir.Value:
        outer = [position_along(i) for i in range(len(outer_shape))]
        rest = [position_along(i) for i in range(len(outer_shape), len(result))]
        at = index_tuple(indices, outer, data_shape[batch:first])
        return tensor.ExtractOp(value, [*outer[:batch], *at, *rest]).result

    return [LaidOut(map_indexed([], result, emit.element_of(value), compute))]


@onnx_operator("OneHot")
def one_hot(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower vectors with one value at a position, and another one elsewhere."""
    shape = node.shape(0)
    axis = node.axis(int(node.attribute("axis", -1)), len(shape) + 1)
    depth = int(node.constant(1).reshape(-1)[0])
    if node.dtype(0).name not in ("int32", "int64", "float32"):
        node.refuse(f"indices of {node.dtype(0).name}", "int32, int64 and float32 are")
    if depth < 1 or node.shape(2) != (2,):
        node.malformed(f"a depth of {depth} and {list(node.shape(2))} values")
    result = (*shape[:axis], depth, *shape[axis:])
    node.expect_size(result)
    index = [ir.AffineExpr.get_dim(i if i < axis else i + 1) for i in range(len(shape))]
    values = node.value(2)

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        i64 = emit.signless(64)
        number = _as_integer(ins[0], i64)
        is_negative = arith.CmpIOp(
            arith.CmpIPredicate.slt, number, scalar.scalar_constant(0, i64)
        ).result
        from_end = scalar.add_constant(number, depth)
        chosen = arith.SelectOp(is_negative, from_end, number).result
        at = arith.IndexCastOp(ir.IndexType.get(), chosen).result
        is_there = arith.CmpIOp(arith.CmpIPredicate.eq, at, position_along(axis)).result
        off, on = (
            tensor.ExtractOp(values, [scalar.scalar_constant(i, ir.IndexType.get())]).result
            for i in range(2)
        )
        return arith.SelectOp(is_there, on, off).result

    element = emit.element_of(values)
    return [LaidOut(map_indexed([(node.value(0), index)], result, element, compute))]


def _as_integer(value: ir.Value, type_: ir.Type) -> ir.Value:
    if isinstance(value.type, ir.FloatType):
        return arith.FPToSIOp(type_, value).result
    return value if value.type == type_ else arith.ExtSIOp(type_, value).result
