"""DYNAMIC_UPDATE_SLICE: a tensor with a block of it replaced, at a place known at run time.

    a constant start    slices of the tensor around the update, concatenated
    else                one tensor.insert_slice, in place where the tensor is read no more

A start is limited so that the whole update is inside of the tensor.
Source: TFLite Micro `dynamic_update_slice.cc`.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, tensor

from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator
from forebay.lowering.kernels import scalar

document(
    "DYNAMIC_UPDATE_SLICE",
    types="all below, at int32, int64",
    limits="one quantisation",
    becomes="`tensor.insert_slice`; `slice`s and `concat`s for a constant start",
    exact="yes",
)


@operator("DYNAMIC_UPDATE_SLICE", newest_version=4)
def dynamic_update_slice(node: Node) -> Sequence[ir.Value]:
    """Lower the update; a start that is constant needs no computation."""
    node.expect_operands(3)
    node.expect_same_types()
    node.expect_same_quantization()
    shape, block, starts = node.shape(0), node.shape(1), node.input(2)
    if node.input(1).type is not node.output.type:
        node.malformed(f"an update of type {node.input(1).type_name}")
    if starts.type not in (ElementType.INT32, ElementType.INT64):
        node.malformed(f"its start is of type {starts.type_name}")
    fits = len(block) == len(shape) and all(b <= n for b, n in zip(block, shape, strict=True))
    if not fits or node.shape(2) != (len(shape),):
        node.malformed(f"an update of {list(block)} in {list(shape)} at {list(node.shape(2))}")
    if not shape:
        return [node.value(1)]
    if starts.data is None:
        return [_updated(node, shape, block)]
    limits = [n - b for n, b in zip(shape, block, strict=True)]
    at = [min(max(s, 0), most) for s, most in zip(node.integers(2), limits, strict=True)]
    return [_replaced(node.value(0), node.value(1), at, 0)]


def _replaced(source: ir.Value, update: ir.Value, at: Sequence[int], axis: int) -> ir.Value:
    """Put the parts before and after the update around it, one dimension after the other."""
    shape, block = emit.static_shape_of(source), emit.static_shape_of(update)
    if axis == len(shape):
        return update
    start, length = at[axis], block[axis]
    parts = [(0, start), (start, length), (start + length, shape[axis] - start - length)]
    before, own, after = (
        emit.tosa_slice(
            source,
            [first if i == axis else 0 for i in range(len(shape))],
            [size if i == axis else d for i, d in enumerate(shape)],
        )
        if size
        else None
        for first, size in parts
    )
    assert own is not None
    inner = _replaced(own, update, at, axis + 1)
    found = [x for x in (before, inner, after) if x is not None]
    return emit.tosa_concat(found, axis) if len(found) > 1 else inner


def _updated(node: Node, shape: emit.Shape, block: emit.Shape) -> ir.Value:
    """Store the update at a start that is read first and clamped into the tensor."""
    dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
    limits = [n - b for n, b in zip(shape, block, strict=True)]
    starts = [_start(node.value(2), i, most) for i, most in enumerate(limits) if most]
    places = [dynamic if most else 0 for most in limits]
    return tensor.InsertSliceOp(
        node.value(1), node.value(0), starts, [], [], places, list(block), [1] * len(shape)
    ).result


def _start(starts: ir.Value, axis: int, most: int) -> ir.Value:
    index = ir.IndexType.get()
    start = tensor.ExtractOp(starts, [arith.ConstantOp(index, axis).result]).result
    return arith.IndexCastOp(index, scalar.clamp(start, 0, most)).result
