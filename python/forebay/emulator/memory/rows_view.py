"""A memref at run time whose rows lie anywhere in a memory: one buffer per row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebay.emulator.memory.buffers import EmulatedBuffer
from forebay.emulator.memory.footprint import Footprint
from forebay.emulator.memory.view import MemoryView, Sizes


@dataclass(frozen=True, eq=False)
class RowsView:
    """The rows in row-major order of the leading dimensions, of sizes `extents`.

    `shape` and `strides` are those of the whole, as if it were contiguous; kernels run on `packed`,
    a copy of the bytes of the rows in that order. `buffer` stands for the whole, and has no bytes.
    """

    buffer: EmulatedBuffer
    rows: tuple[MemoryView, ...]
    extents: Sizes
    shape: Sizes
    strides: Sizes
    dtype: np.dtype[Any]
    packed: NDArray[np.uint8]

    @property
    def at(self) -> int:
        """Return the first byte of the first row."""
        return self.rows[0].at

    @property
    def key(self) -> tuple[Sizes, Sizes, int]:
        """Return the values that determine the footprint of an access by indices."""
        return self.shape, self.strides, self.dtype.itemsize

    @property
    def row_bytes(self) -> int:
        """Return the size of a row."""
        return len(self.packed) // len(self.rows)

    def number(self, indices: Sequence[int]) -> int | None:
        """Return the number of the row at these indices, or None if there is none."""
        number = 0
        for index, extent in zip(indices, self.extents, strict=True):
            if not 0 <= index < extent:
                return None
            number = number * extent + index
        return number

    def parts(self, footprint: Footprint) -> list[tuple[int, Footprint]]:
        """Return the rows that a footprint of the whole touches, and its bytes in each."""
        if not footprint.size:
            return []
        size, (first, end) = self.row_bytes, footprint.span
        if not footprint.axes and footprint.scattered is None and first % size == end % size == 0:
            return [(row, Footprint(0, (), size)) for row in range(first // size, end // size)]
        marks = np.zeros(len(self.packed), np.bool_)
        footprint.put(marks, 0, 1)
        by_row = marks.reshape(len(self.rows), size)
        return [(int(row), _bytes(by_row[row])) for row in np.flatnonzero(by_row.any(axis=1))]


AnyView = MemoryView | RowsView
"""A memref at run time."""


def row_parts_of(view: AnyView, footprint: Footprint) -> list[tuple[MemoryView, Footprint]]:
    """Return the contiguous parts of a view that a footprint touches, with the bytes in each."""
    if isinstance(view, MemoryView):
        return [(view, footprint)]
    return [(view.rows[row], own) for row, own in view.parts(footprint)]


def _bytes(marks: NDArray[np.bool_]) -> Footprint:
    found = np.flatnonzero(marks)
    first, end = int(found[0]), int(found[-1]) + 1
    if end - first == len(found):
        return Footprint(first, (), end - first)
    return Footprint.of([found], 1)
