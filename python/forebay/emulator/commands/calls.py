"""Calls of intrinsics: check the operands' constraints, then run the reference on their bytes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from forebay.emulator.commands.instrumented import OUTSIDE
from forebay.emulator.commands.intrinsic import (
    EmulatedIntrinsic,
    OperandRequirement,
    WrongAccess,
    describe_wrong_access,
)
from forebay.emulator.commands.issue import Command
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
        point: ProgramPoint,
        machine: Machine,
    ) -> None:
        self._intrinsic = intrinsic
        self._scalars = scalars
        self._work = Work(intrinsic.name, point.location, cycles)
        self._point = point
        self._machine = machine

    def command(self, views: Sequence[MemoryView]) -> Command:
        """Return the command that runs the call on these operands, in declared order."""
        return Command(self._point, tuple(views), self._work, lambda: self._run(views))

    def _run(self, views: Sequence[MemoryView]) -> None:
        """Run the call, and check everything that is read before anything is written."""
        machine, point = self._machine, self._point
        operands = list(zip(self._intrinsic.requirements, views, strict=True))
        for requirement, view in operands:
            self._check_placement(requirement, view)
        for requirement, view in operands:
            if requirement.reads:
                machine.reads(view, view.whole, point, by_right=requirement.pools is None)
        for requirement, view in operands:
            if requirement.writes:
                machine.may_write(view, view.whole, point, by_right=requirement.pools is None)
        self._check_disjoint(operands)
        macs = self._compute(views)
        for requirement, view in operands:
            if requirement.writes:
                machine.written(view, view.whole, point)
        machine.count_macs(point.device, self._work, macs)
        machine.report.calls[self._intrinsic.name] += 1

    def _compute(self, views: Sequence[MemoryView]) -> int:
        """Run the reference and return the number of MACs."""
        pointers = [self._machine.pointer_to(view, self._point) for view in views]
        sizes = [view.whole.size // view.dtype.itemsize for view in views]
        mistake, macs = self._intrinsic.run(pointers, sizes, self._scalars)
        if mistake is not None:
            self._machine.refuse(self._wrong(mistake, views, sizes))
        return macs

    def _check_placement(self, requirement: OperandRequirement, view: MemoryView) -> None:
        """Check that the operand is in an allowed pool, contiguous and aligned."""
        memory = self._machine.memories[view.buffer.memory]
        if not memory.rules.is_unplaced:
            self._check_pool(requirement, view, memory)
        if view.whole.axes or view.whole.scattered is not None:
            reason = "has gaps, and a pointer does not say so"
            self._machine.refuse(self._fault(NotContiguous, requirement, view, reason))
        alignment = math.lcm(requirement.alignment, memory.rules.unit)
        self._machine.aligned(view, alignment, self._point, self._what(requirement))

    def _check_pool(
        self, requirement: OperandRequirement, view: MemoryView, memory: EmulatedMemory
    ) -> None:
        if requirement.pools is None and not memory.rules.is_pool:
            self._refuse_inaccessible(requirement, view, f"is in {memory.name}, which is no pool")
        if requirement.pools is not None and memory.name not in requirement.pools:
            allowed = ", ".join(requirement.pools)
            self._refuse_inaccessible(
                requirement, view, f"is in {memory.name}, but it may be in {allowed} only"
            )

    def _refuse_inaccessible(
        self, requirement: OperandRequirement, view: MemoryView, reason: str
    ) -> None:
        fault = self._fault(WrongPool, requirement, view, reason)
        self._machine.refuse_inaccessible(view, self._point, fault)

    def _check_disjoint(self, operands: list[tuple[OperandRequirement, MemoryView]]) -> None:
        """Refuse an output operand that shares bytes with another operand."""
        for number, (requirement, view) in enumerate(operands):
            for other, (second, seen) in enumerate(operands):
                if requirement.access == "out" and number != other and _share(view, seen):
                    reason = f"shares bytes with operand '{second.name}'"
                    self._machine.refuse(self._fault(LiveOverwrite, requirement, view, reason))

    def _wrong(self, mistake: WrongAccess, views: Sequence[MemoryView], sizes: list[int]) -> Fault:
        view, requirement = views[mistake.operand], self._intrinsic.requirements[mistake.operand]
        what = describe_wrong_access(mistake, requirement, sizes[mistake.operand])
        offset = view.at + mistake.element * view.dtype.itemsize
        kind = OutOfRange if mistake.kind == OUTSIDE else WrongReference
        memory = self._machine.memories[view.buffer.memory]
        reason = f"of {self._intrinsic.name} {what}"
        return refusals.fault(kind, self._point, memory, offset, reason, view.buffer.name)

    def _fault(
        self, kind: type[Fault], requirement: OperandRequirement, view: MemoryView, reason: str
    ) -> Fault:
        memory = self._machine.memories[view.buffer.memory]
        message = f"{reason}: buffer '{view.buffer.name}' {view.buffer.span}"
        what = f"finds that {self._what(requirement)} {message}"
        return refusals.fault(kind, self._point, memory, view.at, what, view.buffer.name)

    def _what(self, requirement: OperandRequirement) -> str:
        return f"operand '{requirement.name}' of {self._intrinsic.name}"


def _share(one: MemoryView, other: MemoryView) -> bool:
    if one.buffer.memory != other.buffer.memory:
        return False
    size, other_size = one.whole.size, other.whole.size
    return one.at < other.at + other_size and other.at < one.at + size
