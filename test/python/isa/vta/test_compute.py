"""GEMM and ALU against plain loops, and every fault."""

from dataclasses import replace

import numpy as np
import pytest

from forebay.isa.faults import (
    NeverWrittenRow,
    OperandLimit,
    RowOutOfRange,
    SimulatorOnly,
    WrongOperand,
)
from forebay.isa.main_memory import MainMemory
from forebay.isa.vta.codec import encode_vta
from forebay.isa.vta.instructions import AluOp, VtaAlu, VtaGemm, VtaMemory, VtaStore
from forebay.isa.vta.interpreter import run_vta

from .plain_vta import PlainVta
from .small_programs import (
    BASE,
    FINISH,
    GEMM,
    HIGH,
    LOAD_UOP,
    POP_PREV,
    PUSH_NEXT,
    SHR,
    STORED,
    load,
    replaced,
    result,
)


def looped(step, seed: int) -> None:
    """Compare a step on random memory with plain loops: 4 micro-ops, 64 elements of each memory."""
    generator = np.random.default_rng(seed)
    data = generator.integers(0, 256, 0x8000, np.uint8)
    words = generator.integers(0, 20, (3, 4))
    data[:16] = (words[0] | words[1] << 11 | words[2] << 22).astype("<u4").view(np.uint8)
    program = (
        load(VtaMemory.UOP, 0, 0x400, columns=4),
        load(VtaMemory.ACC, 0, 0x80, columns=64),
        load(VtaMemory.INP, 0, 0x200, columns=64),
        load(VtaMemory.WGT, 0, 0x20, PUSH_NEXT, columns=64),
        replace(step, tokens=POP_PREV),
        VtaAlu(0, 1, 64, 1, 1, op=AluOp.ADD, use_immediate=True, tokens=PUSH_NEXT),
        VtaStore(VtaMemory.OUT, 0, 0x700, 1, 64, 64, STORED),
        FINISH,
    )
    # The micro-op of the last ALU starts anywhere, so it may leave ACC: start it at element 0.
    data[:4] = np.array([words[1][0] << 11], "<u4").view(np.uint8)
    program = replaced(program[5], replace(program[5], src_outer=0), program=program)
    expected = PlainVta(BASE, data.tobytes()).run(encode_vta(one) for one in program)
    ram = MainMemory(BASE, data)
    run_vta(program, ram, ignoring=[SimulatorOnly, OperandLimit])
    assert ram.data.tobytes() == expected


STEPS = [
    VtaGemm(0, 4, 3, 2, 5, 1, 7, 2, wgt_outer=3, wgt_inner=1),
    VtaGemm(0, 4, 3, 2, 0, 0, 1, 1),
    VtaGemm(1, 3, 2, 2, 4, 3, reset=True),
    *(VtaAlu(0, 4, 3, 2, 5, 1, 7, 2, op=op) for op in AluOp if op is not AluOp.SHR),
    *(VtaAlu(0, 4, 3, 2, 5, 1, op=op, use_immediate=True, immediate=-7) for op in AluOp),
    VtaAlu(0, 4, 3, 2, 0, 1, 0, 1, op=AluOp.ADD),
]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("step", STEPS)
def test_loops_are_those_of_plain_python(step, seed) -> None:
    looped(step, seed)


SHIFT = replace(SHR, immediate=16)


@pytest.mark.parametrize(
    ("program", "fault", "index", "field"),
    [
        (replaced(GEMM, replace(GEMM, outer=2049, dst_outer=1)), RowOutOfRange, 4, "dst"),
        (replaced(GEMM, replace(GEMM, outer=2, src_outer=1)), NeverWrittenRow, 4, "src"),
        (replaced(GEMM, replace(GEMM, outer=2, wgt_outer=1)), NeverWrittenRow, 4, "wgt"),
        (replaced(GEMM, replace(GEMM, outer=2, dst_outer=1)), NeverWrittenRow, 4, "dst"),
        (replaced(GEMM, replace(GEMM, uop_end=2)), NeverWrittenRow, 4, "uop"),
        (replaced(LOAD_UOP), NeverWrittenRow, 3, "uop"),
        (
            replaced(HIGH, replace(HIGH, outer=2, src_outer=2047, inner=2, src_inner=1)),
            RowOutOfRange,
            7,
            "src",
        ),
        (replaced(HIGH, replace(HIGH, op=AluOp.MUL)), SimulatorOnly, 7, "op"),
        (replaced(SHR, SHIFT), OperandLimit, 5, "shift"),
        (replaced(SHR, replace(SHR, immediate=-1)), OperandLimit, 5, "shift"),
        (replaced(SHR, replace(SHR, immediate=32)), WrongOperand, 5, "shift"),
    ],
)
def test_every_wrong_step_is_a_fault(program, fault, index, field) -> None:
    with pytest.raises(fault) as caught:
        result(program)
    assert (caught.value.index, caught.value.field) == (index, field)


def test_a_product_without_micro_ops_does_nothing() -> None:
    assert result(replaced(GEMM, VtaGemm(0, 0), GEMM)) == result()
