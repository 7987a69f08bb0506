"""IsInf: whether an element is infinite; float32 only."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith

from forebay.frontends import tosa as emit
from forebay.frontends.elementwise import map_elements
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator
from forebay.lowering.kernels import scalar

document_onnx("IsInf", types="float32", golden="bits")


@onnx_operator("IsInf")
def is_inf(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower a comparison with each infinity that the attributes name."""
    node.expect_floats(0)
    given = (("detect_positive", math.inf), ("detect_negative", -math.inf))
    limits = [limit for name, limit in given if node.attribute(name, 1)]
    operand = node.operand(0)
    i1 = emit.signless(1)

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        found = scalar.scalar_constant(0, i1)
        for limit in limits:
            infinite = scalar.scalar_constant(limit, ins[0].type)
            equal = arith.CmpFOp(arith.CmpFPredicate.OEQ, ins[0], infinite).result
            found = arith.OrIOp(found, equal).result
        return found

    shape = emit.static_shape_of(operand.value)
    return [operand.with_value(map_elements([operand.value], shape, i1, compute))]
