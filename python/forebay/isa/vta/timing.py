"""The cycles of a program: three cores that run their instructions in order and wait for tokens.

The default hardware makes a product of a vector and a matrix per cycle, an ALU operation on an
element in `alu` cycles, and moves 8 bytes per cycle and core. Instructions are there when a core
wants them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from forebay.isa.vta.instructions import (
    VtaAlu,
    VtaCore,
    VtaFinish,
    VtaGemm,
    VtaInstruction,
    VtaLoad,
    VtaMemory,
    VtaStore,
    core_of,
)
from forebay.isa.vta.tokens import neighbours

_BUS_BYTES = 8
_ELEMENT_BYTES = {
    VtaMemory.UOP: 4,
    VtaMemory.WGT: 256,
    VtaMemory.INP: 16,
    VtaMemory.ACC: 64,
    VtaMemory.OUT: 16,
    VtaMemory.ACC_INT8: 16,
}


@dataclass(frozen=True)
class ProgramCycles:
    """The end of the last instruction, and the working time of each core."""

    total: int
    busy: Mapping[VtaCore, int]
    gemm: int
    """The cycles of the compute core in which the array multiplies."""


@dataclass(frozen=True)
class InstructionTimes:
    """`latency` counts the cycles before the first element of a load or a store."""

    latency: int = 16
    alu: int = 1

    def of(self, instruction: VtaInstruction) -> int:
        """Return the cycles of an instruction."""
        match instruction:
            case VtaLoad(rows=rows, columns=columns) | VtaStore(rows=rows, columns=columns):
                moved = rows * columns * _ELEMENT_BYTES[instruction.memory]
                return self.latency + -(-moved // _BUS_BYTES) if moved else 0
            case VtaGemm() | VtaAlu():
                each = self.alu if isinstance(instruction, VtaAlu) else 1
                micro_ops = instruction.uop_end - instruction.uop_begin
                return instruction.outer * instruction.inner * micro_ops * each
            case VtaFinish():
                return 0


def cycles_of_program(
    program: Iterable[VtaInstruction], times: InstructionTimes | None = None
) -> ProgramCycles:
    """Return the cycles of a program that ends; raises `ValueError` for one that waits forever."""
    times = times or InstructionTimes()
    queues: dict[VtaCore, deque[VtaInstruction]] = {core: deque() for core in VtaCore}
    for instruction in program:
        queues[core_of(instruction)].append(instruction)
    now = dict.fromkeys(VtaCore, 0)
    busy = dict.fromkeys(VtaCore, 0)
    tokens: dict[tuple[VtaCore, VtaCore], deque[int]] = {
        (a, b): deque() for a in VtaCore for b in VtaCore
    }
    gemm = 0
    while any(queues.values()):
        ready = [core for core in VtaCore if queues[core] and _has_tokens(core, queues, tokens)]
        if not ready:
            raise ValueError("the cores wait for tokens that no instruction gives")
        for core in ready:
            instruction = queues[core].popleft()
            taken, given = neighbours(core, instruction.tokens)
            waits = [tokens[other, core].popleft() for other in taken if other is not None]
            cycles = times.of(instruction)
            now[core] = max([now[core], *waits]) + cycles
            busy[core] += cycles
            gemm += cycles if isinstance(instruction, VtaGemm) else 0
            for other in given:
                if other is not None:
                    tokens[core, other].append(now[core])
    return ProgramCycles(max(now.values()), busy, gemm)


def _has_tokens(
    core: VtaCore,
    queues: Mapping[VtaCore, deque[VtaInstruction]],
    tokens: Mapping[tuple[VtaCore, VtaCore], deque[int]],
) -> bool:
    taken, _ = neighbours(core, queues[core][0].tokens)
    return all(other is not None and tokens[other, core] for other in taken)
