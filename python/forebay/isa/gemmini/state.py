"""The state of a Gemmini while a program runs, and its checked accesses to local rows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
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
    WrongOperand,
)
from forebay.isa.gemmini.faults import PreloadDisturbed
from forebay.isa.gemmini.geometry import GemminiGeometry
from forebay.isa.gemmini.instructions import (
    ConfigEx,
    ConfigLd,
    ConfigSt,
    Dataflow,
    LocalAddress,
    Preload,
)
from forebay.isa.gemmini.order import MoveOrder
from forebay.isa.local_memory import LocalMemory
from forebay.isa.main_memory import MainMemory

Indices = NDArray[np.int64]


@dataclass
class PendingPreload:
    """A preload, the rows of the operand that it names, and what became of it."""

    instruction: Preload
    operand_rows: Indices
    computed: bool = False


class GemminiState:
    """Memories, array and configurations; undefined at the start."""

    def __init__(
        self,
        memory: MainMemory,
        geometry: GemminiGeometry,
        ignoring: Collection[type[InstructionFault]] = (),
    ) -> None:
        lanes = (geometry.lanes,)
        self.geometry = geometry
        self.memory = memory
        self.scratchpad = LocalMemory("scratchpad", geometry.scratchpad_rows, lanes, np.int8)
        self.accumulator = LocalMemory("accumulator", geometry.accumulator_rows, lanes, np.int32)
        self.array: NDArray[np.int32] = np.zeros((geometry.lanes, geometry.lanes), np.int32)
        self.array_holds: Dataflow | None = None
        self.config_ex: ConfigEx | None = None
        self.config_ld: dict[int, ConfigLd] = {}
        self.config_st: ConfigSt | None = None
        self.preload: PendingPreload | None = None
        self.order = MoveOrder(memory)
        self.place = FaultLocation(0, "start")
        self._reporter = FaultReporter(ignoring)

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

    def local(self, address: LocalAddress) -> LocalMemory:
        """Return the memory that an address belongs to."""
        return self.accumulator if address.accumulator else self.scratchpad

    def operand(self, field: str, address: LocalAddress) -> LocalMemory:
        """Return the memory of an operand of the array: the scratchpad."""
        if address.accumulator:
            self.report(
                WrongOperand, field, "is in the accumulator; operands are in the scratchpad"
            )
        elif address.accumulate or address.full_width:
            self.report(
                WrongOperand, field, "has a flag of the accumulator; it is in the scratchpad"
            )
        return self.scratchpad

    def read(self, field: str, memory: LocalMemory, rows: Indices, lanes: Indices) -> NDArray[Any]:
        """Return the numbers at rows and lanes, which must have been written."""
        self._require_rows(field, memory, rows)
        unwritten = ~memory.written[rows, lanes]
        if unwritten.any():
            wrong = np.broadcast_to(rows, unwritten.shape)[unwritten]
            lane = np.broadcast_to(lanes, unwritten.shape)[unwritten][0]
            span = (int(wrong.min()), int(wrong.max()) + 1)
            what = f"was never written (lane {lane} of the first row)"
            self.report(NeverWrittenRow, field, what, memory=memory.name, rows=span)
        return memory.data[rows, lanes]

    def write(
        self,
        field: str,
        memory: LocalMemory,
        rows: Indices,
        lanes: Indices,
        values: NDArray[Any],
        *,
        accumulate: bool,
    ) -> None:
        """Store numbers at rows and lanes in order, or add them, wrapping."""
        self._require_rows(field, memory, rows)
        self._require_undisturbed(field, memory, rows)
        if accumulate:
            self.read(f"{field} (accumulated onto)", memory, rows, lanes)
            np.add.at(memory.data, (rows, lanes), values.astype(memory.data.dtype))
        else:
            memory.write((rows, lanes), values)

    def main_pieces(self, field: str, address: int, rows: int, stride: int, size: int) -> list[int]:
        """Return the address of each row; all bytes are in main memory."""
        starts = [address + row * stride for row in range(rows)]
        if not starts:
            return starts
        first, end = min(starts), max(starts) + size
        if not (self.memory.contains(first, size) and self.memory.contains(end - size, size)):
            known = f"[{self.memory.base:#x}, {self.memory.base + len(self.memory.data):#x})"
            what = f"is outside of {known}"
            self.report(RamOutOfRange, field, what, memory="main memory", rows=(first, end))
        return starts

    def _require_rows(self, field: str, memory: LocalMemory, rows: Indices) -> None:
        if rows.size and (rows.min() < 0 or rows.max() >= len(memory)):
            span = (int(rows.min()), int(rows.max()) + 1)
            what = f"is outside of {len(memory):,} rows"
            self.report(RowOutOfRange, field, what, memory=memory.name, rows=span)

    def _require_undisturbed(self, field: str, memory: LocalMemory, rows: Indices) -> None:
        preload = self.preload
        if memory is not self.scratchpad or preload is None or preload.computed:
            return
        common = np.intersect1d(rows, preload.operand_rows)
        if common.size:
            span = (int(common[0]), int(common[-1]) + 1)
            what = "overwrites the operand of a preload whose compute has not come"
            self.report(PreloadDisturbed, field, what, memory=memory.name, rows=span)
