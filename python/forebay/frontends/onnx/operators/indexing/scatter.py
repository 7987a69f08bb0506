"""ScatterElements and ScatterND: a tensor with other elements at positions that a tensor gives.

The updates are written one after the other, in loops, because positions may repeat: the last one
counts, or all are added, multiplied or compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import scf, tensor

from forebay.frontends import tosa as emit
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator
from forebay.frontends.onnx.lowering.rows import expect_indices, index_tuple, row_index
from forebay.lowering.kernels import scalar

document_onnx(
    "ScatterElements",
    "ScatterND",
    types="all, by int32, int64; with a reduction: float32, int32, int64",
    limits="an index outside writes the nearest row",
    golden="bits",
)

_Place = Callable[[Sequence[ir.Value]], Sequence[ir.Value]]
"""Emits the position in the result from the position of an update."""
_REDUCTIONS: dict[str, Callable[[ir.Value, ir.Value], ir.Value]] = {
    "none": lambda _, update: update,
    "add": scalar.add,
    "mul": scalar.multiply,
    "max": scalar.at_least,
    "min": scalar.at_most,
}


@onnx_operator("ScatterElements")
def scatter_elements(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower updates at positions of their own along one axis."""
    data_shape, shape = node.shape(0), node.shape(1)
    axis = node.axis(int(node.attribute("axis", 0)), len(data_shape))
    fits = all(s <= d or i == axis for i, (s, d) in enumerate(zip(shape, data_shape, strict=False)))
    if len(data_shape) != len(shape) or shape != node.shape(2) or not fits:
        node.malformed(f"indices of shape {list(shape)} for {list(data_shape)}")
    expect_indices(node, 1)
    indices = node.value(1)

    def place(at: Sequence[ir.Value]) -> Sequence[ir.Value]:
        found = list(at)
        found[axis] = row_index(tensor.ExtractOp(indices, at).result, data_shape[axis])
        return found

    return [_scattered(node, place)]


@onnx_operator("ScatterND")
def scatter_nd(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower parts at the positions that the vectors of a tensor give."""
    data_shape, shape = node.shape(0), node.shape(1)
    expect_indices(node, 1)
    *outer, length = shape or (0,)
    if not 1 <= length <= len(data_shape) or node.shape(2) != (*outer, *data_shape[length:]):
        node.malformed(f"indices of shape {list(shape)} for {list(data_shape)}")
    indices = node.value(1)

    def place(at: Sequence[ir.Value]) -> Sequence[ir.Value]:
        vector = at[: len(outer)]
        return [*index_tuple(indices, vector, data_shape[:length]), *at[len(outer) :]]

    return [_scattered(node, place)]


def _scattered(node: OnnxNode, place: _Place) -> LaidOut:
    """Build the loops over the updates, operand 2, that write into operand 0."""
    reduction = str(node.attribute("reduction", "none"))
    reduce = _REDUCTIONS.get(reduction)
    if reduce is None:
        node.malformed(f"the reduction '{reduction}'")
    kind = node.dtype(0).name
    if reduction != "none" and kind not in ("float32", "int32", "int64"):
        node.refuse(f"a reduction of {kind}", "float32, int32 and int64 are")
    updates = node.value(2)
    shape = emit.static_shape_of(updates)
    index = ir.IndexType.get()
    zero, one = (scalar.scalar_constant(i, index) for i in range(2))
    counts = [scalar.scalar_constant(d, index) for d in shape]

    def write(target: ir.Value, at: list[ir.Value]) -> ir.Value:
        if len(at) < len(counts):
            loop = scf.ForOp(zero, counts[len(at)], one, [target])
            with ir.InsertionPoint(loop.body):
                inner = write(loop.inner_iter_args[0], [*at, loop.induction_variable])
                scf.YieldOp([inner])
            return loop.results[0]
        position = list(place(at))
        update = tensor.ExtractOp(updates, at).result
        if reduction != "none":
            update = reduce(tensor.ExtractOp(target, position).result, update)
        return tensor.InsertOp(update, target, position).result

    return LaidOut(write(node.value(0), []))
