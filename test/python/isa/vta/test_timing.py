"""Cycles of programs, by hand."""

from dataclasses import replace

import pytest

from forebay.isa.vta.instructions import AluOp, DependencyBits, VtaCore, VtaGemm, VtaLoad, VtaMemory
from forebay.isa.vta.timing import InstructionTimes, cycles_of_program

from .small_programs import FINISH, GEMM, LOAD_INP, PROGRAM, TWO_TILES, immediate, load, replaced


def test_instructions_take_the_cycles_of_their_elements() -> None:
    times = InstructionTimes(latency=10, alu=2)
    move = {"rows": 3, "columns": 4}
    assert times.of(load(VtaMemory.INP, 0, 0, **move)) == 10 + 12 * 2
    assert times.of(load(VtaMemory.WGT, 0, 0, **move)) == 10 + 12 * 32
    assert times.of(load(VtaMemory.ACC, 0, 0, **move)) == 10 + 12 * 8
    assert times.of(load(VtaMemory.UOP, 0, 0, columns=3)) == 10 + 2
    assert times.of(VtaLoad(VtaMemory.UOP, 0, 0, 0, 0, 0)) == 0
    assert times.of(VtaGemm(2, 7, 3, 4)) == 60
    assert times.of(replace(immediate(AluOp.ADD, 1), inner=9)) == 18
    assert times.of(FINISH) == 0


def test_cores_work_in_parallel_and_wait_for_tokens() -> None:
    found = cycles_of_program(PROGRAM, InstructionTimes(latency=10))
    # load: INP 12 and WGT 42; compute: UOP 11, ACC 18, GEMM 1 after the load, 3 of the ALU
    assert found.busy == {VtaCore.LOAD: 54, VtaCore.COMPUTE: 33, VtaCore.STORE: 12}
    assert found.total == 54 + 4 + 12
    assert found.gemm == 1


def test_a_second_tile_overlaps_what_its_tokens_allow() -> None:
    one, two = (cycles_of_program(program).total for program in (PROGRAM, TWO_TILES))
    # The second image loads while the first result is stored; the sums wait for that store.
    assert two == one + 24 + 4 + 18


def test_a_program_that_waits_forever_is_refused() -> None:
    waiting = replace(LOAD_INP, tokens=DependencyBits(pop_next=True))
    with pytest.raises(ValueError, match="wait for tokens that no instruction gives"):
        cycles_of_program(replaced(GEMM, waiting, GEMM))
