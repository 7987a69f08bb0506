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
    NoSuchMove,
    OutOfRange,
    Where,
    WrongFlags,
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
        self._flags = [parameter.flags for parameter in parameters]
        self._machine = machine

    def command(
        self, values: Sequence[int], addresses: PoolAddresses, point: ProgramPoint
    ) -> Command:
        """Return the command of these arguments; raises `Fault` if they do not fit the device."""
        raise NotImplementedError

    def _address(
        self,
        number: int,
        value: int,
        pools: Sequence[str],
        addresses: PoolAddresses,
        point: ProgramPoint,
    ) -> PoolAddress | None:
        """Return the address that an argument stands for; raises `WrongFlags`."""
        if self._is_pointer[number]:
            return addresses.at_pointer(value)
        flags = self._flags[number]
        if value & flags != flags:
            raise WrongFlags(
                _where(point, None, value),
                f"gives {self.name} the address {value:#x} without the flags {flags:#x}",
            )
        return addresses.at_address(value & ~flags, pools)


class IntrinsicDriver(DriverFunction):
    """An intrinsic behind a C function.

    `command` checks where the operands are; executing the command checks the accessed bytes.
    """

    def __init__(
        self, op: IntrinsicOp, prototype: Prototype, kernels: Kernels, machine: Machine
    ) -> None:
        parameters = prototype.parameters[len(prototype.handle) :]
        super().__init__(op, parameters, machine)
        self._in_register = [parameter.in_register for parameter in parameters]
        self._intrinsic = EmulatedIntrinsic(op, kernels, marks_all=True)

    def command(
        self, values: Sequence[int], addresses: PoolAddresses, point: ProgramPoint
    ) -> Command:
        """Return the command; raises `WrongPool`, `NoRight` or `Misaligned` for a wrong operand."""
        requirements = self._intrinsic.requirements
        given = iter(values)
        values = [0 if in_register else next(given) for in_register in self._in_register]
        operands = [
            self._operand(number, requirement, values[number], addresses, point)
            for number, requirement in enumerate(requirements)
        ]
        scalars = [_signed(value) for value in values[len(requirements) :]]
        rest = tuple(address.bytes(0, (address.bytes_left,)) for address in operands)
        work = Work(self.name, point.location)
        return Command(point, rest, work, lambda: self._run(operands, scalars, point))

    def _operand(
        self,
        number: int,
        requirement: OperandRequirement,
        value: int,
        addresses: PoolAddresses,
        point: ProgramPoint,
    ) -> PoolAddress:
        what = f"finds operand '{requirement.name}' of {self.name}"
        address = self._address(number, value, requirement.pools or (), addresses, point)
        if address is None:
            raise WrongPool(_where(point, None, value), f"{what} in no pool")
        if requirement.pools is not None and address.memory.name not in requirement.pools:
            reason = f"{what} at {address}, but it may be in {', '.join(requirement.pools)} only"
            raise WrongPool(_where(point, address), reason)
        if not _has_right(self.device, requirement, address.memory.rules):
            reason = f"{what} at {address}, which device '{self.device}' may not use so"
            raise NoRight(_where(point, address), reason)
        if not address.memory.rules.is_aligned(address.offset, requirement.alignment):
            reason = f"{what} at {address}, which is not aligned to {requirement.alignment}"
            raise Misaligned(_where(point, address), reason)
        return address

    def _run(
        self, operands: Sequence[PoolAddress], scalars: Sequence[int], point: ProgramPoint
    ) -> None:
        machine, intrinsic = self._machine, self._intrinsic
        widths = intrinsic.widths
        sizes = [
            address.bytes_left // width for address, width in zip(operands, widths, strict=True)
        ]
        pointers = [address.pointer for address in operands]
        mistake, macs, marks = intrinsic.run_within(pointers, sizes, scalars)
        if mistake is not None:
            raise self._wrong(mistake, operands[mistake.operand], sizes[mistake.operand], point)
        used = {number: np.flatnonzero(marks[number]) for number in marks}
        views = {
            number: operands[number].bytes(
                int(at[0]) * widths[number], ((int(at[-1]) - int(at[0]) + 1) * widths[number],)
            )
            for number, at in used.items()
            if len(at)
        }
        self._check_disjoint(views, point)
        for number, view in views.items():
            if intrinsic.requirements[number].reads:
                machine.reads(view, view.whole, point, by_right=False)
        for number, view in views.items():
            if intrinsic.requirements[number].writes:
                machine.may_write(view, view.whole, point, by_right=False)
                machine.written(view, view.whole, point)
        machine.count_macs(point.device, Work(self.name, point.location), macs)
        machine.report.calls[self.name] += 1

    def _check_disjoint(self, views: Mapping[int, MemoryView], point: ProgramPoint) -> None:
        """Refuse an output operand that shares bytes with another operand."""
        for number, view in views.items():
            requirement = self._intrinsic.requirements[number]
            for other, seen in views.items():
                if requirement.access == "out" and number != other and _share(view, seen):
                    address = PoolAddress(
                        self._machine.memories[view.buffer.memory], view.buffer, view.at
                    )
                    reason = (
                        f"writes operand '{requirement.name}' of {self.name} at {address} over "
                        "operand "
                        f"'{self._intrinsic.requirements[other].name}'"
                    )
                    raise LiveOverwrite(_where(point, address), reason)

    def _wrong(
        self, mistake: WrongAccess, address: PoolAddress, size: int, point: ProgramPoint
    ) -> Fault:
        what = describe_wrong_access(mistake, self._intrinsic.requirements[mistake.operand], size)
        kind = OutOfRange if mistake.kind == OUTSIDE else WrongReference
        return kind(_where(point, address), f"of {self.name} {what}")


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

    def command(
        self, values: Sequence[int], addresses: PoolAddresses, point: ProgramPoint
    ) -> Command:
        """Return the command; raises `WrongPool` for a source or target in a wrong pool."""
        ends = [self._end(number, values[number], addresses, point) for number in (0, 1)]
        *outer, run = values[2:]
        extents = outer[::3]
        if not self._transfer.limits.allow(extents, run):
            raise NoSuchMove(
                _where(point, None, values[0]),
                f"asks {self.name} for extents {list(extents)} and runs of {run} bytes, but one "
                f"call moves {self._transfer.limits}",
            )
        source, target = (
            end.bytes(0, (*extents, run), (*(s * unit for s in outer[1 + number :: 3]), 1))
            for number, (end, unit) in enumerate(zip(ends, self._units, strict=True))
        )
        return TransferCall(self._transfer, point, self._machine).command(source, target)

    def _end(
        self, number: int, value: int, addresses: PoolAddresses, point: ProgramPoint
    ) -> PoolAddress:
        side, pools = self._sides[number]
        address = self._address(number, value, pools, addresses, point)
        if address is None or address.memory.name not in pools:
            where = "in no pool" if address is None else f"at {address}"
            reason = (
                f"finds the {side} of {self.name} {where}, but it may be in {', '.join(pools)} only"
            )
            raise WrongPool(_where(point, address, value), reason)
        return address


def _where(point: ProgramPoint, address: PoolAddress | None, value: int = 0) -> Where:
    if address is None:
        return Where(point.what, point.location, "", value)
    memory = address.memory
    return Where(point.what, point.location, memory.name, memory.rules.address(address.offset))


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
