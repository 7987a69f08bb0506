"""Checked accesses to the memories of a VTA."""

import numpy as np
import pytest

from forebay.isa.faults import NeverWrittenRow, RamOutOfRange
from forebay.isa.main_memory import MainMemory
from forebay.isa.vta.faults import UnorderedAccess
from forebay.isa.vta.geometry import VtaGeometry
from forebay.isa.vta.instructions import VtaCore
from forebay.isa.vta.state import VtaState


def state() -> VtaState:
    return VtaState(MainMemory(0x100, np.zeros(64, np.uint8)), VtaGeometry())


def test_a_read_names_the_elements_that_were_never_written() -> None:
    machine = state()
    machine.write("sram", machine.inp, np.arange(3), 7)
    with pytest.raises(NeverWrittenRow) as caught:
        machine.read("src", machine.inp, np.arange(5))
    assert (caught.value.memory, caught.value.rows) == ("INP", (3, 5))


def test_main_memory_has_ends() -> None:
    with pytest.raises(RamOutOfRange):
        state().read_dram(0xFF, 2)
    with pytest.raises(RamOutOfRange):
        state().write_dram(0x13F, np.zeros(2, np.uint8))


def test_main_memory_has_races_too() -> None:
    machine = state()
    machine.core = VtaCore.STORE
    machine.write_dram(0x110, np.zeros(16, np.uint8))
    machine.core = VtaCore.LOAD
    with pytest.raises(UnorderedAccess) as caught:
        machine.read_dram(0x10C, 16)
    assert (caught.value.memory, caught.value.rows) == ("main memory", (0x110, 0x114))
    machine.clock = (0, 0, 1)
    machine.read_dram(0x10C, 16)
