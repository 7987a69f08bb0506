"""Checked accesses to local rows."""

import numpy as np
import pytest

from forebay.isa.faults import NeverWrittenRow, RowOutOfRange
from forebay.isa.gemmini.geometry import GemminiGeometry
from forebay.isa.gemmini.state import GemminiState
from forebay.isa.main_memory import MainMemory

LANES = np.arange(2)[None, :]


def state(ignoring=()) -> GemminiState:
    return GemminiState(MainMemory(0, np.zeros(8, np.uint8)), GemminiGeometry(), ignoring)


def test_a_read_names_the_rows_that_were_never_written() -> None:
    machine = state()
    rows = np.arange(4)[:, None]
    machine.write("c", machine.scratchpad, rows[:2], LANES, np.ones((2, 2)), accumulate=False)
    with pytest.raises(NeverWrittenRow) as caught:
        machine.read("a", machine.scratchpad, rows, LANES)
    assert (caught.value.memory, caught.value.rows) == ("scratchpad", (2, 4))


def test_local_memory_is_zero_where_such_reads_are_ignored() -> None:
    machine = state([NeverWrittenRow])
    assert not machine.read("a", machine.accumulator, np.arange(2)[:, None], LANES).any()


def test_additions_to_one_row_add_up() -> None:
    machine = state([NeverWrittenRow])
    rows = np.zeros((3, 1), np.int64)
    machine.write("c", machine.accumulator, rows, LANES, np.full((3, 2), 5), accumulate=True)
    assert machine.accumulator.data[0, :2].tolist() == [15, 15]


def test_rows_beyond_the_memory_are_never_accessed() -> None:
    machine = state()
    with pytest.raises(RowOutOfRange) as caught:
        machine.read("a", machine.accumulator, np.array([[1024]]), LANES)
    assert caught.value.rows == (1024, 1025)
