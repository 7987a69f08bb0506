"""Driver functions of one device instance, called with pointers, addresses and numbers.

An operand of an intrinsic must be aligned and in a pool that its constraint allows. The reference
then runs on the bytes from the operand to the end of the pool and must not leave them. The
elements that it accesses define the access region of the command.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from forebay.codegen.project.devices.intrinsics import Parameter, Prototype
from forebay.codegen.project.devices.transfers import TransferPrototype
from forebay.dialects.accel import IntrinsicOp, TransferOp
from forebay.emulator.commands.instrumented import OUTSIDE
from forebay.emulator.commands.intrinsic import (
    EmulatedIntrinsic,
    OperandRequirement,
    WrongAccess,
    describe_wrong_access,
)
from forebay.emulator.commands.issue import Command, CommandQueue
from forebay.emulator.commands.moves import TransferCall, TransferFunction
from forebay.emulator.compiled.pool_addresses import PoolAddress, PoolAddresses
from forebay.emulator.kernels.jit import Kernels
from forebay.emulator.machine.machine import Machine
from forebay.emulator.machine.timeline import Work
from forebay.emulator.memory.faults import (
    Fault,
    LiveOverwrite,
    Misaligned,
    NoRight,
    OutOfRange,
    Where,
    WrongPool,
    WrongReference,
)
from forebay.emulator.memory.memory import MemoryRules
from forebay.emulator.memory.program_point import ProgramPoint
from forebay.emulator.memory.view import MemoryView
from forebay.ir.machine.move_arguments import unit_of
from forebay.ir.machine.pools import pools_in
from forebay.ir.machine.transfers import queue_of
from forebay.pools import Pool


class DriverFunction:
    """An intrinsic or a transfer of one device, behind a C function with these parameters."""

    def __init__(
        self, op: IntrinsicOp | TransferOp, parameters: Sequence[Parameter], machine: Machine
    ) -> None:
        queue = queue_of(op)
        self.name = f"@{op.sym_name.value}"
        self.device = op.device.value
        self.queue = None if queue is None else CommandQueue.of(queue)
        self.queue_symbol = "" if queue is None else queue.symbol.value
        self.lane = self.device if queue is None else queue.sym_name.value
        self._is_pointer = [parameter.is_pointer for parameter in parameters]
        self._machine = machine

    def command(self, values: Sequence[int], places: PoolAddresses, site: ProgramPoint) -> Command:
        """Return the command of these arguments; raises `Fault` if they do not fit the device."""
        raise NotImplementedError

    def _address(
        self, number: int, value: int, pools: Sequence[str], places: PoolAddresses
    ) -> PoolAddress | None:
        if self._is_pointer[number]:
            return places.at_pointer(value)
        return places.at_address(value, pools)


class IntrinsicDriver(DriverFunction):
    """An intrinsic behind a C function.

    `command` checks where the operands are; executing the command checks the accessed bytes.
    """

    def __init__(
        self, op: IntrinsicOp, prototype: Prototype, kernels: Kernels, machine: Machine
    ) -> None:
        super().__init__(op, prototype.parameters[len(prototype.handle) :], machine)
        self._intrinsic = EmulatedIntrinsic(op, kernels, marks_all=True)

    def command(self, values: Sequence[int], places: PoolAddresses, site: ProgramPoint) -> Command:
        """Return the command; raises `WrongPool`, `NoRight` or `Misaligned` for a wrong operand."""
        requirements = self._intrinsic.requirements
        operands = [
            self._operand(number, requirement, values[number], places, site)
            for number, requirement in enumerate(requirements)
        ]
        scalars = [_signed(value) for value in values[len(requirements) :]]
        rest = tuple(place.bytes(0, (place.bytes_left,)) for place in operands)
        work = Work(self.name, site.location)
        return Command(site, rest, work, lambda: self._run(operands, scalars, site))

    def _operand(
        self,
        number: int,
        requirement: OperandRequirement,
        value: int,
        places: PoolAddresses,
        site: ProgramPoint,
    ) -> PoolAddress:
        what = f"finds operand '{requirement.name}' of {self.name}"
        place = self._address(number, value, requirement.pools or (), places)
        if place is None:
            raise WrongPool(_where(site, None, value), f"{what} in no pool")
        if requirement.pools is not None and place.memory.name not in requirement.pools:
            reason = f"{what} at {place}, but it may be in {', '.join(requirement.pools)} only"
            raise WrongPool(_where(site, place), reason)
        if not _has_right(self.device, requirement, place.memory.rules):
            reason = f"{what} at {place}, which device '{self.device}' may not use so"
            raise NoRight(_where(site, place), reason)
        if not place.memory.rules.is_aligned(place.offset, requirement.alignment):
            reason = f"{what} at {place}, which is not aligned to {requirement.alignment}"
            raise Misaligned(_where(site, place), reason)
        return place

    def _run(
        self, operands: Sequence[PoolAddress], scalars: Sequence[int], site: ProgramPoint
    ) -> None:
        machine, intrinsic = self._machine, self._intrinsic
        widths = intrinsic.widths
        sizes = [place.bytes_left // width for place, width in zip(operands, widths, strict=True)]
        pointers = [place.pointer for place in operands]
        mistake, macs, marks = intrinsic.run_within(pointers, sizes, scalars)
        if mistake is not None:
            raise self._wrong(mistake, operands[mistake.operand], sizes[mistake.operand], site)
        used = {number: np.flatnonzero(marks[number]) for number in marks}
        views = {
            number: operands[number].bytes(
                int(at[0]) * widths[number], ((int(at[-1]) - int(at[0]) + 1) * widths[number],)
            )
            for number, at in used.items()
            if len(at)
        }
        self._check_disjoint(views, site)
        for number, view in views.items():
            if intrinsic.requirements[number].reads:
                machine.reads(view, view.whole, site, by_right=False)
        for number, view in views.items():
            if intrinsic.requirements[number].writes:
                machine.may_write(view, view.whole, site, by_right=False)
                machine.written(view, view.whole, site)
        machine.report.macs += macs
        machine.report.calls[self.name] += 1

    def _check_disjoint(self, views: Mapping[int, MemoryView], site: ProgramPoint) -> None:
        """Refuse an output operand that shares bytes with another operand."""
        for number, view in views.items():
            requirement = self._intrinsic.requirements[number]
            for other, seen in views.items():
                if requirement.access == "out" and number != other and _share(view, seen):
                    place = PoolAddress(
                        self._machine.memories[view.buffer.memory], view.buffer, view.at
                    )
                    reason = (
                        f"writes operand '{requirement.name}' of {self.name} at {place} over "
                        "operand "
                        f"'{self._intrinsic.requirements[other].name}'"
                    )
                    raise LiveOverwrite(_where(site, place), reason)

    def _wrong(
        self, mistake: WrongAccess, place: PoolAddress, size: int, site: ProgramPoint
    ) -> Fault:
        what = describe_wrong_access(mistake, self._intrinsic.requirements[mistake.operand], size)
        kind = OutOfRange if mistake.kind == OUTSIDE else WrongReference
        return kind(_where(site, place), f"of {self.name} {what}")


class TransferDriver(DriverFunction):
    """A transfer behind a C function, called with two addresses and the numbers of a block."""

    def __init__(self, op: TransferOp, prototype: TransferPrototype, machine: Machine) -> None:
        super().__init__(op, prototype.parameters[len(prototype.handle) :], machine)
        module = op.operation.parent
        assert module is not None  # a transfer is declared in a module
        pools: Mapping[str, Pool] = pools_in(module)
        self._transfer = TransferFunction.of(op)
        self._sides = [("source", self._transfer.sources), ("target", self._transfer.targets)]
        self._units = [unit_of(op, f"{side}s", pools) for side, _ in self._sides]

    def command(self, values: Sequence[int], places: PoolAddresses, site: ProgramPoint) -> Command:
        """Return the command; raises `WrongPool` for a source or target in a wrong pool."""
        ends = [self._end(number, values[number], places, site) for number in (0, 1)]
        *outer, run = values[2:]
        extents = outer[::3]
        source, target = (
            end.bytes(0, (*extents, run), (*(s * unit for s in outer[1 + number :: 3]), 1))
            for number, (end, unit) in enumerate(zip(ends, self._units, strict=True))
        )
        return TransferCall(self._transfer, site, self._machine).command(source, target)

    def _end(
        self, number: int, value: int, places: PoolAddresses, site: ProgramPoint
    ) -> PoolAddress:
        side, pools = self._sides[number]
        place = self._address(number, value, pools, places)
        if place is None or place.memory.name not in pools:
            where = "in no pool" if place is None else f"at {place}"
            reason = (
                f"finds the {side} of {self.name} {where}, but it may be in {', '.join(pools)} only"
            )
            raise WrongPool(_where(site, place, value), reason)
        return place


def _where(site: ProgramPoint, place: PoolAddress | None, value: int = 0) -> Where:
    if place is None:
        return Where(site.what, site.location, "", value)
    memory = place.memory
    return Where(site.what, site.location, memory.name, memory.rules.address(place.offset))


def _has_right(device: str, requirement: OperandRequirement, rules: MemoryRules) -> bool:
    if requirement.writes and rules.is_read_only:
        return False
    if requirement.pools is not None:
        return True
    can_read = not requirement.reads or rules.readers is None or device in rules.readers
    return can_read and (not requirement.writes or rules.writers is None or device in rules.writers)


def _share(one: MemoryView, other: MemoryView) -> bool:
    if one.buffer.memory != other.buffer.memory:
        return False
    return one.at < other.at + other.whole.size and other.at < one.at + one.whole.size


def _signed(value: int) -> int:
    """Return the 32 bits as a signed number."""
    return value - (1 << 32) if value >= 1 << 31 else value
