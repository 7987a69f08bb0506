"""The copies that one value needs when its pool and the pools of its users are known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from itertools import combinations

from msgspec import Struct
from msgspec.structs import replace

from forebay.assignment.problem import (
    AssignedValue,
    AssignmentProblem,
    EqualityConstraint,
    PoolOption,
    Reader,
    precedes,
)
from forebay.pools import PoolKind


class CopyKind(Enum):
    """The way in which the contents of a second buffer are made."""

    MOVED = "copied at run time"
    DOUBLED = "a constant that is there twice"
    FRESH = "without content"


class PlannedCopy(Struct, frozen=True):
    """A second buffer for a value in `pool`.

    `readers` and `ties` are indices of the value's readers and equality constraints that use it.
    `possible` is False when the copy is needed, but no device has the access rights to make it.
    """

    pool: str
    kind: CopyKind
    readers: tuple[int, ...] = ()
    ties: tuple[int, ...] = ()
    possible: bool = True

    def cost(self, size: int) -> int:
        """Return the cost as one integer for a value of `size` bytes.

        The most significant part is impossible copies, then bytes moved at run time, then bytes of
        constants.
        """
        if not self.possible:
            return 1 << 160
        if self.kind is CopyKind.FRESH:
            return 0
        return max(size, 1) << (80 if self.kind is CopyKind.MOVED else 0)


def bytes_moved(cost: int) -> int:
    """Return the bytes copied at run time in a sum of costs."""
    return (cost >> 80) & ((1 << 80) - 1)


def is_possible(cost: int) -> bool:
    """Return whether a sum of costs contains no impossible copy."""
    return cost < 1 << 160


def is_shared(tie: EqualityConstraint, place: PoolOption, at: PoolOption) -> bool:
    """Return whether a tie to a slot at `at` can use the buffer of a value at `place` directly."""
    return not tie.always_copied and place.pool == at.pool and (place.writable or not at.writable)


def copies_of(
    problem: AssignmentProblem,
    value: AssignedValue,
    place: PoolOption,
    ties_at: Sequence[PoolOption],
) -> tuple[PlannedCopy, ...]:
    """Return the cheapest copies for a value at `place` whose ties lead to slots at `ties_at`.

    A use that overwrites its copy shares the copy only with readers that finish before the use
    begins. All other uses in a pool share one copy.
    """
    copies: list[PlannedCopy] = []
    ties_in: dict[str, list[int]] = {}
    for index, (tie, at) in enumerate(zip(value.ties, ties_at, strict=True)):
        if is_shared(tie, place, at):
            continue
        if is_private_copy(tie, at):
            copy = copy_to(problem, value, place, at, contents=tie.contents)
            copies.append(replace(copy, ties=(index,)))
        else:
            ties_in.setdefault(at.pool, []).append(index)
    shared = {
        pool: replace(copy_to(problem, value, place, PoolOption(pool, False)), ties=tuple(ties))
        for pool, ties in ties_in.items()
    }
    late = [
        index for index in waiting_readers(value, place) if not _read_early(value, index, copies)
    ]
    for pool in cheapest_pools(problem, value, place, late, set(shared)):
        shared[pool] = copy_to(problem, value, place, PoolOption(pool, False))
    readers_in: dict[str, list[int]] = {pool: [] for pool in shared}
    for index in late:
        pool = next(name for name in value.readers[index].pools if name in shared)
        readers_in[pool].append(index)
    read = (replace(copy, readers=tuple(readers_in[pool])) for pool, copy in shared.items())
    return (*copies, *read)


def is_private_copy(tie: EqualityConstraint, at: PoolOption) -> bool:
    """Return whether a tie that needs a copy shares it with no other tie."""
    return at.writable or not tie.contents


def waiting_readers(value: AssignedValue, place: PoolOption) -> list[int]:
    """Return the indices of the readers that need a copy of a value at `place`."""
    return [
        index
        for index, reader in enumerate(value.readers)
        if reader.always_copied or place.pool not in reader.pools
    ]


def copy_to(
    problem: AssignmentProblem,
    value: AssignedValue,
    place: PoolOption,
    at: PoolOption,
    *,
    contents: bool = True,
) -> PlannedCopy:
    """Return the copy of a value at `place` into the pool of `at`, without its users."""
    target = problem.pool(at.pool)
    if not contents:
        return PlannedCopy(at.pool, CopyKind.FRESH, possible=target.kind is PoolKind.workspace)
    if value.constant and target.kind is PoolKind.constant and not at.writable:
        return PlannedCopy(at.pool, CopyKind.DOUBLED)
    return PlannedCopy(at.pool, CopyKind.MOVED, possible=_can_copy(problem, place.pool, at.pool))


def _can_copy(problem: AssignmentProblem, source: str, target: str) -> bool:
    return problem.copies(source, target) or (source, target) in problem.moves


def _read_early(value: AssignedValue, index: int, copies: list[PlannedCopy]) -> bool:
    """Assign a reader to a copy that a tie overwrites later; return whether such a copy exists."""
    reader = value.readers[index]
    for number, copy in enumerate(copies):
        early = copy.kind is not CopyKind.FRESH and all(
            precedes(reader.position, value.ties[tie].position) for tie in copy.ties
        )
        if early and copy.pool in reader.pools:
            copies[number] = replace(copy, readers=(*copy.readers, index))
            return True
    return False


def cheapest_pools(
    problem: AssignmentProblem,
    value: AssignedValue,
    place: PoolOption,
    late: Sequence[int],
    there: set[str],
) -> tuple[str, ...]:
    """Return the cheapest set of pools to copy into such that each reader in `late` has a copy.

    `there` are the pools that already have a shared copy.
    """
    readers = [
        value.readers[index] for index in late if there.isdisjoint(value.readers[index].pools)
    ]
    if not readers:
        return ()
    wanted = {name for reader in readers for name in reader.pools}
    names = [pool.name for pool in problem.pools if pool.name in wanted]
    prices = {
        name: copy_to(problem, value, place, PoolOption(name, False)).cost(value.size)
        for name in names
    }
    choices = (
        choice
        for count in range(1, len(readers) + 1)
        for choice in combinations(names, count)
        if _serves(choice, readers)
    )
    return min(choices, key=lambda choice: sum(prices[name] for name in choice))


def _serves(names: Iterable[str], readers: Iterable[Reader]) -> bool:
    chosen = set(names)
    return all(not chosen.isdisjoint(reader.pools) for reader in readers)
