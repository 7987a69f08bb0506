"""Convert NHWC images to blocks of 16 channels, `[blocks][height][width][16]`, and back."""

from __future__ import annotations

from mlir import ir

from forebay.api.operators import shape_of
from forebay.api.target import Emit

BLOCK = 16
"""The number of channels that the engine processes together."""


def blocks_of(channels: int) -> int:
    """Return the number of blocks that hold this many channels."""
    return -(-channels // BLOCK)


def to_blocks(value: ir.Value, fill: int, emit: Emit) -> ir.Value:
    """Convert one NHWC image to blocks; the missing channels of the last block are `fill`."""
    _, height, width, channels = shape_of(value)
    blocks = blocks_of(channels)
    missing = blocks * BLOCK - channels
    padded = emit.pad(value, (0, 0, 0, 0), (0, 0, 0, missing), fill)
    split = emit.reshape(padded, (height, width, blocks, BLOCK))
    return emit.transpose(split, (2, 0, 1, 3))


def from_blocks(value: ir.Value, channels: int, emit: Emit) -> ir.Value:
    """Convert one image to NHWC, without the channels that only fill the last block."""
    blocks, height, width, lanes = shape_of(value)
    together = emit.transpose(value, (1, 2, 0, 3))
    image = emit.reshape(together, (1, height, width, blocks * lanes))
    return emit.pad(image, (0, 0, 0, 0), (0, 0, 0, channels - blocks * lanes), 0)
