"""DepthToSpace and SpaceToDepth: blocks of pixels that become channels, and back."""

from __future__ import annotations

from collections.abc import Sequence

from forebay.frontends import tosa as emit
from forebay.frontends.onnx.lowering.layout import LaidOut, permuted
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator

document_onnx("DepthToSpace", "SpaceToDepth", types="all", golden="bits")


@onnx_operator("DepthToSpace")
def depth_to_space(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower channels that become blocks of pixels."""
    block = int(node.attribute("blocksize", 1))
    value = node.operand(0).channels_last()
    n, h, w, c = emit.static_shape_of(value)
    rest = c // (block * block)
    if rest * block * block != c:
        node.malformed(f"{c} channels in blocks of {block}")
    if node.attribute("mode", "DCR") == "DCR":
        split = emit.tosa_reshape(value, (n, h, w, block, block, rest))
        moved = permuted(split, [0, 1, 3, 2, 4, 5])
    else:
        split = emit.tosa_reshape(value, (n, h, w, rest, block, block))
        moved = permuted(split, [0, 1, 4, 2, 5, 3])
    return [LaidOut(emit.tosa_reshape(moved, (n, h * block, w * block, rest)), last=True)]


@onnx_operator("SpaceToDepth")
def space_to_depth(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower blocks of pixels that become channels."""
    block = int(node.attribute("blocksize", 1))
    value = node.operand(0).channels_last()
    n, h, w, c = emit.static_shape_of(value)
    if h % block or w % block:
        node.malformed(f"an image of {h} x {w} in blocks of {block}")
    split = emit.tosa_reshape(value, (n, h // block, block, w // block, block, c))
    is_depth_first = node.attribute("mode", "DCR") == "DCR"
    moved = permuted(split, [0, 1, 3, 2, 4, 5] if is_depth_first else [0, 1, 3, 5, 2, 4])
    shape = (n, h // block, w // block, c * block * block)
    return [LaidOut(emit.tosa_reshape(moved, shape), last=True)]
