"""Calls of intrinsics: demands of operands checked, then the reference runs on their bytes."""

from __future__ import annotations

from typing import Any, NoReturn

from forebay.dialects.accel import CallOp
from forebay.emulator.faults import (
    Fault,
    LiveOverwrite,
    NotContiguous,
    OutOfRange,
    Where,
    WrongPool,
    WrongReference,
)
from forebay.emulator.intrinsic import Demand, Intrinsic, Mistake, describe
from forebay.emulator.machine import Machine
from forebay.emulator.reference import OUTSIDE
from forebay.emulator.registry import Action, Frame, rule
from forebay.emulator.scope import Scope
from forebay.emulator.site import Site
from forebay.emulator.view import View
from forebay.ir.devices import intrinsic_of
from forebay.ir.intrinsics import operands_in_order


@rule(CallOp)
def call(op: CallOp, scope: Scope) -> Action:
    """Everything that is read is checked before anything is written."""
    intrinsic = Intrinsic(intrinsic_of(op), scope.program.kernels)
    slots = [scope.slot(op.operands[number]) for number in operands_in_order(op)]
    config: Any = {} if op.config is None else op.config
    scalars = [config[name].value for name in intrinsic.scalars]
    one = _Call(intrinsic, scope.site(op), scope.machine)

    def action(frame: Frame) -> None:
        one.run([frame[slot] for slot in slots], scalars)

    return action


class _Call:
    """A call of one intrinsic, by one op."""

    def __init__(self, intrinsic: Intrinsic, site: Site, machine: Machine) -> None:
        self.intrinsic = intrinsic
        self.site = site
        self.machine = machine

    def run(self, views: list[View], scalars: list[int]) -> None:
        machine, site = self.machine, self.site
        operands = list(zip(self.intrinsic.demands, views, strict=True))
        for demand, view in operands:
            self._check_place(demand, view)
        for demand, view in operands:
            if demand.reads:
                machine.reads(view, view.whole, site, by_right=demand.pools is None)
        for demand, view in operands:
            if demand.writes:
                machine.may_write(view, view.whole, site, by_right=demand.pools is None)
        self._check_apart(operands)
        pointers = [machine.pointer_to(view) for view in views]
        sizes = [view.whole.size // view.dtype.itemsize for view in views]
        mistake, macs = self.intrinsic.run(pointers, sizes, scalars)
        if mistake is not None:
            self._refuse(mistake, views, sizes)
        for demand, view in operands:
            if demand.writes:
                machine.written(view, view.whole, site)
        machine.report.macs += macs
        machine.report.calls[self.intrinsic.name] += 1

    def _check_place(self, demand: Demand, view: View) -> None:
        """In a pool that the operand may be in, contiguous, and aligned."""
        memory = self.machine.memories[view.buffer.memory]
        if demand.pools is None and not memory.is_pool:
            self._fault(WrongPool, demand, view, f"is in {memory.name}, which is no pool")
        if demand.pools is not None and memory.name not in demand.pools:
            reason = f"is in {memory.name}, but it may be in {', '.join(demand.pools)} only"
            self._fault(WrongPool, demand, view, reason)
        if view.whole.axes or view.whole.scattered is not None:
            self._fault(NotContiguous, demand, view, "has gaps, and a pointer does not say so")
        self.machine.aligned(view, demand.alignment, self.site, self._what(demand))

    def _check_apart(self, operands: list[tuple[Demand, View]]) -> None:
        """What is only written may not be what another operand is."""
        for number, (demand, view) in enumerate(operands):
            for other, (second, seen) in enumerate(operands):
                if demand.access == "out" and number != other and _share(view, seen):
                    reason = f"shares bytes with operand '{second.name}'"
                    self._fault(LiveOverwrite, demand, view, reason)

    def _refuse(self, mistake: Mistake, views: list[View], sizes: list[int]) -> NoReturn:
        view, demand = views[mistake.operand], self.intrinsic.demands[mistake.operand]
        what = describe(mistake, demand, sizes[mistake.operand])
        offset = view.at + mistake.element * view.dtype.itemsize
        kind = OutOfRange if mistake.kind == OUTSIDE else WrongReference
        raise kind(self._where(view, offset), f"of {self.intrinsic.name} {what}")

    def _fault(self, kind: type[Fault], demand: Demand, view: View, reason: str) -> NoReturn:
        message = f"{reason}: buffer '{view.buffer.name}' {view.buffer.span}"
        raise kind(self._where(view, view.at), f"finds that {self._what(demand)} {message}")

    def _where(self, view: View, offset: int) -> Where:
        memory = self.machine.memories[view.buffer.memory]
        address = memory.rules.base + offset
        site, name = self.site, view.buffer.name
        return Where(site.what, site.location, memory.name, address, name)

    def _what(self, demand: Demand) -> str:
        return f"operand '{demand.name}' of {self.intrinsic.name}"


def _share(one: View, other: View) -> bool:
    if one.buffer.memory != other.buffer.memory:
        return False
    size, other_size = one.whole.size, other.whole.size
    return one.at < other.at + other_size and other.at < one.at + size
