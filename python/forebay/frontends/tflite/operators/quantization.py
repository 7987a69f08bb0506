"""QUANTIZE between integers: one rescale, which reads or writes uint8 as unsigned."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from forebay.frontends.tflite import emit
from forebay.frontends.tflite.node import Node
from forebay.frontends.tflite.registry import operator
from forebay.frontends.tflite.schema import ElementType

_I8, _U8 = ElementType.INT8, ElementType.UINT8


@operator("QUANTIZE", newest_version=1)
def quantize(node: Node) -> Sequence[ir.Value]:
    """From one scale and zero point to another."""
    node.expect_operands(1)
    node.expect_types((_I8, _I8), (_I8, _U8), (_U8, _I8))
    source, target = node.quantization(node.input(0)), node.quantization(node.output)
    return [
        emit.rescale(
            node.value(0),
            emit.element_type(node.output.type),
            [node.multiplier(source.scale / target.scale)],
            input_zp=source.zero_point,
            output_zp=target.zero_point,
            input_unsigned=node.input(0).type is _U8,
            output_unsigned=node.output.type is _U8,
        )
    ]
