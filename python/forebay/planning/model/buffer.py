"""A buffer that needs a placement, and its lifetime."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from forebay.support.records import record


class Interval(NamedTuple):
    """A half-open interval of the problem's ticks, `[start, end)`."""

    start: int
    end: int

    def overlaps(self, other: Interval) -> bool:
        """Return whether the two intervals share a tick."""
        return self.start < other.end and other.start < self.end


Lifetime = tuple[Interval, ...]


def live(start: int, end: int) -> Lifetime:
    """Return a lifetime with one interval `[start, end)`, as straight-line code has."""
    return (Interval(start, end),)


class Kind(Enum):
    """The kind of contents of a buffer; constants and state are always live."""

    WORKSPACE = "workspace"
    CONSTANT = "constant"
    STATE = "state"
    INPUT = "input"
    OUTPUT = "output"


@record
class Buffer:
    """A buffer that needs a placement.

    `size`: bytes, at least 1. `candidates`: names of the candidate pools in order of preference.
    `lifetime`: disjoint ascending intervals of ticks. It is empty when only the explicit pairs of
    the problem define the buffer's conflicts. Constants and state ignore it: they are always live.
    `alignment`: alignment of the absolute address in bytes; None means the pool's alignment.
    `pinned_pool`, `pinned_offset`: fixed placement; an offset needs a pool (or one candidate).
    `pinned_by`: names of the operations that require the pool, for messages.
    `alias`: name of the alias group. The members of a group share one address and never conflict
    with each other. The group is one block of bytes: it is as large as its largest member and live
    while any member is live.
    `block`: name of the rigid block. The members of a block have fixed places relative to each
    other: each is `block_offset` bytes above the block's beginning. Each has a lifetime of its own.
    `costs`: cost of the whole buffer (not per byte) in each candidate pool, in their order.
    `origin`: where the buffer comes from (`model.tflite:conv2d_3`), for messages.
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
    block: str | None = None
    block_offset: int = 0

    @property
    def always_live(self) -> bool:
        """Return whether the buffer conflicts with all others, as constants and state do."""
        return self.kind in {Kind.CONSTANT, Kind.STATE}

    @property
    def pools(self) -> tuple[str, ...]:
        """Return the names of the pools that the buffer may be placed in: the pinned one if any."""
        return self.candidates if self.pinned_pool is None else (self.pinned_pool,)

    def live_with(self, other: Buffer) -> bool:
        """Return whether the lifetimes make the two buffers conflict; members of a block never do.

        Explicit conflict pairs belong to the problem and are not considered here.
        """
        if self.alias is not None and self.alias == other.alias:
            return False
        if self.block is not None and self.block == other.block:
            return False
        if self.always_live or other.always_live:
            return True
        return any(a.overlaps(b) for a in self.lifetime for b in other.lifetime)
