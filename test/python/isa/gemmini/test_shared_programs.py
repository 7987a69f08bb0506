"""The programs that were run on the functional simulator: our bytes are its bytes."""

from pathlib import Path

import numpy as np
import pytest

from forebay.isa.faults import InstructionFault, NeverWrittenRow, SimulatorOnly
from forebay.isa.gemmini.codec import decode_gemmini, encode_gemmini
from forebay.isa.gemmini.faults import ArrayUndefined, MissingFence
from forebay.isa.gemmini.interpreter import run_gemmini
from forebay.isa.main_memory import MainMemory

BASE = 0x81000000
LENIENT = (NeverWrittenRow, SimulatorOnly, ArrayUndefined, MissingFence)


@pytest.fixture(scope="module")
def programs(shared_models: Path):
    path = shared_models.parent / "isa" / "gemmini_programs.npz"
    if not path.exists():
        pytest.skip("the programs that were run on the simulator are not here")
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


def memories(programs, number: int):
    before = np.zeros(0xC000, np.uint8)
    before[:0x3000] = programs[f"before_{number}"]
    return before, before ^ programs[f"after_xor_before_{number}"]


@pytest.mark.parametrize("number", range(100))
def test_bytes_are_those_of_the_simulator(programs, number) -> None:
    words = programs[f"instructions_{number}"].tolist()
    program = [decode_gemmini(*word) for word in words]
    assert [list(encode_gemmini(instruction)) for instruction in program] == words
    before, after = memories(programs, number)
    memory = MainMemory(BASE, before)
    run_gemmini(program, memory, ignoring=LENIENT)
    np.testing.assert_array_equal(memory.data, after)


@pytest.mark.parametrize("number", range(0, 100, 10))
def test_these_programs_read_rows_that_they_never_wrote(programs, number) -> None:
    program = [decode_gemmini(*word) for word in programs[f"instructions_{number}"].tolist()]
    before, _ = memories(programs, number)
    with pytest.raises(InstructionFault) as caught:
        run_gemmini(program, MainMemory(BASE, before), ignoring=set(LENIENT) - {NeverWrittenRow})
    assert isinstance(caught.value, NeverWrittenRow)
