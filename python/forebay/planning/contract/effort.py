"""The work limit of a planner; it counts work, not time, so that plans are reproducible."""

from __future__ import annotations

from enum import Enum


class Effort(Enum):
    """A named work limit."""

    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"

    @property
    def steps(self) -> int:
        """Return the steps of the compiled search; two cores do about 1.3 * 10^9 per second."""
        return {
            Effort.LOW: 2 * 10**8,
            Effort.NORMAL: 3 * 10**9,
            Effort.HIGH: 4 * 10**11,
        }[self]
