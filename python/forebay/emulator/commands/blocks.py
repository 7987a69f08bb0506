"""Blocks that a transfer moves: runs of contiguous bytes, repeated along outer dimensions."""

from __future__ import annotations

from dataclasses import dataclass

from forebay.emulator.memory.view import MemoryView


@dataclass(frozen=True)
class BlockAxis:
    """An outer dimension: its extent, and its stride in bytes on each side."""

    extent: int
    source_stride: int
    target_stride: int


@dataclass(frozen=True)
class StridedBlock:
    """A block of `run` contiguous bytes for each point of the `axes`, which are outermost first."""

    axes: tuple[BlockAxis, ...]
    run: int

    @property
    def rank(self) -> int:
        """Return the number of dimensions; the run counts as one."""
        return 1 + len(self.axes)


def strided_block_of(source: MemoryView, target: MemoryView) -> StridedBlock:
    """Return the block of the lowest rank that moves all elements of one view to the other."""
    run, axes = source.dtype.itemsize, list[BlockAxis]()
    dims = zip(source.shape, source.strides, target.strides, strict=True)
    for extent, *strides in reversed(list(dims)):
        if extent == 1:
            continue
        inner = axes[-1] if axes else None
        if inner is None and strides == [run, run]:
            run *= extent
        elif inner is not None and strides == _behind(inner):
            axes[-1] = BlockAxis(inner.extent * extent, inner.source_stride, inner.target_stride)
        else:
            axes.append(BlockAxis(extent, *strides))
    return StridedBlock(tuple(reversed(axes)), run)


def _behind(axis: BlockAxis) -> list[int]:
    """Return the strides of a dimension that continues where this one ends."""
    return [axis.extent * axis.source_stride, axis.extent * axis.target_stride]
