"""DEPTH_TO_SPACE, SPACE_TO_DEPTH, SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND: `tosa.transpose`.

Blocks of a spatial dimension become a dimension of their own by a reshape, move, and are merged:

    SPACE_TO_DEPTH    [n, y, by, x, bx, c] -> [n, y, x, by, bx, c]
    SPACE_TO_BATCH_ND [n, y, by, x, bx, c] -> [by, bx, n, y, x, c], after padding

int8 is padded with the zero point, as in LiteRT; TFLite Micro leaves that value uninitialised.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import tosa

from forebay.frontends.tflite.file.options import OperatorOptions, SchemaInt32
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator


class DepthToSpaceOptions(OperatorOptions, frozen=True):
    """DEPTH_TO_SPACE."""

    block_size: SchemaInt32


class SpaceToDepthOptions(OperatorOptions, frozen=True):
    """SPACE_TO_DEPTH."""

    block_size: SchemaInt32


document(
    "DEPTH_TO_SPACE",
    "SPACE_TO_DEPTH",
    "SPACE_TO_BATCH_ND",
    "BATCH_TO_SPACE_ND",
    types="all below",
    limits="constant blocks, one quantisation",
    becomes="[`pad`], `reshape`, `transpose`, `reshape`, [`slice`]",
    exact="yes",
)


@operator("DEPTH_TO_SPACE", newest_version=2)
def depth_to_space(node: Node) -> Sequence[ir.Value]:
    """Spread blocks of channels over height and width."""
    node.expect_operands(1)
    _check(node)
    block = node.options(DepthToSpaceOptions).block_size
    node.expect_rank(0, 4)
    n, y, x, c = node.shape(0)
    if block < 1 or c % (block * block):
        node.malformed(f"{c} channels do not divide into blocks of {block}x{block}")
    depth = c // (block * block)
    apart = emit.tosa_reshape(node.value(0), (n, y, x, block, block, depth))
    moved = _transposed(apart, (0, 1, 3, 2, 4, 5))
    return [emit.tosa_reshape(moved, (n, y * block, x * block, depth))]


@operator("SPACE_TO_DEPTH", newest_version=2)
def space_to_depth(node: Node) -> Sequence[ir.Value]:
    """Gather blocks of height and width as channels."""
    node.expect_operands(1)
    _check(node)
    block = node.options(SpaceToDepthOptions).block_size
    node.expect_rank(0, 4)
    n, y, x, c = node.shape(0)
    if block < 1 or y % block or x % block:
        node.malformed(f"{y}x{x} elements do not divide into blocks of {block}x{block}")
    apart = emit.tosa_reshape(node.value(0), (n, y // block, block, x // block, block, c))
    moved = _transposed(apart, (0, 1, 3, 2, 4, 5))
    return [emit.tosa_reshape(moved, (n, y // block, x // block, block * block * c))]


@operator("SPACE_TO_BATCH_ND", newest_version=4)
def space_to_batch_nd(node: Node) -> Sequence[ir.Value]:
    """Pad, and gather blocks of the spatial dimensions as batches."""
    node.expect_operands(3)
    _check(node)
    blocks, borders = _blocks(node)
    batch, *spatial, depth = _padded_shape(node, borders)
    if any(d % b for d, b in zip(spatial, blocks, strict=True)):
        node.malformed(f"{spatial} elements do not divide into blocks of {blocks}")
    sizes = [d // b for d, b in zip(spatial, blocks, strict=True)]
    count = len(blocks)
    apart = [n for pair in zip(sizes, blocks, strict=True) for n in pair]
    value = emit.tosa_reshape(_padded(node, borders), (batch, *apart, depth))
    order = (*range(2, 2 * count + 1, 2), 0, *range(1, 2 * count, 2), 2 * count + 1)
    result = (batch * math.prod(blocks), *sizes, depth)
    return [emit.tosa_reshape(_transposed(value, order), result)]


@operator("BATCH_TO_SPACE_ND", newest_version=4)
def batch_to_space_nd(node: Node) -> Sequence[ir.Value]:
    """Spread batches over blocks of the spatial dimensions, and crop."""
    node.expect_operands(3)
    _check(node)
    blocks, crops = _blocks(node)
    batch, *spatial, depth = node.shape(0)
    if batch % math.prod(blocks):
        node.malformed(f"{batch} batches do not divide into blocks of {blocks}")
    count = len(blocks)
    rest = batch // math.prod(blocks)
    value = emit.tosa_reshape(node.value(0), (*blocks, rest, *spatial, depth))
    pairs = ((count + 1 + i, i) for i in range(count))
    order = (count, *(n for pair in pairs for n in pair), 2 * count + 1)
    sizes = [d * b for d, b in zip(spatial, blocks, strict=True)]
    whole = emit.tosa_reshape(_transposed(value, order), (rest, *sizes, depth))
    kept = [d - before - after for d, (before, after) in zip(sizes, crops, strict=True)]
    if min(kept) < 1:
        node.malformed(f"the crops {crops} leave nothing of {sizes}")
    return [emit.tosa_slice(whole, (0, *(before for before, _ in crops), 0), (rest, *kept, depth))]


def _check(node: Node) -> None:
    node.expect_same_types()
    node.expect_same_quantization()


def _blocks(node: Node) -> tuple[list[int], list[tuple[int, int]]]:
    blocks = node.integers(1)
    borders = np.asarray(node.constant(2), np.int64)
    spatial = len(node.shape(0)) - 2
    is_right = len(blocks) == spatial and borders.shape == (spatial, 2)
    if not is_right or spatial < 1 or min(blocks) < 1 or (borders < 0).any():
        node.malformed(f"blocks {blocks} and borders {borders.tolist()} of {spatial} dimensions")
    return blocks, [(int(before), int(after)) for before, after in borders]


def _padded_shape(node: Node, borders: Sequence[tuple[int, int]]) -> list[int]:
    batch, *spatial, depth = node.shape(0)
    pairs = zip(spatial, borders, strict=True)
    return [batch, *(d + before + after for d, (before, after) in pairs), depth]


def _padded(node: Node, borders: Sequence[tuple[int, int]]) -> ir.Value:
    if all(border == (0, 0) for border in borders):
        return node.value(0)
    element = node.output.type
    zero = node.quantization(node.output).zero_point if element.is_quantised else 0
    value = node.value(0)
    flat = [0, 0, *(n for border in borders for n in border), 0, 0]
    return tosa.PadOp(
        emit.tensor_type(_padded_shape(node, borders), emit.element_of(value)),
        value,
        emit.tosa_shape(flat),
        emit.tosa_constant(np.array([zero], element.value)),
    ).result


def _transposed(value: ir.Value, order: Sequence[int]) -> ir.Value:
    shape = emit.static_shape_of(value)
    result = [shape[i] for i in order]
    moving = [i for i in order if shape[i] != 1]
    if moving == sorted(moving):
        return emit.tosa_reshape(value, result)
    kind = emit.tensor_type(result, emit.element_of(value))
    return tosa.TransposeOp(kind, value, ir.DenseI32ArrayAttr.get(list(order))).result
