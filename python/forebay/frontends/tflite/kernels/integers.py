"""Sums, differences and products of int32 and int64, which wrap as they do on the machines."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir

from forebay.frontends.elementwise import map_elements
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.activation import activation_bounds
from forebay.frontends.tflite.lowering.broadcast import result_shape
from forebay.frontends.tflite.lowering.node import Node
from forebay.lowering.kernels import scalar

INTEGERS = (ElementType.INT32, ElementType.INT64)


def lower_integers(
    node: Node, op: Callable[[ir.Value, ir.Value], ir.OpView], activation: int
) -> ir.Value:
    """Build one op on both operands, broadcast to one shape."""
    bounds = activation_bounds(node, activation)

    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        value = op(*ins).operation.results[0]
        return scalar.clamp(value, *bounds) if bounds else value

    element = emit.mlir_type_of(node.output.type)
    operands = [node.value(0), node.value(1)]
    return map_elements(operands, result_shape(node, 0, 1), element, compute)
