"""If, Loop and Scan, as far as `model.control_flow` leaves them."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith

from forebay.frontends import tosa as emit
from forebay.frontends.elementwise import map_elements
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator
from forebay.frontends.onnx.model.control_flow import REFUSED

document_onnx(
    *("If", "Loop", "Scan"),
    types="all",
    limits="an If on data computes both branches, whose results have one shape; Loop and Scan: a "
    "number of iterations that is known at import, each with operators of its own",
    golden="those of the operators",
)


@onnx_operator("If")
def if_(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower the choice between the results of both branches, operands 1 and 2."""
    values = [node.value(i) for i in (1, 2)]
    shapes = [emit.static_shape_of(value) for value in values]
    if shapes[0] != shapes[1] or node.dtype(1) != node.dtype(2):
        node.refuse(
            f"branches with results of {list(shapes[0])} and {list(shapes[1])}",
            "give both one shape, or make the condition a constant",
        )
    condition = emit.tosa_reshape(node.value(0), (1,))

    def choose(ins: Sequence[ir.Value]) -> ir.Value:
        return arith.SelectOp(*ins).result

    element = emit.element_of(values[0])
    return [LaidOut(map_elements([condition, *values], shapes[0], element, choose))]


@onnx_operator("Loop", "Scan")
def loop(node: OnnxNode) -> Sequence[LaidOut]:
    """Refuse a loop that could not be written as its iterations."""
    node.refuse(*node.operator.attributes[REFUSED])
