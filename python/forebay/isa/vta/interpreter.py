"""The interpreter: three cores that run ahead of each other as far as tokens allow."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from forebay.isa.faults import FaultLocation, InstructionFault
from forebay.isa.main_memory import MainMemory
from forebay.isa.vta.compute import alu, gemm
from forebay.isa.vta.faults import (
    FinishNotLast,
    MissingNeighbour,
    TokenDeadlock,
    TokenOverflow,
    TokensLeft,
    UnfinishedWork,
)
from forebay.isa.vta.geometry import VtaGeometry
from forebay.isa.vta.instructions import (
    VtaAlu,
    VtaCore,
    VtaFinish,
    VtaGemm,
    VtaInstruction,
    VtaLoad,
    VtaStore,
    core_of,
)
from forebay.isa.vta.moves import load, store
from forebay.isa.vta.state import VtaState
from forebay.isa.vta.tokens import TokenQueues, neighbours


@dataclass(frozen=True)
class _Queued:
    index: int
    instruction: VtaInstruction
    taken: list[VtaCore]
    given: list[VtaCore]

    @property
    def place(self) -> FaultLocation:
        return FaultLocation(self.index, type(self.instruction).__name__)


def run_vta(
    program: Iterable[VtaInstruction],
    memory: MainMemory,
    geometry: VtaGeometry | None = None,
    ignoring: Collection[type[InstructionFault]] = (),
) -> VtaState:
    """Run `program` on `memory`, which it changes, and return the state at the end.

    Local memory is undefined at the start. Raises an `InstructionFault`, except of the classes in
    `ignoring`. Without a fault the result does not depend on how fast the cores are.
    """
    state = VtaState(memory, geometry or VtaGeometry(), ignoring)
    continue_vta(state, program)
    return state


def continue_vta(state: VtaState, program: Iterable[VtaInstruction]) -> None:
    """Run a program on what an earlier one left in the memories; it has ended before."""
    state.begin_program()
    instructions = list(program)
    queues = _queues(state, instructions)
    lengths = {core: len(queue) for core, queue in queues.items()}
    tokens = TokenQueues()
    while any(queues.values()):
        ready = [core for core in VtaCore if queues[core] and not _awaited(tokens, core, queues)]
        if not ready:
            _report_deadlock(state, tokens, queues)
        _step(state, tokens, ready[0], queues[ready[0]].popleft())
    _require_complete(state, tokens, lengths)


def _queues(state: VtaState, instructions: list[VtaInstruction]) -> dict[VtaCore, deque[_Queued]]:
    queues: dict[VtaCore, deque[_Queued]] = {core: deque() for core in VtaCore}
    for index, instruction in enumerate(instructions):
        state.place = FaultLocation(index, type(instruction).__name__)
        last = index == len(instructions) - 1
        if isinstance(instruction, VtaFinish) is not last:
            what = "FINISH must be the last instruction, and the only FINISH"
            state.report(FinishNotLast, "opcode", what)
        core = core_of(instruction)
        taken, given = neighbours(core, instruction.tokens)
        if None in taken or None in given:
            what = f"the {core.name} core has no such neighbour"
            state.report(MissingNeighbour, "tokens", what)
        taken_from = [other for other in taken if other is not None]
        given_to = [other for other in given if other is not None]
        queues[core].append(_Queued(index, instruction, taken_from, given_to))
    if not instructions:
        state.report(FinishNotLast, "opcode", "the program is empty")
    return queues


def _awaited(
    tokens: TokenQueues, core: VtaCore, queues: dict[VtaCore, deque[_Queued]]
) -> list[VtaCore]:
    return tokens.missing(core, queues[core][0].taken)


def _report_deadlock(
    state: VtaState, tokens: TokenQueues, queues: dict[VtaCore, deque[_Queued]]
) -> None:
    waiting: list[str] = []
    for core, queue in queues.items():
        for queued in list(queue)[:1]:
            names = " and ".join(other.name for other in _awaited(tokens, core, queues))
            waiting.append(f"{core.name} at instruction {queued.index} for {names}")
            state.place = queued.place
    state.report(TokenDeadlock, "tokens", f"all cores wait for a token: {'; '.join(waiting)}")


def _step(state: VtaState, tokens: TokenQueues, core: VtaCore, queued: _Queued) -> None:
    state.place = queued.place
    state.core, state.clock = core, tokens.start(core, queued.taken)
    match queued.instruction:
        case VtaLoad():
            load(state, queued.instruction)
        case VtaStore():
            store(state, queued.instruction)
        case VtaGemm():
            gemm(state, queued.instruction)
        case VtaAlu():
            alu(state, queued.instruction)
        case VtaFinish():
            pass
    tokens.end(core, queued.given)
    for other in queued.given:
        outstanding = tokens.most_outstanding(core, other)
        if outstanding > state.geometry.tokens:
            what = f"{outstanding} tokens to {other.name}; queues hold {state.geometry.tokens}"
            state.report(TokenOverflow, "tokens", what)


def _require_complete(state: VtaState, tokens: TokenQueues, lengths: dict[VtaCore, int]) -> None:
    for core in (VtaCore.LOAD, VtaCore.STORE):
        late = lengths[core] - tokens.known(VtaCore.COMPUTE)[core]
        if late:
            what = (
                f"the last {late} of the {core.name} core may still run; FINISH waits for no token"
            )
            state.report(UnfinishedWork, "tokens", what)
    for (giver, taker), count in tokens.left().items():
        what = f"{count} from {giver.name} to {taker.name} left at the end"
        state.report(TokensLeft, "tokens", what)
