"""The state of a VTA while a program runs, and its checked accesses."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebay.isa.faults import (
    FaultLocation,
    FaultReporter,
    InstructionFault,
    NeverWrittenRow,
    RamOutOfRange,
    RowOutOfRange,
)
from forebay.isa.local_memory import LocalMemory
from forebay.isa.main_memory import MainMemory
from forebay.isa.vta.faults import UnorderedAccess
from forebay.isa.vta.geometry import VtaGeometry
from forebay.isa.vta.instructions import VtaCore
from forebay.isa.vta.races import AccessTimes, Race
from forebay.isa.vta.tokens import NOTHING_COMPLETE

_DRAM_GRAIN = 4


class VtaState:
    """Memories, and who accessed each element; `core` and `clock` are of the present instruction.

    OUT has the indices of ACC. `computed` says which elements GEMM or ALU wrote last.
    """

    def __init__(
        self,
        memory: MainMemory,
        geometry: VtaGeometry,
        ignoring: Collection[type[InstructionFault]] = (),
    ) -> None:
        lanes = geometry.lanes
        self.geometry = geometry
        self.memory = memory
        self.uop = LocalMemory("UOP", geometry.micro_ops, (), np.uint32)
        self.wgt = LocalMemory("WGT", geometry.weights, (lanes, lanes), np.int8)
        self.inp = LocalMemory("INP", geometry.inputs, (lanes,), np.int8)
        self.acc = LocalMemory("ACC", geometry.accumulators, (lanes,), np.int32)
        self.computed: NDArray[np.bool_] = np.zeros(geometry.accumulators, np.bool_)
        self.place = FaultLocation(0, "start")
        self.core, self.clock = VtaCore.COMPUTE, NOTHING_COMPLETE
        self._reporter = FaultReporter(ignoring)
        self.begin_program()

    def begin_program(self) -> None:
        """Forget who accessed what: everything before is complete."""
        locals_ = (self.uop, self.wgt, self.inp, self.acc)
        self._times = {local.name: AccessTimes(len(local)) for local in locals_}
        end = self.memory.base + len(self.memory.data)
        self._dram_times = AccessTimes(-(-end // _DRAM_GRAIN))

    def report(
        self,
        kind: type[InstructionFault],
        field: str,
        what: str,
        *,
        memory: str = "",
        rows: tuple[int, int] | None = None,
    ) -> None:
        """Raise a fault of the present instruction, unless faults of this kind are ignored."""
        self._reporter.report(kind(self.place, field, what, memory=memory, rows=rows))

    def read(self, field: str, local: LocalMemory, elements: NDArray[np.int64]) -> NDArray[Any]:
        """Return elements, which must have been written before for certain."""
        self.require_range(field, local, elements)
        if not elements.size:
            return local.data[elements]
        written = local.written[elements].reshape(len(elements), -1).all(axis=1)
        if not written.all():
            wrong = elements[~written]
            span = (int(wrong.min()), int(wrong.max()) + 1)
            what = "was never written"
            self.report(NeverWrittenRow, field, what, memory=local.name, rows=span)
        times = self._times[local.name]
        self._require_order(field, local.name, times.read(self.core, self.clock, elements))
        return local.data[elements]

    def write(
        self, field: str, local: LocalMemory, elements: NDArray[np.int64], values: Any
    ) -> None:
        """Store elements; nothing may access them at the same time."""
        self.require_range(field, local, elements)
        times = self._times[local.name]
        self._require_order(field, local.name, times.write(self.core, self.clock, elements))
        local.write(elements, values)

    def require_range(self, field: str, local: LocalMemory, elements: NDArray[np.int64]) -> None:
        """Refuse elements beyond the memory."""
        if elements.size and elements.max() >= len(local):
            span = (int(elements.min()), int(elements.max()) + 1)
            what = f"is outside of {len(local):,} elements"
            self.report(RowOutOfRange, field, what, memory=local.name, rows=span)

    def read_dram(self, address: int, size: int) -> NDArray[np.uint8]:
        """Return bytes of main memory."""
        self._require_dram(address, size)
        if not self.memory.written[self.memory.at(address, size)].all():
            what = "was never written"
            span = (address, address + size)
            self.report(NeverWrittenRow, "dram", what, memory="main memory", rows=span)
        race = self._dram_times.read(self.core, self.clock, _grains(address, size))
        self._require_order("dram", "main memory", race, _DRAM_GRAIN)
        return self.memory.read(address, size)

    def write_dram(self, address: int, data: NDArray[np.uint8]) -> None:
        """Store bytes to main memory."""
        self._require_dram(address, len(data))
        race = self._dram_times.write(self.core, self.clock, _grains(address, len(data)))
        self._require_order("dram", "main memory", race, _DRAM_GRAIN)
        self.memory.write(address, data)

    def _require_dram(self, address: int, size: int) -> None:
        if not self.memory.contains(address, size):
            end = self.memory.base + len(self.memory.data)
            what = f"is outside of [{self.memory.base:#x}, {end:#x})"
            span = (address, address + size)
            self.report(RamOutOfRange, "dram", what, memory="main memory", rows=span)

    def _require_order(self, field: str, memory: str, race: Race | None, unit: int = 1) -> None:
        if race is not None:
            verb = "writes" if race.written else "reads"
            what = f"the {race.core.name} core {verb} it, and no token orders the two"
            span = (race.element * unit, (race.element + 1) * unit)
            self.report(UnorderedAccess, field, what, memory=memory, rows=span)


def _grains(address: int, size: int) -> slice:
    return slice(address // _DRAM_GRAIN, -(-(address + size) // _DRAM_GRAIN))
