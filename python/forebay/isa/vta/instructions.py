"""VTA's instructions: fields of words of 128 bits, and micro-ops of 32 bits."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Annotated, TypeAlias

from forebay.isa.bits import BitFields, Bits


class VtaMemory(IntEnum):
    """The memory that a LOAD or STORE accesses; `ACC_INT8` loads int8 into ACC."""

    UOP = 0
    WGT = 1
    INP = 2
    ACC = 3
    OUT = 4
    ACC_INT8 = 5


class AluOp(IntEnum):
    """The operations of ALU; `MUL` is in the functional simulator only."""

    MIN = 0
    MAX = 1
    ADD = 2
    SHR = 3
    MUL = 4


@dataclass(frozen=True)
class MicroOp(BitFields):
    """Indices of ACC (destination), of INP or ACC (source), and of WGT."""

    dst: Annotated[int, Bits(10, 0)]
    src: Annotated[int, Bits(21, 11)] = 0
    wgt: Annotated[int, Bits(31, 22)] = 0


@dataclass(frozen=True)
class DependencyBits(BitFields):
    """The tokens that an instruction takes before it starts, and gives after its end."""

    pop_prev: Annotated[bool, Bits(0, 0)] = False
    pop_next: Annotated[bool, Bits(1, 1)] = False
    push_prev: Annotated[bool, Bits(2, 2)] = False
    push_next: Annotated[bool, Bits(3, 3)] = False


NO_TOKENS = DependencyBits()


@dataclass(frozen=True)
class _VtaMove(BitFields):
    memory: Annotated[VtaMemory, Bits(9, 7)]
    sram: Annotated[int, Bits(25, 10)]
    dram: Annotated[int, Bits(57, 26)]
    rows: Annotated[int, Bits(79, 64)]
    columns: Annotated[int, Bits(95, 80)]
    stride: Annotated[int, Bits(111, 96)]
    tokens: Annotated[DependencyBits, Bits(6, 3)] = NO_TOKENS
    pad_up: Annotated[int, Bits(115, 112)] = 0
    pad_down: Annotated[int, Bits(119, 116)] = 0
    pad_left: Annotated[int, Bits(123, 120)] = 0
    pad_right: Annotated[int, Bits(127, 124)] = 0


@dataclass(frozen=True)
class VtaLoad(_VtaMove):
    """Load `rows` x `columns` elements, with zeros around them, into consecutive SRAM elements.

    `dram` counts elements of the memory; `stride` is in elements between rows.
    """

    opcode: Annotated[int, Bits(2, 0)] = field(default=0, init=False)


@dataclass(frozen=True)
class VtaStore(_VtaMove):
    """Store the low bytes of `rows` x `columns` consecutive elements."""

    opcode: Annotated[int, Bits(2, 0)] = field(default=1, init=False)


@dataclass(frozen=True)
class _VtaLoops(BitFields):
    uop_begin: Annotated[int, Bits(20, 8)]
    uop_end: Annotated[int, Bits(34, 21)]
    outer: Annotated[int, Bits(48, 35)] = 1
    inner: Annotated[int, Bits(62, 49)] = 1
    dst_outer: Annotated[int, Bits(74, 64)] = 0
    dst_inner: Annotated[int, Bits(85, 75)] = 0
    src_outer: Annotated[int, Bits(96, 86)] = 0
    src_inner: Annotated[int, Bits(107, 97)] = 0
    tokens: Annotated[DependencyBits, Bits(6, 3)] = NO_TOKENS


@dataclass(frozen=True)
class VtaGemm(_VtaLoops):
    """Multiply INP with WGT onto ACC for each micro-op in two loops; `reset` makes ACC zero."""

    wgt_outer: Annotated[int, Bits(117, 108)] = 0
    wgt_inner: Annotated[int, Bits(127, 118)] = 0
    reset: Annotated[bool, Bits(7, 7)] = False
    opcode: Annotated[int, Bits(2, 0)] = field(default=2, init=False)


@dataclass(frozen=True)
class VtaAlu(_VtaLoops):
    """Compute `dst = dst op immediate`, or `dst op src`, for each micro-op in two loops."""

    op: Annotated[AluOp, Bits(110, 108)] = AluOp.ADD
    use_immediate: Annotated[bool, Bits(111, 111)] = False
    immediate: Annotated[int, Bits(127, 112, signed=True)] = 0
    opcode: Annotated[int, Bits(2, 0)] = field(default=4, init=False)


@dataclass(frozen=True)
class VtaFinish(BitFields):
    """End the program."""

    tokens: Annotated[DependencyBits, Bits(6, 3)] = NO_TOKENS
    opcode: Annotated[int, Bits(2, 0)] = field(default=3, init=False)


VtaInstruction: TypeAlias = VtaLoad | VtaStore | VtaGemm | VtaAlu | VtaFinish


class VtaCore(IntEnum):
    """The cores in the order of the data."""

    LOAD = 0
    COMPUTE = 1
    STORE = 2


def core_of(instruction: VtaInstruction) -> VtaCore:
    """Return the core that runs an instruction."""
    match instruction:
        case VtaStore():
            return VtaCore.STORE
        case VtaLoad(memory=VtaMemory.INP | VtaMemory.WGT):
            return VtaCore.LOAD
        case _:
            return VtaCore.COMPUTE
