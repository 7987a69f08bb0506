"""Intrinsics called with nothing but pointers: what compiled code does, C or LLVM's.

Each pointer must be in a pool where one instance of the intrinsic lets the operand be, aligned; the
reference then runs on the bytes from there to the pool's end, and may not leave them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forebay.emulator.faults import (
    Fault,
    Misaligned,
    NoRight,
    OutOfRange,
    Where,
    WrongPool,
    WrongReference,
)
from forebay.emulator.intrinsic import Demand, Intrinsic, describe
from forebay.emulator.memory import Rules
from forebay.emulator.report import Report
from forebay.emulator.watched import OUTSIDE


@dataclass(frozen=True)
class Region:
    """A pool as this process sees it."""

    name: str
    address: int
    size: int
    rules: Rules

    def __contains__(self, pointer: int) -> bool:
        return self.address <= pointer < self.address + self.size


class Gate:
    """The only way from compiled code to the intrinsics of one C symbol.

    Instances of a device share it, and a call does not say which of them it means: it is right if
    it is right for one.
    """

    def __init__(self, symbol: str, instances: Sequence[Intrinsic], report: Report) -> None:
        self._regions: tuple[Region, ...] = ()
        self._symbol = symbol
        self._instances = instances
        self._report = report
        self._calls = 0

    def begin_run(self) -> None:
        """Calls count from 1 again."""
        self._calls = 0

    def place(self, memory: Mapping[str, tuple[int, int]], rules: Mapping[str, Rules]) -> None:
        """Say where the pools are, before the first call."""
        self._regions = tuple(
            Region(f"@{name}", address, size, rules[name])
            for name, (address, size) in memory.items()
        )

    def call(self, *values: int | None) -> None:
        """Check the pointers and run; raises `Fault`."""
        self._calls += 1
        first = self._instances[0]
        pointers = [value or 0 for value in values[: len(first.demands)]]
        scalars = [value or 0 for value in values[len(first.demands) :]]
        intrinsic, regions = self._instance(pointers)
        ends = [region.address + region.size for region in regions]
        rooms = [end - pointer for end, pointer in zip(ends, pointers, strict=True)]
        sizes = [room // width for room, width in zip(rooms, intrinsic.widths, strict=True)]
        mistake, macs = intrinsic.run(pointers, sizes, scalars, is_complete=False)
        if mistake is not None:
            number = mistake.operand
            what = describe(mistake, intrinsic.demands[number], sizes[number])
            kind = OutOfRange if mistake.kind == OUTSIDE else WrongReference
            offset = pointers[number] - regions[number].address
            raise kind(self._where(regions[number], offset), f"of {intrinsic.name} {what}")
        self._report.macs += macs
        self._report.calls[self._symbol] += 1

    def _instance(self, pointers: Sequence[int]) -> tuple[Intrinsic, list[Region]]:
        """The first instance that takes these operands; what the first says if none does."""
        refusals: list[Fault] = []
        for intrinsic in self._instances:
            try:
                pairs = zip(intrinsic.demands, pointers, strict=True)
                return intrinsic, [self._region(intrinsic, *pair) for pair in pairs]
            except Fault as refusal:
                refusals.append(refusal)
        raise refusals[0]

    def _region(self, intrinsic: Intrinsic, demand: Demand, pointer: int) -> Region:
        what = f"finds operand '{demand.name}' of {intrinsic.name}"
        region = next((region for region in self._regions if pointer in region), None)
        if region is None:
            raise WrongPool(self._where(None, pointer), f"{what} in no pool")
        offset = pointer - region.address
        place = f"at byte {offset} of {region.name}"
        if demand.pools is not None and region.name not in demand.pools:
            reason = f"{what} {place}, but it may be in {', '.join(demand.pools)} only"
            raise WrongPool(self._where(region, offset), reason)
        if not _has_right(intrinsic.device, demand, region.rules):
            reason = f"{what} {place}, which device '{intrinsic.device}' may not use so"
            raise NoRight(self._where(region, offset), reason)
        if (region.rules.base + offset) % demand.alignment:
            reason = f"{what} {place}, which is not aligned to {demand.alignment}"
            raise Misaligned(self._where(region, offset), reason)
        return region

    def _where(self, region: Region | None, offset: int) -> Where:
        pool, base = ("", 0) if region is None else (region.name, region.rules.base)
        return Where(self._symbol, f"call {self._calls}", pool, base + offset)


def _has_right(device: str, demand: Demand, rules: Rules) -> bool:
    if demand.writes and rules.is_read_only:
        return False
    if demand.pools is not None:
        return True
    can_read = not demand.reads or rules.readers is None or device in rules.readers
    return can_read and (not demand.writes or rules.writers is None or device in rules.writers)
