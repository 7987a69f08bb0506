"""Whole programs of VTA: the published example, tokens, races, and every dropped bit."""

from dataclasses import fields, replace

import numpy as np
import pytest

from forebay.isa.faults import InstructionFault
from forebay.isa.vta.codec import decode_vta, encode_vta
from forebay.isa.vta.faults import (
    FinishNotLast,
    MissingNeighbour,
    TokenDeadlock,
    TokenOverflow,
    TokensLeft,
    UnfinishedWork,
    UnorderedAccess,
)
from forebay.isa.vta.geometry import VtaGeometry
from forebay.isa.vta.instructions import DependencyBits, VtaFinish
from forebay.isa.vta.interpreter import run_vta

from .plain_vta import PlainVta
from .small_programs import (
    BASE,
    FINISH,
    GEMM,
    HIGH,
    LOAD_INP,
    LOAD_UOP,
    LOAD_WGT,
    OUT,
    POP_NEXT,
    POP_PREV,
    PROGRAM,
    PUSH_PREV,
    STORE,
    TWO_TILES,
    memory,
    replaced,
    result,
)

PUBLISHED = [
    (0x0000001000000000, 0x0000000100010001),
    (0x0000000130000180, 0x0000000100010001),
    (0x0000000440000100, 0x0000000100010001),
    (0x00000000480000C0, 0x0000000100010001),
    (0x000200080020000A, 0x0000000000000000),
    (0x0002000800200004, 0x0003B00000000000),
    (0x0002000800200004, 0x007F800000000000),
    (0x0002000800200044, 0xFF80900000000000),
    (0x00000004D0000229, 0x0000000100010001),
    (0x0000000000000013, 0x0000000000000000),
]


def test_the_published_example_is_this_program() -> None:
    assert tuple(decode_vta(*words) for words in PUBLISHED) == PROGRAM


def test_the_published_example_has_its_published_result() -> None:
    assert result()[:16] == OUT


@pytest.mark.parametrize("program", [PROGRAM, TWO_TILES])
def test_a_program_has_the_bytes_of_plain_loops(program) -> None:
    ram = memory()
    expected = PlainVta(BASE, ram.data.tobytes()).run(encode_vta(one) for one in program)
    run_vta(program, ram)
    assert ram.data.tobytes() == expected


def dropped():
    """Return every program that lacks one dependency bit of the two tiles."""
    for index, instruction in enumerate(TWO_TILES):
        for bit in fields(DependencyBits):
            if getattr(instruction.tokens, bit.name):
                tokens = replace(instruction.tokens, **{bit.name: False})
                changed = replace(instruction, tokens=tokens)
                program = (*TWO_TILES[:index], changed, *TWO_TILES[index + 1 :])
                yield pytest.param(program, id=f"{index}-{bit.name}")


@pytest.mark.parametrize("program", list(dropped()))
def test_every_dropped_dependency_bit_is_a_fault(program) -> None:
    with pytest.raises((TokenDeadlock, TokensLeft, UnorderedAccess, UnfinishedWork)):
        result(program)


def pairs():
    """Return programs without both bits of a token: nothing blocks, and nothing is left."""
    taken = {"pop_prev": "push_next", "pop_next": "push_prev"}
    for giver, give in enumerate(TWO_TILES):
        for taker in range(giver + 1, len(TWO_TILES)):
            for pop, push in taken.items():
                take = TWO_TILES[taker]
                if getattr(take.tokens, pop) and getattr(give.tokens, push):
                    program = list(TWO_TILES)
                    program[giver] = replace(give, tokens=replace(give.tokens, **{push: False}))
                    program[taker] = replace(take, tokens=replace(take.tokens, **{pop: False}))
                    yield pytest.param(tuple(program), id=f"{giver}-{taker}-{pop}")


@pytest.mark.parametrize("program", list(pairs()))
def test_a_dropped_pair_of_bits_is_a_fault_or_harmless(program) -> None:
    try:
        found = result(program)
    except InstructionFault as fault:
        assert isinstance(fault, (UnorderedAccess, UnfinishedWork, TokenDeadlock, TokensLeft)), (
            fault
        )
    else:
        assert found == result(TWO_TILES)


def test_a_race_names_the_elements_and_the_other_core() -> None:
    racing = replaced(GEMM, replace(GEMM, tokens=DependencyBits()))
    racing = replaced(LOAD_WGT, replace(LOAD_WGT, tokens=DependencyBits()), program=racing)
    with pytest.raises(UnorderedAccess) as caught:
        result(racing)
    assert (caught.value.index, caught.value.memory, caught.value.rows) == (4, "INP", (0, 1))
    assert "the LOAD core writes it, and no token orders the two" in str(caught.value)


def test_a_deadlock_names_every_waiting_core() -> None:
    with pytest.raises(TokenDeadlock) as caught:
        result(replaced(LOAD_WGT, replace(LOAD_WGT, tokens=DependencyBits())))
    assert "COMPUTE at instruction 4 for LOAD; STORE at instruction 8 for COMPUTE" in str(
        caught.value
    )


def test_a_surplus_token_is_left() -> None:
    with pytest.raises(TokensLeft, match="1 from COMPUTE to LOAD left at the end"):
        result(replaced(GEMM, replace(GEMM, tokens=replace(POP_PREV, push_prev=True))))


def test_finish_waits_for_the_last_store() -> None:
    free = replaced(STORE, replace(STORE, tokens=POP_PREV))
    with pytest.raises(UnfinishedWork, match="the last 1 of the STORE core may still run"):
        result(replaced(FINISH, VtaFinish(), program=free))


@pytest.mark.parametrize(
    "program", [(), PROGRAM[:-1], (*PROGRAM, LOAD_UOP), (VtaFinish(), *PROGRAM)]
)
def test_finish_is_the_last_instruction(program) -> None:
    with pytest.raises(FinishNotLast):
        result(program)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (LOAD_INP, replace(LOAD_INP, tokens=POP_PREV)),
        (LOAD_INP, replace(LOAD_INP, tokens=PUSH_PREV)),
        (STORE, replace(STORE, tokens=POP_NEXT)),
    ],
)
def test_a_token_for_a_neighbour_that_does_not_exist_is_refused(old, new) -> None:
    with pytest.raises(MissingNeighbour):
        result(replaced(old, new))


def test_more_tokens_than_every_build_holds_are_a_fault() -> None:
    push, pop = replace(LOAD_INP, tokens=LOAD_WGT.tokens), replace(LOAD_UOP, tokens=POP_PREV)
    program = (*[push] * 3, *[pop] * 3, *PROGRAM)
    run_vta(program, memory(), VtaGeometry(tokens=4))
    with pytest.raises(TokenOverflow, match="instruction 2, VtaLoad: tokens: 3 tokens to COMPUTE"):
        run_vta(program, memory(), VtaGeometry(tokens=2))


def test_outputs_are_the_low_bytes() -> None:
    ram = memory()
    run_vta(replaced(HIGH, replace(HIGH, immediate=300)), ram)
    assert ram.data[0x340:0x350].tolist() == [300 % 256] * 16
    assert np.array_equal(ram.data[:0x340], memory().data[:0x340])
