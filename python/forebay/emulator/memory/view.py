"""A memref at run time: a buffer in a memory, seen as an array."""

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
    """Element `(i0, i1, ...)` lies at byte `at + i0 * strides[0] + i1 * strides[1] + ...`.

    `at` counts from the first byte of the memory with number `buffer.memory`; strides are bytes.
    """

    buffer: EmulatedBuffer
    at: int
    shape: Sizes
    strides: Sizes
    dtype: np.dtype[Any]
    base: int
    """The byte that a new offset counts from; `memref.view` moves it."""

    @property
    def key(self) -> tuple[Sizes, Sizes, int]:
        """What the footprint of an access by indices depends on."""
        return self.shape, self.strides, self.dtype.itemsize

    @cached_property
    def whole(self) -> Footprint:
        """All bytes of the view."""
        return whole(*self.key)


def row_major(shape: Sequence[int], itemsize: int) -> Sizes:
    """Strides in bytes of a contiguous array."""
    strides: list[int] = []
    step = itemsize
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


@cache
def whole(shape: Sizes, strides: Sizes, itemsize: int) -> Footprint:
    """All bytes of an array."""
    return Footprint.of_axes(list(zip(shape, strides, strict=True)), itemsize)
