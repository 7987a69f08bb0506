"""Blocks of bytes that transfers move: outer dimensions with strides around one contiguous run.

::

    memref<4x8xi8, strided<[32, 1]>>  into  memref<4x8xi8>

    extents (4,)    source strides (32,)    target strides (8,)    run 8 bytes
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from msgspec import Struct

from forebay.ir.machine.pools import element_bytes


class BlockDimension(Struct, frozen=True):
    """One dimension: its extent, and the stride in bytes on both sides."""

    extent: int
    source_stride: int
    target_stride: int


class TransferBlock(Struct, frozen=True):
    """The fewest possible outer dimensions, outermost first, around a run of `bytes`."""

    outer: tuple[BlockDimension, ...]
    bytes: int

    @property
    def rank(self) -> int:
        """Return the number of dimensions, the run included."""
        return len(self.outer) + 1


def transfer_block_of(source: ir.MemRefType, target: ir.MemRefType) -> TransferBlock:
    """Return the block that a copy between two memrefs moves.

    The memrefs have equal static shapes and element types.
    """
    one, other = (t.get_strides_and_offset()[0] for t in (source, target))
    return block_of(source.shape, one, other, element_bytes(source.element_type))


def block_of(
    sizes: Sequence[int], source: Sequence[int], target: Sequence[int], size: int
) -> TransferBlock:
    """Return the block of elements of `size` bytes with these strides, in elements, per side."""
    merged: list[BlockDimension] = []
    for extent, one, other in zip(sizes, source, target, strict=True):
        if extent != 1:
            _append(merged, BlockDimension(extent, one * size, other * size))
    last = merged[-1] if merged else None
    if last is not None and last.source_stride == last.target_stride == size:
        return TransferBlock(tuple(merged[:-1]), last.extent * size)
    return TransferBlock(tuple(merged), size)


def _append(merged: list[BlockDimension], inner: BlockDimension) -> None:
    """Add a dimension; merge it into the last one where both sides continue without a gap."""
    if merged:
        outer = merged[-1]
        spans = (inner.extent * inner.source_stride, inner.extent * inner.target_stride)
        if spans == (outer.source_stride, outer.target_stride):
            merged[-1] = BlockDimension(
                outer.extent * inner.extent, inner.source_stride, inner.target_stride
            )
            return
    merged.append(inner)
