"""A memref at run time: an array view of a buffer in a memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from forebay.emulator.memory.buffers import EmulatedBuffer
from forebay.emulator.memory.footprint import Footprint

Sizes = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class MemoryView:
    """An array view of a buffer.

    Element `(i0, i1, ...)` is at byte `at + i0 * strides[0] + i1 * strides[1] + ...`. `at` counts
    from the first byte of the memory with number `buffer.memory`; strides are in bytes.
    """

    buffer: EmulatedBuffer
    at: int
    shape: Sizes
    strides: Sizes
    dtype: np.dtype[Any]
    base: int
    """The byte from which a new offset counts; `memref.view` changes it."""

    @property
    def key(self) -> tuple[Sizes, Sizes, int]:
        """Return the values that determine the footprint of an access by indices."""
        return self.shape, self.strides, self.dtype.itemsize

    @cached_property
    def whole(self) -> Footprint:
        """Return all bytes of the view."""
        return _whole(*self.key)


def row_major(shape: Sequence[int], itemsize: int) -> Sizes:
    """Return the strides in bytes of a contiguous array."""
    strides: list[int] = []
    step = itemsize
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


@cache
def _whole(shape: Sizes, strides: Sizes, itemsize: int) -> Footprint:
    """Return all bytes of an array."""
    return Footprint.of_axes(list(zip(shape, strides, strict=True)), itemsize)
