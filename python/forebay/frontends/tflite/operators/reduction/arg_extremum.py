"""ARG_MAX and ARG_MIN: `tosa.argmax`, of the reversed order for ARG_MIN; the first one counts."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, tosa

from forebay.frontends.elementwise import map_elements
from forebay.frontends.tflite.file.options import OperatorOptions, SchemaInt8
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator
from forebay.lowering.kernels import scalar


class ArgMaxOptions(OperatorOptions, frozen=True):
    """ARG_MAX."""

    output_type: SchemaInt8


class ArgMinOptions(OperatorOptions, frozen=True):
    """ARG_MIN."""

    output_type: SchemaInt8


_INDICES = (ElementType.INT32, ElementType.INT64)
_DATA = (ElementType.FLOAT32, ElementType.INT8, ElementType.INT16, ElementType.INT32)

document(
    "ARG_MAX",
    "ARG_MIN",
    types="int8, int16, int32, float32 to int32, int64",
    limits="constant axis",
    becomes="`argmax`, ARG_MIN with a `linalg.generic` before it",
    exact="yes",
)


@operator("ARG_MAX", newest_version=3)
def arg_max(node: Node) -> Sequence[ir.Value]:
    """Lower the position of the largest element along an axis."""
    return [_position(node, _operand(node))]


@operator("ARG_MIN", newest_version=3)
def arg_min(node: Node) -> Sequence[ir.Value]:
    """Lower the position of the smallest element along an axis."""
    value = _operand(node)
    element = emit.element_of(value)
    return [_position(node, map_elements([value], node.shape(0), element, _reversed))]


def _operand(node: Node) -> ir.Value:
    node.expect_operands(2)
    node.expect_types(*((d, a, r) for d in _DATA for a in _INDICES for r in _INDICES))
    return node.value(0)


def _reversed(ins: Sequence[ir.Value]) -> ir.Value:
    """Return a number in the reversed order: -x of floats, -1 - x of integers."""
    (x,) = ins
    if isinstance(x.type, ir.FloatType):
        return arith.NegFOp(x).result
    return arith.XOrIOp(x, scalar.scalar_constant(-1, x.type)).result


def _position(node: Node, value: ir.Value) -> ir.Value:
    shape = node.shape(0)
    axis = node.axis(node.integer(1), len(shape))
    result = [d for i, d in enumerate(shape) if i != axis]
    found = tosa.ArgMaxOp(emit.tensor_type(result, emit.signless(32)), value, axis).result
    if node.output.type is ElementType.INT32:
        return found
    return map_elements([found], result, emit.signless(64), _extended)


def _extended(ins: Sequence[ir.Value]) -> ir.Value:
    return arith.ExtSIOp(emit.signless(64), ins[0]).result
