"""Kernels: ops that are loop nests over their operands, checked as a whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from mlir import ir
from mlir.dialects import arith

from forebay.emulator.interpreter.registry import Action, Frame
from forebay.emulator.interpreter.scope import FrameLayout
from forebay.emulator.kernels import tables
from forebay.emulator.kernels.indexed import IndexedElements
from forebay.emulator.kernels.jit import Numbers, outer_values
from forebay.emulator.kernels.packed_rows import pack_rows, unpack_rows
from forebay.emulator.machine.machine import Machine
from forebay.emulator.machine.timeline import Work
from forebay.emulator.memory.footprint import Footprint
from forebay.emulator.memory.program_point import ProgramPoint
from forebay.emulator.memory.rows_view import RowsView, row_parts_of
from forebay.emulator.memory.view import MemoryView


@dataclass(frozen=True, eq=False)
class KernelOperand:
    """One operand of a kernel: its position in `elements`, and whether it is read or written."""

    slot: int
    elements: IndexedElements
    number: int
    reads: bool
    writes: bool
    _known: dict[Any, Footprint] = field(default_factory=dict[Any, Footprint])

    def footprint(self, view: MemoryView) -> Footprint:
        """Return exactly the bytes that the kernel accesses."""
        if view.key not in self._known:
            footprint = self.elements.footprint(self.number, view.strides, view.dtype.itemsize)
            self._known[view.key] = footprint
        return self._known[view.key]


@dataclass(frozen=True, eq=False)
class KernelAccesses:
    """The accesses of one run of a kernel, and the numbers of its evaluations and products."""

    operands: Sequence[KernelOperand]
    points: int
    macs: int

    @property
    def reading(self) -> list[KernelOperand]:
        """The operands that are read."""
        return [operand for operand in self.operands if operand.reads]

    @property
    def writing(self) -> list[KernelOperand]:
        """The operands that are written."""
        return [operand for operand in self.operands if operand.writes]


def compiled_kernel(
    op: ir.OpView,
    scope: FrameLayout,
    accesses_in: Callable[[Frame], KernelAccesses],
    numbers: Numbers | None = None,
) -> Action:
    """Return an action that checks all accesses, runs the machine code, and records the writes."""
    values = outer_values(op)
    looked_up = tables.tables_of(op)
    kernel = scope.program.kernels.of_op(op, values, looked_up, numbers)
    slots = [scope.slot(value) for value in values]
    table_slots = [scope.slot(value) for value in looked_up]
    maps = tables.new_maps(looked_up)
    pointers = [accessed.ctypes.data for accessed in maps]
    given = () if numbers is None else numbers.given
    point, machine = scope.point(op), scope.machine
    work = Work(point.what, point.location)

    def action(frame: Frame) -> None:
        accesses = accesses_in(frame)
        reading = _parts(accesses.reading, frame)
        writing = _parts(accesses.writing, frame)
        for view, footprint in reading:
            machine.reads(view, footprint, point)
        for view, footprint in writing:
            machine.may_write(view, footprint, point, reading=reading)
        arguments = [frame[slot] for slot in slots]
        pack_rows(machine, arguments, [*reading, *writing])
        kernel(*(_argument(value, machine, point) for value in arguments), *pointers, *given)
        for slot, accessed in zip(table_slots, maps, strict=True):
            tables.check_loads(frame[slot], accessed, machine, point)
        unpack_rows(machine, arguments, writing)
        for view, footprint in writing:
            machine.written(view, footprint, point)
        machine.ran(work, accesses.points, macs=accesses.macs)

    return action


def _parts(operands: Sequence[KernelOperand], frame: Frame) -> list[tuple[MemoryView, Footprint]]:
    """Return the bytes that the operands access, row by row where rows lie anywhere."""
    views = [(frame[operand.slot], operand) for operand in operands]
    return [part for view, operand in views for part in row_parts_of(view, operand.footprint(view))]


def _argument(value: Any, machine: Machine, point: ProgramPoint) -> Any:
    if isinstance(value, RowsView):
        return value.packed.ctypes.data
    return machine.pointer_to(value, point) if isinstance(value, MemoryView) else value


def multiplies_elements(block: ir.Block, elements: Sequence[ir.Value]) -> bool:
    """Return whether a kernel's body multiplies two values computed from these elements."""
    from_elements = set(elements)
    for op in block.operations:
        known = [operand in from_elements for operand in op.operands]
        if isinstance(op, arith.MulIOp | arith.MulFOp) and all(known):
            return True
        if any(known):
            from_elements.update(op.results)
    return False


def has_uses(value: ir.Value) -> bool:
    """Return whether the value has uses."""
    return any(True for _ in value.uses)
