"""Channels in blocks of 16: `[1][height][width][channels]` as `[blocks][height][width][16]`."""

from __future__ import annotations

from mlir import ir

from forebay.ir.fused import shape_of
from forebay.targets.description.emit import Emit

BLOCK = 16
"""Channels that the engine works on together."""


def blocks_of(channels: int) -> int:
    """How many blocks hold so many channels."""
    return -(-channels // BLOCK)


def to_blocks(value: ir.Value, fill: int, emit: Emit) -> ir.Value:
    """One image in blocks; the last one's missing channels are `fill`."""
    _, height, width, channels = shape_of(value)
    blocks = blocks_of(channels)
    missing = blocks * BLOCK - channels
    padded = emit.pad(value, (0, 0, 0, 0), (0, 0, 0, missing), fill)
    split = emit.reshape(padded, (height, width, blocks, BLOCK))
    return emit.transpose(split, (2, 0, 1, 3))


def from_blocks(value: ir.Value, channels: int, emit: Emit) -> ir.Value:
    """One image in NHWC, without the channels that only fill the last block."""
    blocks, height, width, lanes = shape_of(value)
    together = emit.transpose(value, (1, 2, 0, 3))
    image = emit.reshape(together, (1, height, width, blocks * lanes))
    return emit.pad(image, (0, 0, 0, 0), (0, 0, 0, channels - blocks * lanes), 0)
