"""Races: accesses of two cores to the same element without a token between them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from forebay.isa.vta.instructions import VtaCore
from forebay.isa.vta.tokens import CoreClock


class Race(NamedTuple):
    """The element and the core whose access may come before or after."""

    element: int
    core: VtaCore
    written: bool


class AccessTimes:
    """For each element and core, the number of the core's last read and last write."""

    def __init__(self, elements: int) -> None:
        self._reads: NDArray[np.int32] = np.zeros((len(VtaCore), elements), np.int32)
        self._writes: NDArray[np.int32] = np.zeros((len(VtaCore), elements), np.int32)

    def read(self, core: VtaCore, clock: CoreClock, elements: Any) -> Race | None:
        """Record a read by the instruction after `clock[core]`; return a race with a write."""
        race = self._unordered(self._writes, core, clock, elements, written=True)
        self._reads[core][elements] = clock[core] + 1
        return race

    def write(self, core: VtaCore, clock: CoreClock, elements: Any) -> Race | None:
        """Record a write; return a race with a read or a write."""
        race = self._unordered(self._writes, core, clock, elements, written=True)
        if race is None:
            race = self._unordered(self._reads, core, clock, elements, written=False)
        self._writes[core][elements] = clock[core] + 1
        return race

    @staticmethod
    def _unordered(
        times: NDArray[np.int32],
        core: VtaCore,
        clock: CoreClock,
        elements: Any,
        *,
        written: bool,
    ) -> Race | None:
        for other in VtaCore:
            if other is core:
                continue
            late = np.flatnonzero(times[other][elements] > clock[other])
            if late.size:
                positions = np.arange(times.shape[1])[elements]
                return Race(int(positions[late[0]]), other, written)
        return None
