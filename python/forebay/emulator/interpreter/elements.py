"""Load and store single elements of a view, checked one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlir import ir

from forebay.emulator.interpreter.floats import is_float
from forebay.emulator.machine.machine import Machine
from forebay.emulator.memory.program_point import ProgramPoint
from forebay.emulator.memory.rows_view import AnyView, RowsView
from forebay.emulator.memory.view import MemoryView

_Load = Callable[[MemoryView, int, ProgramPoint], Any]
_Store = Callable[[MemoryView, int, Any, ProgramPoint], None]


def element(
    view: AnyView, indices: Sequence[int], machine: Machine, point: ProgramPoint
) -> tuple[MemoryView, int]:
    """Return the view that has an element, and the byte of the memory at which it begins.

    Where rows lie anywhere, the view is a row. Refuses an index out of range.
    """
    if isinstance(view, RowsView):
        dims = len(view.extents)
        number = view.number(indices[:dims])
        if number is None:
            machine.refuse_index(view, f"element {list(indices)}", point)
        return element(view.rows[number or 0], indices[dims:], machine, point)
    offset = view.at
    for index, size, stride in zip(indices, view.shape, view.strides, strict=True):
        if not 0 <= index < size:
            machine.refuse_index(view, f"element {list(indices)}", point)
        offset += index * stride
    return view, offset


def loader(type_: ir.Type, machine: Machine) -> _Load:
    """Return a function that reads an element of a type as the value that rules compute with."""
    as_value: Callable[[Any], Any] = _same if is_float(type_) else int
    is_boolean = isinstance(type_, ir.IntegerType) and type_.width == 1

    def load(view: MemoryView, offset: int, point: ProgramPoint) -> Any:
        machine.reads_element(view, offset, point)
        value = as_value(_at(machine, view, offset)[0])
        return value & 1 if is_boolean else value

    return load


def storer(machine: Machine) -> _Store:
    """Return a function that writes an element."""

    def store(view: MemoryView, offset: int, value: Any, point: ProgramPoint) -> None:
        machine.writes_element(view, offset, point)
        _at(machine, view, offset)[0] = value

    return store


def _at(machine: Machine, view: MemoryView, offset: int) -> Any:
    data = machine.memories[view.buffer.memory].data
    return data[offset : offset + view.dtype.itemsize].view(view.dtype)


def _same(value: Any) -> Any:
    return value
