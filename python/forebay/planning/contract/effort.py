"""How much work a planner may spend; work, not time, so that plans are the same everywhere."""

from __future__ import annotations

from enum import Enum


class Effort(Enum):
    """Named budgets."""

    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"

    @property
    def steps(self) -> int:
        """Steps of the compiled search, about 1.3 * 10^9 a second on two cores."""
        return {
            Effort.LOW: 2 * 10**8,
            Effort.NORMAL: 3 * 10**9,
            Effort.HIGH: 4 * 10**11,
        }[self]
