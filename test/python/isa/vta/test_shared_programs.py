"""The programs that were run on the functional simulator: our bytes are its bytes."""

from pathlib import Path

import numpy as np
import pytest

from forebay.isa.faults import OperandLimit, SimulatorOnly
from forebay.isa.main_memory import MainMemory
from forebay.isa.vta.codec import decode_vta, encode_vta
from forebay.isa.vta.faults import OutputNotComputed
from forebay.isa.vta.interpreter import run_vta


@pytest.fixture(scope="module")
def programs(shared_models: Path):
    path = shared_models.parent / "isa" / "vta_programs.npz"
    if not path.exists():
        pytest.skip("the programs that were run on the simulator are not here")
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


@pytest.mark.parametrize("number", range(60))
def test_bytes_are_those_of_the_simulator(programs, number) -> None:
    words = programs[f"instructions_{number}"].tolist()
    program = [decode_vta(*word) for word in words]
    assert [list(encode_vta(instruction)) for instruction in program] == words
    before = programs[f"before_{number}"]
    memory = MainMemory(0x1000, before)
    run_vta(program, memory, ignoring=[OperandLimit, SimulatorOnly, OutputNotComputed])
    after = before ^ programs[f"after_xor_before_{number}"]
    np.testing.assert_array_equal(memory.data, after)
