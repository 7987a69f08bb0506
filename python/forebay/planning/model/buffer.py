"""A buffer to be placed, and when it lives."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class Interval(NamedTuple):
    """Half-open span of the problem's clock, `[start, end)`."""

    start: int
    end: int

    def overlaps(self, other: Interval) -> bool:
        """Whether the two spans share a tick."""
        return self.start < other.end and other.start < self.end


Lifetime = tuple[Interval, ...]


def live(start: int, end: int) -> Lifetime:
    """Lifetime of straight code: one interval `[start, end)`."""
    return (Interval(start, end),)


class Kind(Enum):
    """What a buffer holds; constants and state live always."""

    WORKSPACE = "workspace"
    CONSTANT = "constant"
    STATE = "state"
    INPUT = "input"
    OUTPUT = "output"


@dataclass(frozen=True)
class Buffer:
    """Bytes that need an address.

    `size`: bytes, at least 1. `candidates`: names of pools in order of preference.
    `lifetime`: disjoint ascending intervals on the problem's clock; empty when the buffer conflicts
    only along the problem's explicit pairs. Constants and state live always, whatever it says.
    `alignment`: of the absolute address, in bytes; None takes the pool's.
    `pinned_pool`, `pinned_offset`: fixed decisions; an offset needs a pool (or one candidate).
    `pinned_by`: names of the operations that force the pool, for messages.
    `alias`: buffers of the same group share one address and never conflict with each other; they
    are one block, as large as the largest of them for as long as any of them lives.
    `costs`: of living in each candidate, in their order (of the whole buffer, not per byte).
    `origin`: where it comes from (`model.tflite:conv2d_3`), for messages.
    """

    name: str
    size: int
    lifetime: Lifetime = ()
    candidates: tuple[str, ...] = ()
    alignment: int | None = None
    kind: Kind = Kind.WORKSPACE
    pinned_pool: str | None = None
    pinned_offset: int | None = None
    pinned_by: tuple[str, ...] = ()
    alias: str | None = None
    costs: tuple[int, ...] | None = None
    origin: str = ""

    @property
    def always_live(self) -> bool:
        """Whether the buffer conflicts with every other: constants and state."""
        return self.kind in {Kind.CONSTANT, Kind.STATE}

    @property
    def pools(self) -> tuple[str, ...]:
        """Names of the pools that it may live in, the pin obeyed."""
        return self.candidates if self.pinned_pool is None else (self.pinned_pool,)

    def live_with(self, other: Buffer) -> bool:
        """Whether the clock makes the two conflict (explicit pairs are the problem's)."""
        if self.alias is not None and self.alias == other.alias:
            return False
        if self.always_live or other.always_live:
            return True
        return any(a.overlaps(b) for a in self.lifetime for b in other.lifetime)
