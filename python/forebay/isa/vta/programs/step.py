"""An instruction without dependency bits, and what it accesses."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from forebay.isa.vta.instructions import VtaInstruction


class AccessedMemory(Enum):
    """A memory that more than one core accesses, with the bytes of the unit that ranges count."""

    INP = 16
    WGT = 256
    ACC = 64
    DRAM = 1


@dataclass(frozen=True)
class AccessRange:
    """Elements `[begin, end)` of a local memory, or bytes of main memory."""

    memory: AccessedMemory
    begin: int
    end: int


@dataclass(frozen=True)
class ProgramStep:
    """An instruction, and the ranges that it may read and write.

    Micro-ops are not listed: only the compute core accesses them.
    """

    instruction: VtaInstruction
    reads: tuple[AccessRange, ...] = ()
    writes: tuple[AccessRange, ...] = ()
