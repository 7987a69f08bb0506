"""Convolutions in parts: ranges of output blocks whose weights fit into the engine's memory.

    weights   [0 .. n) ──> wei_mem ──> conv2d ──> blocks [0 .. n) of the result
    weights   [n .. m) ──> wei_mem ──> conv2d ──> blocks [n .. m)

A range of blocks is contiguous, so each call writes its part of the one result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import tensor

from forebay.ir import fused
from forebay.targets.fetch_conv.constants import is_depthwise
from forebay.targets.fetch_conv.layout import BLOCK, blocks_of
from forebay.targets.fetch_conv.shape import Weighted, folded

_TABLE_BYTES = 3 * BLOCK * 4
"""Of one output block: biases, multipliers and shifts."""


@dataclass(frozen=True)
class Part:
    """Output blocks `[start, end)`."""

    start: int
    end: int

    @property
    def blocks(self) -> int:
        """How many there are."""
        return self.end - self.start


def bytes_per_block(view: Weighted) -> int:
    """Of weights and table, for 16 output channels."""
    fold = folded(view)
    inputs = 1
    if not is_depthwise(view):
        channels = fused.shape_of(view.source)[3] * fold.by[0] * fold.by[1]
        inputs = blocks_of(channels) * BLOCK
    return BLOCK * inputs * fold.kernel[0] * fold.kernel[1] + _TABLE_BYTES


def parts_of(view: Weighted, wei_mem: int | None) -> Iterator[Part]:
    """As few parts as there can be, none of which takes more than `wei_mem` bytes of weights."""
    blocks = blocks_of(fused.shape_of(view.result)[3])
    most = blocks if wei_mem is None else wei_mem // bytes_per_block(view)
    for start in range(0, blocks, most):
        yield Part(start, min(start + most, blocks))


def cut(value: ir.Value, part: Part) -> ir.Value:
    """The part's blocks of an image."""
    shape = fused.shape_of(value)
    if part.blocks == shape[0]:
        return value
    type_ = ir.RankedTensorType.get([part.blocks, *shape[1:]], fused.element_type(value))
    offsets, sizes, strides = _range(value, part)
    return tensor.ExtractSliceOp(type_, value, [], [], [], offsets, sizes, strides).result


def put(value: ir.Value, whole: ir.Value, part: Part) -> ir.Value:
    """The whole image with these blocks as the part's."""
    if part.blocks == fused.shape_of(whole)[0]:
        return value
    offsets, sizes, strides = _range(whole, part)
    return tensor.InsertSliceOp(value, whole, [], [], [], offsets, sizes, strides).result


def _range(value: ir.Value, part: Part) -> tuple[list[int], list[int], list[int]]:
    shape = fused.shape_of(value)
    rest = len(shape) - 1
    return [part.start, *[0] * rest], [part.blocks, *shape[1:]], [1] * (rest + 1)
