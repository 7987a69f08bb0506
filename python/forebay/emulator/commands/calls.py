"""Calls of intrinsics: check the operands' constraints, then run the reference on their bytes."""

from __future__ import annotations

from collections.abc import Sequence

from forebay.emulator.commands.intrinsic import (
    EmulatedIntrinsic,
    OperandConstraint,
    WrongAccess,
    describe_wrong_access,
)
from forebay.emulator.commands.issue import Command
from forebay.emulator.commands.watched import OUTSIDE
from forebay.emulator.machine import refusals
from forebay.emulator.machine.machine import Machine
from forebay.emulator.machine.timeline import Work
from forebay.emulator.memory.faults import (
    Fault,
    LiveOverwrite,
    NotContiguous,
    OutOfRange,
    WrongPool,
    WrongReference,
)
from forebay.emulator.memory.memory import EmulatedMemory
from forebay.emulator.memory.program_point import ProgramPoint
from forebay.emulator.memory.view import MemoryView


class IntrinsicCall:
    """A call of one intrinsic by one op, always with the same scalars."""

    def __init__(
        self,
        intrinsic: EmulatedIntrinsic,
        scalars: Sequence[int],
        cycles: int,
        site: ProgramPoint,
        machine: Machine,
    ) -> None:
        self._intrinsic = intrinsic
        self._scalars = scalars
        self._work = Work(intrinsic.name, site.location, cycles)
        self._site = site
        self._machine = machine

    def command(self, views: Sequence[MemoryView]) -> Command:
        """Return the command that runs the call on these operands, in declared order."""
        return Command(self._site, tuple(views), self._work, lambda: self._run(views))

    def _run(self, views: Sequence[MemoryView]) -> None:
        """Run the call, and check everything that is read before anything is written."""
        machine, site = self._machine, self._site
        operands = list(zip(self._intrinsic.demands, views, strict=True))
        for demand, view in operands:
            self._check_place(demand, view)
        for demand, view in operands:
            if demand.reads:
                machine.reads(view, view.whole, site, by_right=demand.pools is None)
        for demand, view in operands:
            if demand.writes:
                machine.may_write(view, view.whole, site, by_right=demand.pools is None)
        self._check_apart(operands)
        macs = self._compute(views)
        for demand, view in operands:
            if demand.writes:
                machine.written(view, view.whole, site)
        machine.report.macs += macs
        machine.report.calls[self._intrinsic.name] += 1

    def _compute(self, views: Sequence[MemoryView]) -> int:
        """Run the reference and return the number of MACs."""
        pointers = [self._machine.pointer_to(view, self._site) for view in views]
        sizes = [view.whole.size // view.dtype.itemsize for view in views]
        mistake, macs = self._intrinsic.run(pointers, sizes, self._scalars)
        if mistake is not None:
            self._machine.refuse(self._wrong(mistake, views, sizes))
        return macs

    def _check_place(self, demand: OperandConstraint, view: MemoryView) -> None:
        """Check that the operand is in an allowed pool, contiguous and aligned."""
        memory = self._machine.memories[view.buffer.memory]
        if not memory.rules.is_unplaced:
            self._check_pool(demand, view, memory)
        if view.whole.axes or view.whole.scattered is not None:
            reason = "has gaps, and a pointer does not say so"
            self._machine.refuse(self._fault(NotContiguous, demand, view, reason))
        alignment = max(demand.alignment, memory.rules.unit)
        self._machine.aligned(view, alignment, self._site, self._what(demand))

    def _check_pool(
        self, demand: OperandConstraint, view: MemoryView, memory: EmulatedMemory
    ) -> None:
        if demand.pools is None and not memory.rules.is_pool:
            self._miss(demand, view, f"is in {memory.name}, which is no pool")
        if demand.pools is not None and memory.name not in demand.pools:
            allowed = ", ".join(demand.pools)
            self._miss(demand, view, f"is in {memory.name}, but it may be in {allowed} only")

    def _miss(self, demand: OperandConstraint, view: MemoryView, reason: str) -> None:
        fault = self._fault(WrongPool, demand, view, reason)
        self._machine.miss(view, self._site, fault)

    def _check_apart(self, operands: list[tuple[OperandConstraint, MemoryView]]) -> None:
        """Refuse an output operand that shares bytes with another operand."""
        for number, (demand, view) in enumerate(operands):
            for other, (second, seen) in enumerate(operands):
                if demand.access == "out" and number != other and _share(view, seen):
                    reason = f"shares bytes with operand '{second.name}'"
                    self._machine.refuse(self._fault(LiveOverwrite, demand, view, reason))

    def _wrong(self, mistake: WrongAccess, views: Sequence[MemoryView], sizes: list[int]) -> Fault:
        view, demand = views[mistake.operand], self._intrinsic.demands[mistake.operand]
        what = describe_wrong_access(mistake, demand, sizes[mistake.operand])
        offset = view.at + mistake.element * view.dtype.itemsize
        kind = OutOfRange if mistake.kind == OUTSIDE else WrongReference
        memory = self._machine.memories[view.buffer.memory]
        reason = f"of {self._intrinsic.name} {what}"
        return refusals.fault(kind, self._site, memory, offset, reason, view.buffer.name)

    def _fault(
        self, kind: type[Fault], demand: OperandConstraint, view: MemoryView, reason: str
    ) -> Fault:
        memory = self._machine.memories[view.buffer.memory]
        message = f"{reason}: buffer '{view.buffer.name}' {view.buffer.span}"
        what = f"finds that {self._what(demand)} {message}"
        return refusals.fault(kind, self._site, memory, view.at, what, view.buffer.name)

    def _what(self, demand: OperandConstraint) -> str:
        return f"operand '{demand.name}' of {self._intrinsic.name}"


def _share(one: MemoryView, other: MemoryView) -> bool:
    if one.buffer.memory != other.buffer.memory:
        return False
    size, other_size = one.whole.size, other.whole.size
    return one.at < other.at + other_size and other.at < one.at + size
