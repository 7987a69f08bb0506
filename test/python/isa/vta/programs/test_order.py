"""Dependency bits: enough for every order of the cores, and none that is not needed."""

import random
from collections import Counter
from dataclasses import fields, replace

import numpy as np
import pytest

from forebay.isa.faults import InstructionFault
from forebay.isa.main_memory import MainMemory
from forebay.isa.vta.instructions import (
    AluOp,
    DependencyBits,
    VtaAlu,
    VtaFinish,
    VtaInstruction,
    VtaLoad,
    VtaMemory,
    VtaStore,
)
from forebay.isa.vta.interpreter import run_vta
from forebay.isa.vta.programs.micro_op_memory import MicroOpMemory
from forebay.isa.vta.programs.moves import DramBlock, load_block, store_block
from forebay.isa.vta.programs.order import with_tokens
from forebay.isa.vta.programs.products import TileProduct, combine_sums, multiply_tiles
from forebay.isa.vta.programs.step import ProgramStep

BASE, SIZE = 0x1000, 0x4000
UOPS = BASE + 0x3000


def random_steps(seed: int) -> tuple[list[ProgramStep], MicroOpMemory]:
    """Return operations on a few elements, so that most of them conflict."""
    draw = random.Random(seed)
    micro_ops = MicroOpMemory(UOPS, depth=8)
    one = TileProduct(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
    steps: list[ProgramStep] = []
    for memory, count in ((VtaMemory.INP, 3), (VtaMemory.WGT, 2), (VtaMemory.ACC, 3)):
        steps.append(load_block(memory, 0, DramBlock(BASE, 1, count)))
    steps += combine_sums(AluOp.ADD, 0, 0, 3, micro_ops)
    for _ in range(40):
        match draw.randrange(5):
            case 0:
                source = DramBlock(BASE + 16 * draw.randrange(8), 1, 1)
                steps.append(load_block(VtaMemory.INP, draw.randrange(3), source))
            case 1:
                source = DramBlock(BASE + 256 * draw.randrange(2), 1, 1)
                steps.append(load_block(VtaMemory.WGT, draw.randrange(2), source))
            case 2:
                at = [draw.randrange(count) for count in (3, 2, 3)]
                steps += multiply_tiles(one, *at, micro_ops)
            case 3:
                steps += combine_sums(AluOp.SHR, draw.randrange(3), draw.randrange(3), 1, micro_ops)
            case _:
                target = DramBlock(BASE + 16 * draw.randrange(8), 1, 1)
                steps.append(store_block(draw.randrange(3), target))
    return steps, micro_ops


def run(program: list[VtaInstruction], micro_ops: MicroOpMemory) -> bytes:
    data = np.random.default_rng(0).integers(0, 256, SIZE, np.uint8)
    words = micro_ops.words().view(np.uint8)
    data[UOPS - BASE : UOPS - BASE + len(words)] = words
    memory = MainMemory(BASE, data)
    run_vta(program, memory)
    return memory.data.tobytes()


@pytest.mark.parametrize("seed", range(20))
def test_a_random_program_has_no_race_and_no_token_too_many(seed: int) -> None:
    steps, micro_ops = random_steps(seed)
    program = with_tokens(steps)
    result = run(program, micro_ops)
    given = [at for at, one in enumerate(program) if one.tokens.push_prev or one.tokens.push_next]
    assert len(given) > 5
    for at in given:
        # The interpreter sees a token that is missing: a race, or a core that waits forever.
        less = list(program)
        less[at] = replace(less[at], tokens=DependencyBits())
        with pytest.raises(InstructionFault):
            run(less, micro_ops)
    assert run(program, micro_ops) == result


@pytest.mark.parametrize("seed", range(20))
def test_a_token_is_never_given_for_nothing(seed: int) -> None:
    """Without any one pair of bits, given and taken, the program has a race."""
    steps, micro_ops = random_steps(seed)
    program = with_tokens(steps)
    needless = 0
    for giver, taker in token_pairs(program):
        less = list(program)
        for at, bit in (giver, taker):
            less[at] = replace(less[at], tokens=replace(less[at].tokens, **{bit: False}))
        try:
            run(less, micro_ops)
        except InstructionFault:
            continue
        needless += 1
    # A later token may happen to order what an earlier one did.
    assert needless <= 2


def token_pairs(program) -> list[tuple[tuple[int, str], tuple[int, str]]]:
    """Return which instruction's bit gives the token that which instruction's bit takes."""
    names = {"push_next": "pop_prev", "push_prev": "pop_next"}
    pairs = []
    for core, given in ((0, "push_next"), (1, "push_prev"), (1, "push_next"), (2, "push_prev")):
        other = core + (1 if given == "push_next" else -1)
        givers = [i for i, x in enumerate(program) if on(x) == core and getattr(x.tokens, given)]
        taken = names[given]
        takers = [i for i, x in enumerate(program) if on(x) == other and getattr(x.tokens, taken)]
        assert len(givers) == len(takers)
        pairs += [((g, given), (t, taken)) for g, t in zip(givers, takers, strict=True)]
    return pairs


def on(instruction: VtaInstruction) -> int:
    if isinstance(instruction, VtaStore):
        return 2
    is_load = isinstance(instruction, VtaLoad)
    return 0 if is_load and instruction.memory in {VtaMemory.INP, VtaMemory.WGT} else 1


def test_a_load_of_what_was_stored_waits_by_way_of_the_compute_core() -> None:
    steps = [
        load_block(VtaMemory.ACC, 0, DramBlock(BASE, 1, 1)),
        ProgramStep(VtaAlu(0, 0, op=AluOp.ADD, use_immediate=True)),
        store_block(0, DramBlock(BASE + 0x100, 1, 1)),
        load_block(VtaMemory.INP, 0, DramBlock(BASE + 0x100, 1, 1)),
    ]
    program = with_tokens(steps)
    kinds = [type(one).__name__ for one in program]
    assert kinds == ["VtaLoad", "VtaAlu", "VtaStore", "VtaLoad", "VtaLoad", "VtaFinish"]
    relay, load = program[3], program[4]
    assert (relay.memory, relay.columns) == (VtaMemory.UOP, 0)
    assert relay.tokens == DependencyBits(pop_next=True, push_prev=True)
    assert load.tokens == DependencyBits(pop_next=True, push_next=True)
    assert program[-1].tokens == DependencyBits(pop_prev=True)


def test_what_is_known_needs_no_token() -> None:
    loads = [load_block(VtaMemory.INP, at, DramBlock(BASE + 16 * at, 1, 1)) for at in range(3)]
    one = TileProduct(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
    micro_ops = MicroOpMemory(UOPS)
    gemm = [multiply_tiles(one, at, 0, 0, micro_ops)[-1] for at in (2, 1, 0)]
    program = with_tokens([*loads, *gemm])
    bits = Counter(
        bit.name for x in program for bit in fields(DependencyBits) if getattr(x.tokens, bit.name)
    )
    # The first product needs the last load, so all loads are complete for the others.
    assert bits == {"push_next": 1, "pop_prev": 1}


def test_a_program_without_steps_is_a_finish() -> None:
    assert with_tokens([]) == [VtaFinish()]
