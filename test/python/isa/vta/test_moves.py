"""LOAD and STORE: images with pads by hand, and every fault."""

from dataclasses import replace

import numpy as np
import pytest

from forebay.isa.faults import (
    NeverWrittenRow,
    OperandLimit,
    RamOutOfRange,
    RowOutOfRange,
    SimulatorOnly,
    WrongOperand,
)
from forebay.isa.vta.faults import OutputNotComputed
from forebay.isa.vta.instructions import DependencyBits, VtaFinish, VtaGemm, VtaMemory
from forebay.isa.vta.interpreter import run_vta

from .small_programs import (
    HIGH,
    LOAD_ACC,
    LOAD_INP,
    LOAD_UOP,
    LOAD_WGT,
    PROGRAM,
    STORE,
    load,
    memory,
    replaced,
    result,
)


def test_pads_are_zero_elements_around_the_rows() -> None:
    ram = memory()
    ram.data[0x100:0x140] = np.repeat(np.uint8([1, 2, 3, 4]), 16)
    move = load(VtaMemory.INP, 5, 0x110, LOAD_WGT.tokens, rows=2, stride=2, pad_up=1, pad_right=2)
    state = run_vta((move, VtaFinish(DependencyBits(pop_prev=True))), ram)
    assert state.inp.data[5:14, 0].tolist() == [0, 0, 0, 1, 0, 0, 3, 0, 0]
    assert state.inp.written[5:14].all()
    assert not state.inp.written[14:].any()


def test_no_columns_move_nothing() -> None:
    assert result(replaced(LOAD_ACC, LOAD_ACC, replace(LOAD_ACC, columns=0, sram=9999))) == result()


@pytest.mark.parametrize(
    ("program", "fault", "index", "field"),
    [
        (replaced(LOAD_WGT, replace(LOAD_WGT, pad_up=1)), OperandLimit, 3, "pads"),
        (replaced(LOAD_UOP, replace(LOAD_UOP, rows=2)), OperandLimit, 0, "rows"),
        (replaced(LOAD_INP, replace(LOAD_INP, rows=0, pad_up=1)), OperandLimit, 2, "rows"),
        (replaced(LOAD_INP, replace(LOAD_INP, sram=2048)), RowOutOfRange, 2, "sram"),
        (replaced(LOAD_INP, replace(LOAD_INP, dram=0)), RamOutOfRange, 2, "dram"),
        (replaced(LOAD_INP, replace(LOAD_INP, dram=0x140)), RamOutOfRange, 2, "dram"),
        (replaced(LOAD_INP, replace(LOAD_INP, dram=0x134)), NeverWrittenRow, 2, "dram"),
        (
            replaced(LOAD_ACC, replace(LOAD_ACC, memory=VtaMemory.ACC_INT8)),
            SimulatorOnly,
            1,
            "memory",
        ),
        (replaced(LOAD_ACC, replace(LOAD_ACC, memory=VtaMemory.OUT)), WrongOperand, 1, "memory"),
        (replaced(STORE, replace(STORE, memory=VtaMemory.ACC)), WrongOperand, 8, "memory"),
        (replaced(STORE, replace(STORE, pad_left=1)), WrongOperand, 8, "pads"),
        (replaced(STORE, replace(STORE, sram=2048)), RowOutOfRange, 8, "sram"),
        (replaced(STORE, replace(STORE, sram=1)), NeverWrittenRow, 8, "sram"),
        (replaced(STORE, replace(STORE, dram=0x140)), RamOutOfRange, 8, "dram"),
        (
            replaced(HIGH, HIGH, VtaGemm(0, 1, reset=True)),
            OutputNotComputed,
            9,
            "sram",
        ),
    ],
)
def test_every_wrong_move_is_a_fault(program, fault, index, field) -> None:
    if fault is OutputNotComputed:
        program = replaced(HIGH, replace(HIGH, tokens=DependencyBits()), program=program)
        reset = VtaGemm(0, 1, reset=True)
        program = replaced(reset, replace(reset, tokens=HIGH.tokens), program=program)
    with pytest.raises(fault) as caught:
        result(program)
    assert (caught.value.index, caught.value.field) == (index, field)


def test_the_simulator_stores_what_load_wrote() -> None:
    plain = (LOAD_UOP, replace(LOAD_ACC, tokens=HIGH.tokens), *PROGRAM[8:])
    expected = [(100 * lane - 800 + 128) % 256 - 128 for lane in range(16)]
    assert result(plain, ignoring=[OutputNotComputed])[:16] == expected
