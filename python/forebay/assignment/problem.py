"""The assignment problem: values, the alias sets that hold them, and the pools that uses need.

A *slot* is an alias set: values that must share one buffer, such as a destination and its result
or a loop-carried value. The solver chooses a `PoolOption` for each slot. A use of a value through
a slot with another option, or by a reader that cannot access the value's pool, may need a copy.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct

from forebay.pools import PoolKind

Position = tuple[tuple[int, int], ...]
"""The position of a use: pairs (block, index in the block), from the outermost block inwards."""


class Memory(Struct, frozen=True):
    """A pool, or the caller's memory, which has no kind, with the access rights of the copier.

    The copier is the device that makes the copies.
    """

    name: str
    kind: PoolKind | None
    readable: bool = True
    writable: bool = True


class PoolOption(Struct, frozen=True, order=True):
    """A pool, and whether the holder of a buffer there may overwrite the buffer."""

    pool: str
    writable: bool


class AliasSet(Struct, frozen=True):
    """An alias set that gets one of the options in `places`; earlier ones are preferred.

    `ordered` is True when the user or the target requires this order; otherwise the order of the
    pools applies.
    """

    places: tuple[PoolOption, ...]
    ordered: bool = False


class Reader(Struct, frozen=True):
    """A use that reads the value in one of `pools`; with `always_copied` it always needs a copy."""

    pools: tuple[str, ...]
    always_copied: bool = False
    position: Position = ()


class EqualityConstraint(Struct, frozen=True):
    """A use that requires the value to be in the buffer of `slot` (called a tie in this package).

    `contents` is False when the use does not need the old bytes. `always_copied` is True when
    the value and the slot cannot share a buffer.
    """

    slot: int
    contents: bool = True
    always_copied: bool = False
    position: Position = ()


class AssignedValue(Struct, frozen=True):
    """A value in `slot`; a copy of it moves `size` bytes.

    A `constant` can be duplicated in a second pool of constants instead, which moves no bytes at
    run time.
    """

    slot: int
    size: int
    readers: tuple[Reader, ...] = ()
    ties: tuple[EqualityConstraint, ...] = ()
    constant: bool = False


class AssignmentProblem(Struct, frozen=True, dict=True):
    """Pools in order of preference, slots, and values; ties refer to slots by index.

    `moves` are pairs (source, target) of pools between which another device than the copier can
    move bytes.
    """

    pools: tuple[Memory, ...]
    slots: tuple[AliasSet, ...]
    values: tuple[AssignedValue, ...]
    moves: frozenset[tuple[str, str]] = frozenset()

    def copies(self, source: str, target: str) -> bool:
        """Return whether the copier itself may copy from one pool to another."""
        to = self.pool(target)
        return self.pool(source).readable and to.writable and to.kind is PoolKind.workspace

    def pool(self, name: str) -> Memory:
        """Return the pool called `name`."""
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> Mapping[str, Memory]:
        return {pool.name: pool for pool in self.pools}


def precedes(one: Position, other: Position) -> bool:
    """Return whether `one` always finishes before `other` begins, whenever `other` executes."""
    if not one or not other:
        return False
    block, index = other[-1]
    return any(block == here and at < index for here, at in one)
