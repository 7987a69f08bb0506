"""Sizes of a Gemmini."""

import pytest

from forebay.isa.gemmini.geometry import GemminiGeometry


def test_the_default_is_the_published_machine() -> None:
    machine = GemminiGeometry()
    assert (machine.scratchpad_rows, machine.accumulator_rows) == (16384, 1024)
    assert machine.sum_limits == (-(2**19), 2**19 - 1)


def test_smaller_memories_have_fewer_rows() -> None:
    machine = GemminiGeometry(scratchpad_kib=16, accumulator_kib=4)
    assert (machine.scratchpad_rows, machine.accumulator_rows) == (1024, 64)


def test_banks_of_unequal_size_are_refused() -> None:
    with pytest.raises(ValueError, match="not a multiple of 3 banks"):
        GemminiGeometry(scratchpad_banks=3)
