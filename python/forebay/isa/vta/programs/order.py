"""Dependency bits: the tokens that order the cores wherever two of them access one element.

The steps are in an order in which they may run one after the other. For each step and each other
core, the last conflicting step of that core must be complete. What a core knows to be complete is a
vector clock, as in the interpreter: if it knows enough already, no token is needed. Otherwise the
conflicting instruction gives a token and this one takes it. Tokens between two cores are taken in
the order in which they are given, because what is needed later is never older.

    LOAD  x0 -> | LOAD x1 -> | <- LOAD x2 (overwrites x0)
    GEMM     x0 | GEMM    x1 ...

The load core and the store core are no neighbours. A compute instruction that already knows the
needed one hands its knowledge on; if there is none, an instruction without data is inserted.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from forebay.isa.vta.instructions import (
    DependencyBits,
    VtaCore,
    VtaFinish,
    VtaInstruction,
    VtaLoad,
    VtaMemory,
    core_of,
)
from forebay.isa.vta.programs.step import AccessedMemory, AccessRange, ProgramStep
from forebay.isa.vta.tokens import NOTHING_COMPLETE, CoreClock, joined_clocks

_DRAM_GRAIN = 16
"""Bytes of main memory that are tracked together: the smallest element that two cores share."""

_NO_DATA = VtaLoad(VtaMemory.UOP, 0, 0, rows=0, columns=0, stride=0)


def with_tokens(steps: Iterable[ProgramStep]) -> list[VtaInstruction]:
    """Return the instructions with their dependency bits, and a FINISH after them."""
    stream = _Stream()
    for step in steps:
        stream.append(step)
    return stream.finished()


@dataclass
class _Issued:
    """An instruction of the program, what is complete after it, and its dependency bits."""

    instruction: VtaInstruction
    after: CoreClock
    bits: dict[str, bool] = field(default_factory=dict[str, bool])


class _Stream:
    def __init__(self) -> None:
        self._program: list[_Issued] = []
        self._by_core: dict[VtaCore, list[_Issued]] = {core: [] for core in VtaCore}
        self._clocks: dict[VtaCore, CoreClock] = dict.fromkeys(VtaCore, NOTHING_COMPLETE)
        self._accesses = {memory: _LastAccesses() for memory in AccessedMemory}

    def append(self, step: ProgramStep) -> None:
        """Add an instruction after everything that it depends on."""
        core = core_of(step.instruction)
        needed = np.zeros(len(VtaCore), np.int64)
        for access, is_write in _accesses(step):
            last = self._accesses[access.memory]
            needed = np.maximum(needed, last.needed(_tracked(access), is_write=is_write))
        bits = self._await(core, {other: int(needed[other]) for other in VtaCore})
        number = self._issue(core, step.instruction, bits)
        for access, is_write in _accesses(step):
            last = self._accesses[access.memory]
            last.note(_tracked(access), core, number, is_write=is_write)

    def finished(self) -> list[VtaInstruction]:
        """Add a FINISH that waits for all loads and stores; return the program."""
        needed = {core: len(issued) for core, issued in self._by_core.items()}
        bits = self._await(VtaCore.COMPUTE, needed)
        self._issue(VtaCore.COMPUTE, VtaFinish(), bits)
        return [
            replace(issued.instruction, tokens=DependencyBits(**issued.bits))
            for issued in self._program
        ]

    def _issue(self, core: VtaCore, instruction: VtaInstruction, bits: dict[str, bool]) -> int:
        clock = list(self._clocks[core])
        clock[core] += 1
        self._clocks[core] = (clock[0], clock[1], clock[2])
        issued = _Issued(instruction, self._clocks[core], bits)
        self._program.append(issued)
        self._by_core[core].append(issued)
        return clock[core]

    def _await(self, core: VtaCore, needed: dict[VtaCore, int]) -> dict[str, bool]:
        """Let what is needed be complete before the core's next instruction; return its bits."""
        bits: dict[str, bool] = {}
        for other, number in self._by_neighbour(core, needed).items():
            if self._clocks[core][other] >= number:
                continue
            giver = self._by_core[other][number - 1]
            given, taken = ("push_next", "pop_prev") if other < core else ("push_prev", "pop_next")
            giver.bits[given] = bits[taken] = True
            self._clocks[core] = joined_clocks(self._clocks[core], giver.after)
        return bits

    def _by_neighbour(self, core: VtaCore, needed: dict[VtaCore, int]) -> dict[VtaCore, int]:
        """Return per neighbour the number of its instruction that must be complete."""
        if core is VtaCore.COMPUTE:
            return {other: needed[other] for other in (VtaCore.LOAD, VtaCore.STORE)}
        far = VtaCore.STORE if core is VtaCore.LOAD else VtaCore.LOAD
        number = needed[VtaCore.COMPUTE]
        if self._clocks[core][far] < needed[far]:
            number = max(number, self._first_that_knows(far, needed[far]))
        return {VtaCore.COMPUTE: number}

    def _first_that_knows(self, far: VtaCore, number: int) -> int:
        """Return the first compute instruction after which instruction `number` is complete."""
        if self._clocks[VtaCore.COMPUTE][far] < number:
            bits = self._await(VtaCore.COMPUTE, {**dict.fromkeys(VtaCore, 0), far: number})
            self._issue(VtaCore.COMPUTE, _NO_DATA, bits)
        computed = self._by_core[VtaCore.COMPUTE]
        return bisect_left(computed, number, key=lambda issued: issued.after[far]) + 1


class _LastAccesses:
    """Per element and core, the numbers of the last instruction that wrote and that read it."""

    def __init__(self) -> None:
        self._written = np.zeros((len(VtaCore), 0), np.int64)
        self._read = np.zeros((len(VtaCore), 0), np.int64)

    def needed(self, span: slice, *, is_write: bool) -> NDArray[np.int64]:
        """Return per core the number that must be complete before an access."""
        self._grow(span.stop)
        needed = self._written[:, span].max(axis=1, initial=0)
        return (
            np.maximum(needed, self._read[:, span].max(axis=1, initial=0)) if is_write else needed
        )

    def note(self, span: slice, core: VtaCore, number: int, *, is_write: bool) -> None:
        """Record an access; the numbers of a core only grow."""
        (self._written if is_write else self._read)[core, span] = number

    def _grow(self, elements: int) -> None:
        missing = elements - self._written.shape[1]
        if missing > 0:
            padding = ((0, 0), (0, max(missing, self._written.shape[1])))
            self._written = np.pad(self._written, padding)
            self._read = np.pad(self._read, padding)


def _accesses(step: ProgramStep) -> list[tuple[AccessRange, bool]]:
    return [(access, False) for access in step.reads] + [(access, True) for access in step.writes]


def _tracked(access: AccessRange) -> slice:
    grain = _DRAM_GRAIN if access.memory is AccessedMemory.DRAM else 1
    return slice(access.begin // grain, -(-access.end // grain))
