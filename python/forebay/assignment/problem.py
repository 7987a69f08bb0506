"""What is asked: values, the storage that they share with others, and who needs them where.

A *slot* stands for storage that is one by necessity (a destination and its result, what a loop
carries); the solver gives it a *place*. A use of a value in another slot, or by a reader that
cannot reach the value's place, needs a copy.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

Position = tuple[tuple[int, int], ...]
"""Where a use is: (block, index in it), from the outermost block around it to its own."""


class Kind(Enum):
    """What kind of memory a pool is; the caller's memory counts as one."""

    WORKSPACE = "workspace"
    CONSTANT = "constant"
    STATE = "state"
    CALLER = "caller"


@dataclass(frozen=True)
class Pool:
    """A pool, and what whoever makes copies may do there."""

    name: str
    kind: Kind
    readable: bool = True
    writable: bool = True


@dataclass(frozen=True, order=True)
class PoolOption:
    """A pool, and whether whoever holds the storage there may overwrite it."""

    pool: str
    writable: bool


@dataclass(frozen=True)
class AliasSet:
    """Storage to be placed at one of `places`, earlier ones preferred.

    `ordered` says that somebody asked for this very order; otherwise it is that of the pools.
    """

    places: tuple[PoolOption, ...]
    ordered: bool = False


@dataclass(frozen=True)
class Reader:
    """A use that reads the bytes in one of `pools`; `anew` when the value's own never do."""

    pools: tuple[str, ...]
    anew: bool = False
    position: Position = ()


@dataclass(frozen=True)
class EqualityConstraint:
    """A use through which the value's storage becomes that of `slot`.

    `contents` is False where the old bytes do not matter, `anew` True where sharing is impossible.
    """

    slot: int
    contents: bool = True
    anew: bool = False
    position: Position = ()


@dataclass(frozen=True)
class AssignedValue:
    """A value that lives in `slot`; copying it moves `size` bytes.

    A `constant` can be put into a second pool of constants instead, which moves nothing at run
    time.
    """

    slot: int
    size: int
    readers: tuple[Reader, ...] = ()
    ties: tuple[EqualityConstraint, ...] = ()
    constant: bool = False


@dataclass(frozen=True)
class AssignmentProblem:
    """Pools in order of preference, slots, and values, whose ties point at slots by number.

    `moves` are pairs of pools between which something else than the copier moves bytes.
    """

    pools: tuple[Pool, ...]
    slots: tuple[AliasSet, ...]
    values: tuple[AssignedValue, ...]
    moves: frozenset[tuple[str, str]] = frozenset()

    def copies(self, source: str, target: str) -> bool:
        """Whether the copier itself may copy from one pool to another."""
        to = self.pool(target)
        return self.pool(source).readable and to.writable and to.kind is Kind.WORKSPACE

    def pool(self, name: str) -> Pool:
        """The pool called `name`."""
        return next(pool for pool in self.pools if pool.name == name)


def precedes(one: Position, other: Position) -> bool:
    """Whether a use is over before another one begins, each time that the latter is reached."""
    if not one or not other:
        return False
    block, index = other[-1]
    return any(block == here and at < index for here, at in one)
