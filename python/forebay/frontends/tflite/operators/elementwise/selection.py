"""SELECT, SELECT_V2 and PRELU: one of two values per element."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith

from forebay.frontends.elementwise import Compute, map_elements, single_result
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.kernels.scaled import centred, is_negative, rescaled, saturated
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.broadcast import result_shape
from forebay.frontends.tflite.lowering.node import DIFFERENCE, Node
from forebay.frontends.tflite.lowering.registry import document, operator
from forebay.lowering.kernels import scalar

_I8, _F32 = ElementType.INT8, ElementType.FLOAT32

document(
    "PRELU",
    types="int8, float32",
    limits="broadcasting",
    becomes="`linalg.generic`",
    exact="yes",
)
document(
    "SELECT",
    "SELECT_V2",
    types="bool with two of all below",
    limits="broadcasting, one quantisation",
    becomes="`linalg.generic`",
    exact="yes",
    golden="TFLite Micro; SELECT: LiteRT",
)


@operator("SELECT_V2", newest_version=2)
def select_v2(node: Node) -> Sequence[ir.Value]:
    """Lower the choice of operand 1 where operand 0 is true, else of operand 2."""
    _check(node)
    return [_select(node, node.value(0), result_shape(node, 0, 1, 2))]


@operator("SELECT", newest_version=4)
def select(node: Node) -> Sequence[ir.Value]:
    """Lower SELECT_V2 without broadcasting; a condition of rank 1 selects whole rows."""
    _check(node)
    shape, condition = node.shape(1), node.value(0)
    if node.shape(2) != shape:
        node.malformed(f"operands of shapes {list(shape)} and {list(node.shape(2))}")
    if len(node.shape(0)) == 1 and len(shape) > 1:
        condition = emit.tosa_reshape(condition, (*node.shape(0), *[1] * (len(shape) - 1)))
    return [_select(node, condition, shape)]


@operator("PRELU", newest_version=1)
def prelu(node: Node) -> Sequence[ir.Value]:
    """Lower `x` where it is positive, else `alpha * x` with a tensor of alphas."""
    node.expect_operands(2)
    node.expect_types((_F32,) * 3, (_I8,) * 3)
    compute = _float_prelu if node.output.type is _F32 else _quantised_prelu(node)
    element = emit.mlir_type_of(node.output.type)
    operands = [node.value(0), node.value(1)]
    return [map_elements(operands, result_shape(node, 0, 1), element, compute)]


def _check(node: Node) -> None:
    node.expect_operands(3)
    if node.input(0).type is not ElementType.BOOL:
        node.malformed(f"its condition is of type {node.input(0).type_name}")
    node.expect_same_types(1)
    node.expect_same_types(2)
    node.expect_same_quantization()


def _select(node: Node, condition: ir.Value, shape: emit.Shape) -> ir.Value:
    operands = [condition, node.value(1), node.value(2)]
    element = emit.mlir_type_of(node.output.type)
    return map_elements(operands, shape, element, lambda ins: single_result(arith.SelectOp(*ins)))


def _float_prelu(ins: Sequence[ir.Value]) -> ir.Value:
    x, alpha = ins
    return arith.SelectOp(is_negative(x), scalar.multiply(x, alpha), x).result


def _quantised_prelu(node: Node) -> Compute:
    source, alphas = (node.quantization(t) for t in node.inputs())
    target = node.quantization(node.output)
    positive = node.multiplier(source.scale / target.scale, reach=DIFFERENCE)
    slope = source.scale * alphas.scale / target.scale
    negative = node.multiplier(slope, reach=DIFFERENCE**2)

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        x, alpha = centred(ins[0], source.zero_point), centred(ins[1], alphas.zero_point)
        scaled = rescaled(scalar.multiply(x, alpha), negative)
        value = arith.SelectOp(is_negative(x), scaled, rescaled(x, positive)).result
        return saturated(value, target.zero_point, _I8)

    return compute
