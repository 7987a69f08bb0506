"""Which core runs an instruction."""

import pytest

from forebay.isa.faults import EncodingError
from forebay.isa.vta.instructions import MicroOp, VtaCore, VtaMemory, core_of

from .small_programs import FINISH, GEMM, HIGH, STORE, load


@pytest.mark.parametrize(
    ("instruction", "core"),
    [
        (load(VtaMemory.INP, 0, 0), VtaCore.LOAD),
        (load(VtaMemory.WGT, 0, 0), VtaCore.LOAD),
        (load(VtaMemory.UOP, 0, 0), VtaCore.COMPUTE),
        (load(VtaMemory.ACC, 0, 0), VtaCore.COMPUTE),
        (load(VtaMemory.ACC_INT8, 0, 0), VtaCore.COMPUTE),
        (GEMM, VtaCore.COMPUTE),
        (HIGH, VtaCore.COMPUTE),
        (FINISH, VtaCore.COMPUTE),
        (STORE, VtaCore.STORE),
    ],
)
def test_the_core_of_an_instruction(instruction, core) -> None:
    assert core_of(instruction) is core


def test_an_index_beyond_its_field_is_refused() -> None:
    with pytest.raises(EncodingError, match=r"wgt is 1,024; bits \[31:22\] hold 0 to 1,023"):
        MicroOp(0, 0, 1024)


def test_pads_beyond_their_field_are_refused() -> None:
    with pytest.raises(EncodingError, match="pad_up is 16"):
        load(VtaMemory.INP, 0, 0, pad_up=16)
