"""Convolution2DTransposeBias: MediaPipe's transposed convolution of float32 with a bias.

Its options are the bytes of three int32: padding (1 for SAME, 2 for VALID), and the strides along
width and height. SAME leaves out what a convolution from the result to the input would pad.
Source: MediaPipe `transpose_conv_bias.cc`.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from mlir import ir

from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator
from forebay.frontends.tflite.lowering.weights import check_weights
from forebay.frontends.tflite.operators.products.transposed_convolution import transposed_sums

_OPTIONS = struct.Struct("<3i")
_SAME, _VALID = 1, 2

document(
    "Convolution2DTransposeBias",
    types="float32",
    limits="constant weights",
    becomes="`transpose_conv2d`",
    exact="",
    golden="MediaPipe",
)


@operator("Convolution2DTransposeBias", newest_version=1)
def convolution_2d_transpose_bias(node: Node) -> Sequence[ir.Value]:
    """Lower a transposed convolution, whose weights are OHWI."""
    node.expect_operands(3)
    node.expect_types((ElementType.FLOAT32,) * 4)
    node.expect_rank(0, 4)
    padding, *stride = _options(node)
    weights = check_weights(node, rank=4, channel_dimension=0)
    batch, *source, depth = node.shape(0)
    channels, *kernel, own_depth = weights.shape
    if own_depth != depth:
        node.malformed(f"weights of shape {list(weights.shape)} on {list(node.shape(0))}")
    triples = list(zip(source, kernel, stride, strict=True))
    lost = [max(0, k - (n - 1) % s - 1) if padding == _SAME else 0 for n, k, s in triples]
    sizes = [(n - 1) * s + k - less for (n, k, s), less in zip(triples, lost, strict=True)]
    pads = [-part for less in lost for part in (less // 2, less - less // 2)]
    shape = (batch, *sizes, channels)
    return [transposed_sums(node, weights, (stride[0], stride[1]), pads, shape)]


def _options(node: Node) -> tuple[int, int, int]:
    """Return padding, and strides along height and width."""
    content = node.operator.custom_options
    if len(content) < _OPTIONS.size:
        node.malformed(f"its options have {len(content)} bytes instead of {_OPTIONS.size}")
    padding, width, height = _OPTIONS.unpack_from(content)
    if padding not in (_SAME, _VALID) or min(width, height) < 1:
        node.malformed(f"padding number {padding} and strides {height} and {width}")
    return padding, height, width
