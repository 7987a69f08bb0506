"""The solution of an assignment problem: the copies, and the candidate pools of each buffer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from msgspec import Struct

from forebay.assignment.copies import CopyKind, PlannedCopy, bytes_moved, is_possible, is_shared
from forebay.assignment.problem import AssignedValue, AssignmentProblem, PoolOption


class Solution(Struct, frozen=True, dict=True):
    """The copies of each value, and the classes of slots and copies that share a buffer.

    Slots are numbered first; copies follow in the order of the values. `classes[n]` is the class of
    slot or copy `n`. `pools[c]` are the candidate pools of class `c`, in order. `proven` is True
    when no other choice of places moves fewer bytes.
    """

    problem: AssignmentProblem
    places: tuple[PoolOption, ...]
    copies: tuple[tuple[PlannedCopy, ...], ...]
    classes: tuple[int, ...]
    pools: tuple[tuple[str, ...], ...]
    proven: bool

    @property
    def moved(self) -> int:
        """Return the bytes that the copies move; each copy counts once."""
        return bytes_moved(self._cost())

    @property
    def possible(self) -> bool:
        """Return whether every copy is possible."""
        return is_possible(self._cost())

    def copy_class(self, value: int, copy: int) -> int:
        """Return the class of copy number `copy` of value number `value`."""
        return self.classes[self._first_copies[value] + copy]

    @cached_property
    def _first_copies(self) -> list[int]:
        return _numbered(len(self.problem.slots), self.copies)

    def _cost(self) -> int:
        pairs = zip(self.problem.values, self.copies, strict=True)
        return sum(copy.cost(value.size) for value, copies in pairs for copy in copies)


def solution_of(
    problem: AssignmentProblem,
    places: Sequence[PoolOption],
    copies: Sequence[tuple[PlannedCopy, ...]],
    *,
    proven: bool,
) -> Solution:
    """Return the solution for these places and copies: the classes and their candidate pools."""
    first_copies = _numbered(len(problem.slots), copies)
    total = len(problem.slots) + sum(map(len, copies))
    parents = list(range(total))
    for one, other in _joined(problem, places, copies, first_copies):
        first, second = sorted((_root(parents, one), _root(parents, other)))
        parents[second] = first
    roots = [_root(parents, node) for node in range(total)]
    numbers = {root: number for number, root in enumerate(sorted(set(roots)))}
    classes = tuple(numbers[root] for root in roots)
    pools = _narrowed(problem, places, copies, first_copies, classes)
    return Solution(problem, tuple(places), tuple(copies), classes, pools, proven)


def _numbered(first: int, copies: Iterable[tuple[PlannedCopy, ...]]) -> list[int]:
    """Return the number of each value's first copy."""
    numbers: list[int] = []
    for of_value in copies:
        numbers.append(first)
        first += len(of_value)
    return numbers


def _joined(
    problem: AssignmentProblem,
    places: Sequence[PoolOption],
    copies: Sequence[tuple[PlannedCopy, ...]],
    first_copies: Sequence[int],
) -> Iterator[tuple[int, int]]:
    """Return the pairs of slots and copies that share a buffer."""
    for value, of_value, first in zip(problem.values, copies, first_copies, strict=True):
        for tie in value.ties:
            if is_shared(tie, places[value.slot], places[tie.slot]):
                yield value.slot, tie.slot
        for number, copy in enumerate(of_value, first):
            yield from ((number, value.ties[tie].slot) for tie in copy.ties)


def _root(parents: list[int], node: int) -> int:
    while parents[node] != node:
        parents[node] = parents[parents[node]]
        node = parents[node]
    return node


def _narrowed(
    problem: AssignmentProblem,
    places: Sequence[PoolOption],
    copies: Sequence[tuple[PlannedCopy, ...]],
    first_copies: Sequence[int],
    classes: Sequence[int],
) -> tuple[tuple[str, ...], ...]:
    """Return, per class, the pools of the chosen kind that all members of the class allow."""
    kinds = {pool.name: pool.kind for pool in problem.pools}
    allowed = [{pool.name for pool in problem.pools} for _ in range(max(classes, default=-1) + 1)]
    for number, (slot, place) in enumerate(zip(problem.slots, places, strict=True)):
        names = {other.pool for other in slot.places if other.writable == place.writable}
        allowed[classes[number]] &= {name for name in names if kinds[name] is kinds[place.pool]}
    for value, of_value, first in zip(problem.values, copies, first_copies, strict=True):
        pools = allowed[classes[value.slot]]
        pools &= _pools_read_in(problem, value, of_value, places[value.slot])
        for number, copy in enumerate(of_value, first):
            source = places[value.slot].pool
            allowed[classes[number]] &= _pools_of_copy(problem, value, copy, source)
    orders = _orders(problem, classes)
    return tuple(
        tuple(name for name in order if name in names)
        for order, names in zip(orders, allowed, strict=True)
    )


def _pools_read_in(
    problem: AssignmentProblem, value: AssignedValue, copies: Iterable[PlannedCopy], at: PoolOption
) -> set[str]:
    """Return the pools in which the value's own readers and its copiers can read it."""
    names = {pool.name for pool in problem.pools}
    elsewhere = {reader for copy in copies for reader in copy.readers}
    for index, reader in enumerate(value.readers):
        if index not in elsewhere:
            names &= set(reader.pools)
    for copy in copies:
        if copy.kind is CopyKind.MOVED and copy.possible:
            names &= _copied_from(problem, at.pool, copy.pool)
    return names | ({at.pool} if any(not copy.possible for copy in copies) else set())


def _copied_from(problem: AssignmentProblem, source: str, target: str) -> set[str]:
    """Return the source pools from which the same device could copy into `target`."""
    if problem.copies(source, target):
        return {pool.name for pool in problem.pools if pool.readable}
    return {pool.name for pool in problem.pools if (pool.name, target) in problem.moves}


def _pools_of_copy(
    problem: AssignmentProblem, value: AssignedValue, copy: PlannedCopy, source: str
) -> set[str]:
    kind = problem.pool(copy.pool).kind
    names = {pool.name for pool in problem.pools if pool.kind is kind}
    if copy.kind is CopyKind.MOVED and copy.possible:
        copier = {pool.name for pool in problem.pools if pool.writable}
        names &= copier if problem.copies(source, copy.pool) else {copy.pool}
    for index in copy.readers:
        names &= set(value.readers[index].pools)
    return names


def _orders(problem: AssignmentProblem, classes: Sequence[int]) -> list[list[str]]:
    """Return the order of pools of each class: that of its first ordered slot, else the default."""
    orders = [[pool.name for pool in problem.pools] for _ in range(max(classes, default=-1) + 1)]
    asked: set[int] = set()
    for slot, number in zip(problem.slots, classes, strict=False):
        if slot.ordered and number not in asked:
            asked.add(number)
            orders[number] = list(dict.fromkeys(place.pool for place in slot.places))
    return orders
