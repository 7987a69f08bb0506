"""PAD and PADV2: `tosa.pad` with the zero point, with 0.0, or with the constant of operand 2."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import tosa

from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator

_DATA = (ElementType.INT8, ElementType.INT16, ElementType.INT32, ElementType.FLOAT32)
_SHAPES = (ElementType.INT32, ElementType.INT64)

document(
    "PAD",
    "PADV2",
    types="int8, int16, int32, float32",
    limits="constant paddings, one quantisation",
    becomes="`pad`",
    exact="yes",
)


@operator("PAD", newest_version=5)
def pad(node: Node) -> Sequence[ir.Value]:
    """Pad with the value that represents zero."""
    node.expect_operands(2)
    node.expect_types(*((d, s, d) for d in _DATA for s in _SHAPES))
    node.expect_same_quantization()
    element = node.output.type
    is_quantised = element in (ElementType.INT8, ElementType.INT16)
    zero = node.quantization(node.output).zero_point if is_quantised else 0
    return [_pad(node, emit.tosa_constant(np.array([zero], element.value)))]


@operator("PADV2", newest_version=5)
def pad_v2(node: Node) -> Sequence[ir.Value]:
    """Pad with a given constant, which has the quantisation of the data."""
    node.expect_operands(3)
    node.expect_types(*((d, s, d, d) for d in _DATA for s in _SHAPES))
    node.expect_same_quantization()
    value = node.constant(2)
    if value.size != 1:
        node.malformed(f"the padding value has {value.size} elements")
    return [_pad(node, emit.tosa_constant(value.reshape(1)))]


def _pad(node: Node, value: ir.Value) -> ir.Value:
    shape, paddings = node.shape(0), np.asarray(node.constant(1), np.int64)
    if paddings.shape != (len(shape), 2) or (paddings < 0).any():
        node.malformed(f"the paddings {paddings.tolist()} do not fit the shape {list(shape)}")
    amounts = [(int(before), int(after)) for before, after in paddings]
    result = [d + before + after for d, (before, after) in zip(shape, amounts, strict=True)]
    flat = [amount for pair in amounts for amount in pair]
    node.expect_size(result)
    return tosa.PadOp(
        emit.tensor_type(result, emit.element_of(value)),
        node.value(0),
        emit.tosa_shape(flat),
        value,
    ).result
