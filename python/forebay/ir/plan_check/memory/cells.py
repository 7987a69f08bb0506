"""Cells: the parts of placed buffers that shadow memory marks one by one. Knows no IR.

A row of a memref of rows is a placed buffer and a cell. In a program with such memrefs a contiguous
buffer has a cell for each row, too. Any other buffer is one cell::

    buffer     0  1  2  3          rows 0 to 3 of a memref of rows, at places of their own
    cells      0  1  2  3
    buffer     4                   contiguous, 3 rows of 8 bytes
    cells      4  5  6             bytes [0, 8), [8, 16), [16, 24) of buffer 4
"""

from __future__ import annotations

import math

from msgspec.structs import replace

from forebay.ir.plan_check.buffers.placed import PlacedBuffer, PlacedBuffers
from forebay.ir.plan_check.memory.shadow_memory import PlacedBytes


class Cells:
    """The cells of a module's buffers, in the order of the buffers and of their bytes."""

    def __init__(self, placing: PlacedBuffers) -> None:
        self.places: list[PlacedBytes] = []
        self._placing = placing
        self._first: list[int] = []
        self._owners: list[int] = []
        for number in range(len(placing.buffers)):
            self.add(number)

    def add(self, number: int) -> range:
        """Add the cells of the next buffer and return them."""
        pool, begin, end = self._placing.buffers[number].address_range
        size = max(1, self._size(number))
        self._first.append(len(self.places))
        for start in range(begin, end, size) if begin < end else (begin,):
            self.places.append(PlacedBytes(pool, start, min(start + size, end)))
            self._owners.append(number)
        return range(self._first[number], len(self.places))

    def of_buffer(self, number: int) -> range:
        """Return the cells of a buffer."""
        end = self._first[number + 1] if number + 1 < len(self._first) else len(self.places)
        return range(self._first[number], end)

    def of_span(self, number: int, low: float, high: float) -> range:
        """Return the cells with bytes `[low, high)`, counted from the beginning of the buffer."""
        cells, size = self.of_buffer(number), self._size(number)
        if len(cells) == 1 or not size:
            return cells
        first = 0 if math.isinf(low) else max(0, int(low) // size)
        behind = len(cells) if math.isinf(high) else min(len(cells), -(-int(high) // size))
        return cells[first:behind]

    def has_parts(self, number: int) -> bool:
        """Return whether the buffer has several cells."""
        return len(self.of_buffer(number)) > 1

    def is_unwritten(self, cell: int) -> bool:
        """Return whether nothing is in the cell before the program writes it."""
        return self._owners[cell] in self._placing.unwritten

    def described(self, cell: int) -> PlacedBuffer:
        """Return the buffer of a cell for messages: the row, where it is a row of several."""
        number = self._owners[cell]
        buffer, place = self._placing.buffers[number], self.places[cell]
        if len(self.of_buffer(number)) == 1:
            return buffer
        row = cell - self._first[number]
        name = f"{buffer.name}[{row}]"
        return replace(buffer, name=name, start=place.start, end=place.end)

    def _size(self, number: int) -> int:
        """Return the bytes of each cell of a buffer; the last one may have fewer."""
        buffer = self._placing.buffers[number]
        return self._placing.row_bytes.get(number, buffer.end - buffer.start)
