"""Transfers as the machine executes them: check both sides and the block, then move the bytes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from forebay.dialects.accel import TransferOp
from forebay.emulator.commands.blocks import StridedBlock, strided_block_of
from forebay.emulator.commands.issue import Command
from forebay.emulator.commands.move_limits import MoveLimits
from forebay.emulator.machine import refusals
from forebay.emulator.machine.machine import Machine
from forebay.emulator.machine.overlap import first_common
from forebay.emulator.machine.timeline import Work
from forebay.emulator.memory.faults import (
    Fault,
    LiveOverwrite,
    NoSuchMove,
    WrongPool,
)
from forebay.emulator.memory.program_point import ProgramPoint
from forebay.emulator.memory.view import MemoryView
from forebay.ir.machine.transfers import pools_of


@dataclass(frozen=True)
class TransferFunction:
    """The declaration of a transfer in a module; `sources` and `targets` are names of memories."""

    name: str
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    rank: int
    granule: int
    latency: int
    bandwidth: int | None
    limits: MoveLimits

    @staticmethod
    def of(op: TransferOp) -> TransferFunction:
        """Return the properties of the declaring op."""
        return TransferFunction(
            f"@{op.sym_name.value}",
            tuple(f"@{pool}" for pool in pools_of(op.sources)),
            tuple(f"@{pool}" for pool in pools_of(op.targets)),
            op.rank.value,
            1 if op.granule is None else op.granule.value,
            0 if op.latency is None else op.latency.value,
            None if op.bandwidth is None else op.bandwidth.value,
            MoveLimits.of(op),
        )


class TransferCall:
    """A transfer that one op, or one call of its C function, requests."""

    def __init__(self, transfer: TransferFunction, point: ProgramPoint, machine: Machine) -> None:
        self._transfer = transfer
        self._name = transfer.name
        self._point = point
        self._machine = machine

    def command(self, source: MemoryView, target: MemoryView) -> Command:
        """Return the command that moves all elements of one view to the other."""
        size = source.whole.size
        cycles = self._transfer.latency
        if self._transfer.bandwidth is not None:
            cycles += -(-size // self._transfer.bandwidth)
        work = Work(self._name, self._point.location, cycles, size)
        return Command(self._point, (source, target), work, lambda: self._run(source, target))

    def _run(self, source: MemoryView, target: MemoryView) -> None:
        machine, point = self._machine, self._point
        self._check_pool(source, self._transfer.sources, "source")
        self._check_pool(target, self._transfer.targets, "target")
        self._check_block(strided_block_of(source, target), source, target)
        machine.reads(source, source.whole, point, by_right=False)
        machine.may_write(target, target.whole, point, by_right=False)
        self._check_separate(source, target)
        np.copyto(machine.data_of(target, point), machine.data_of(source, point))
        machine.written(target, target.whole, point)
        report = machine.report
        report.calls[self._name] += 1
        for view in (source, target):
            name = machine.memories[view.buffer.memory].name
            report.moved[self._name, name] += view.whole.size

    def _check_pool(self, view: MemoryView, pools: tuple[str, ...], side: str) -> None:
        machine = self._machine
        memory = machine.memories[view.buffer.memory]
        if memory.name not in pools and not memory.rules.is_unplaced:
            reason = (
                f"finds that the {side} of {self._name} is in {memory.name}, but it may be in "
                f"{', '.join(pools)} only: buffer '{view.buffer.name}' {view.buffer.span}"
            )
            machine.refuse_inaccessible(view, self._point, self._fault(WrongPool, view, reason))
        unit = memory.rules.unit
        machine.aligned(view, unit, self._point, f"the {side} of {self._name}")

    def _check_block(self, block: StridedBlock, source: MemoryView, target: MemoryView) -> None:
        if block.rank > self._transfer.rank:
            most = self._transfer.rank
            reason = f"moves a block of rank {block.rank}, but {self._name} has rank {most}"
            self._machine.refuse(self._fault(NoSuchMove, source, reason))
        if block.run % self._transfer.granule:
            reason = (
                f"moves runs of {block.run} bytes, but those of {self._name} are multiples of "
                f"{self._transfer.granule}"
            )
            self._machine.refuse(self._fault(NoSuchMove, source, reason))
        if not self._transfer.limits.admit(block):
            reason = (
                f"moves a block of extents {[axis.extent for axis in block.axes]} and runs of "
                f"{block.run} bytes, but one call of {self._name} moves {self._transfer.limits}"
            )
            self._machine.refuse(self._fault(NoSuchMove, source, reason))
        sides = ((source, [axis.source_stride for axis in block.axes]),)
        sides += ((target, [axis.target_stride for axis in block.axes]),)
        for view, strides in sides:
            memory = self._machine.memories[view.buffer.memory]
            for stride in strides:
                if stride % memory.rules.unit:
                    reason = (
                        f"moves runs that are {stride} bytes apart in {memory.name}, whose rows "
                        f"have {memory.rules.unit}"
                    )
                    self._machine.refuse(self._fault(NoSuchMove, view, reason))

    def _check_separate(self, source: MemoryView, target: MemoryView) -> None:
        if source.buffer.memory != target.buffer.memory:
            return
        byte = first_common((target.at, target.whole), (source.at, source.whole))
        if byte is not None:
            self._machine.refuse(
                self._fault(LiveOverwrite, target, "moves bytes over what it moves")
            )

    def _fault(self, kind: type[Fault], view: MemoryView, reason: str) -> Fault:
        memory = self._machine.memories[view.buffer.memory]
        return refusals.fault(kind, self._point, memory, view.at, reason, view.buffer.name)
