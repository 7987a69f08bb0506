"""ReverseSequence: the first elements of each sequence in the opposite order."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, tensor

from forebay.frontends import tosa as emit
from forebay.frontends.elementwise import map_indexed, position_along
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator
from forebay.frontends.onnx.lowering.rows import expect_indices
from forebay.lowering.kernels import scalar

document_onnx(
    "ReverseSequence",
    types="all, by int32, int64",
    limits="a length outside of the sequence is limited",
    golden="bits",
)


@onnx_operator("ReverseSequence")
def reverse_sequence(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower element `length - 1 - i` for each `i` below the length of its sequence."""
    shape = node.shape(0)
    time = node.axis(int(node.attribute("time_axis", 0)), len(shape))
    batch = node.axis(int(node.attribute("batch_axis", 1)), len(shape))
    if time == batch or node.shape(1) != (shape[batch],):
        node.malformed(f"lengths of shape {list(node.shape(1))} for {list(shape)}")
    expect_indices(node, 1)
    value = node.value(0)

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        at = [position_along(i) for i in range(len(shape))]
        length = scalar.clamp(ins[0], 0, shape[time])
        last = arith.IndexCastOp(ir.IndexType.get(), scalar.add_constant(length, -1)).result
        mirrored = arith.SubIOp(last, at[time]).result
        zero = scalar.scalar_constant(0, ir.IndexType.get())
        is_behind = arith.CmpIOp(arith.CmpIPredicate.slt, mirrored, zero).result
        at[time] = arith.SelectOp(is_behind, at[time], mirrored).result
        return tensor.ExtractOp(value, at).result

    lengths = (node.value(1), [ir.AffineExpr.get_dim(batch)])
    return [LaidOut(map_indexed([lengths], shape, emit.element_of(value), compute))]
