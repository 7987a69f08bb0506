"""Races between cores, by clocks."""

import numpy as np

from forebay.isa.vta.instructions import VtaCore
from forebay.isa.vta.races import AccessTimes, Race

FIRST = np.array([0])


def test_a_read_before_the_write_is_known_is_a_race() -> None:
    times = AccessTimes(4)
    assert times.write(VtaCore.LOAD, (0, 0, 0), np.array([1, 2])) is None
    assert times.read(VtaCore.COMPUTE, (0, 0, 0), np.array([2, 3])) == Race(2, VtaCore.LOAD, True)
    assert times.read(VtaCore.COMPUTE, (1, 0, 0), np.array([2, 3])) is None


def test_a_write_before_a_read_is_known_is_a_race() -> None:
    times = AccessTimes(4)
    times.read(VtaCore.COMPUTE, (0, 4, 0), FIRST)
    assert times.write(VtaCore.LOAD, (0, 4, 0), FIRST) == Race(0, VtaCore.COMPUTE, False)
    assert times.write(VtaCore.LOAD, (0, 5, 0), FIRST) is None


def test_two_reads_and_the_accesses_of_one_core_are_no_race() -> None:
    times = AccessTimes(4)
    assert times.read(VtaCore.COMPUTE, (0, 0, 0), FIRST) is None
    assert times.read(VtaCore.STORE, (0, 0, 0), FIRST) is None
    assert times.write(VtaCore.LOAD, (0, 1, 1), FIRST) is None
    assert times.write(VtaCore.LOAD, (1, 1, 1), FIRST) is None
