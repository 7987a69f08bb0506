"""Copies of rows between their places and the packed array that a kernel takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from forebay.emulator.machine.machine import Machine
from forebay.emulator.memory.footprint import Footprint
from forebay.emulator.memory.rows_view import RowsView
from forebay.emulator.memory.view import MemoryView

_Parts = Sequence[tuple[MemoryView, Footprint]]


def pack_rows(machine: Machine, arguments: Iterable[Any], accessed: _Parts) -> None:
    """Copy the rows that a kernel accesses into the packed arrays of its arguments."""
    for packed, row in _rows(machine, arguments, accessed):
        packed[...] = row


def unpack_rows(machine: Machine, arguments: Iterable[Any], written: _Parts) -> None:
    """Copy the rows that a kernel has written to their places."""
    for packed, row in _rows(machine, arguments, written):
        row[...] = packed


def _rows(machine: Machine, arguments: Iterable[Any], parts: _Parts) -> list[tuple[Any, Any]]:
    """Return the packed bytes and the bytes in memory of each row among the parts."""
    numbers = {view.buffer.number for view, _ in parts if view.buffer.by_rows}
    found: list[tuple[Any, Any]] = []
    for rows in {id(each): each for each in arguments if isinstance(each, RowsView)}.values():
        size = rows.row_bytes
        for number, view in enumerate(rows.rows):
            if view.buffer.number in numbers:
                data = machine.memories[view.buffer.memory].data
                place = slice(number * size, (number + 1) * size)
                found.append((rows.packed[place], data[view.at : view.at + size]))
    return found
