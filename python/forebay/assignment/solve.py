"""The solver: chooses a pool for each slot such that the copies move the fewest bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from msgspec import Struct

from forebay.assignment.copies import copies_of
from forebay.assignment.copy_costs import CopyCosts
from forebay.assignment.minimise import Factor, minimise
from forebay.assignment.problem import AssignedValue, AssignmentProblem, PoolOption
from forebay.assignment.solution import Solution, solution_of

WORK = 400_000
"""Maximum number of cost look-ups over all components, which takes about four seconds."""


def solve(problem: AssignmentProblem, work: int = WORK) -> Solution:
    """Return the copies that move the fewest bytes, and the candidate pools of every buffer.

    Slots that are not connected by ties are independent components. If one pool is valid for a
    whole component, the component needs no copy. Otherwise bucket elimination finds the minimum;
    it is exact up to `work` look-ups.
    """
    places = [slot.places[0] for slot in problem.slots]
    proven = True
    for component in _components(problem):
        uniform = _without_copies(problem, component)
        if uniform is None:
            uniform, exact, used = _cheapest(problem, component, work)
            proven, work = proven and exact, work - used
        for slot, place in uniform.items():
            places[slot] = place
    copies = [_copies(problem, value, places) for value in problem.values]
    return solution_of(problem, places, copies, proven=proven)


def _copies(problem: AssignmentProblem, value: AssignedValue, places: Sequence[PoolOption]):
    ties_at = [places[tie.slot] for tie in value.ties]
    return copies_of(problem, value, places[value.slot], ties_at)


class _Component(Struct, frozen=True):
    """A set of slots that ties connect, and the values in them."""

    slots: tuple[int, ...]
    values: tuple[AssignedValue, ...]


def _components(problem: AssignmentProblem) -> Iterator[_Component]:
    parents = list(range(len(problem.slots)))

    def root(slot: int) -> int:
        while parents[slot] != slot:
            parents[slot] = parents[parents[slot]]
            slot = parents[slot]
        return slot

    for value in problem.values:
        for tie in value.ties:
            one, other = root(value.slot), root(tie.slot)
            parents[max(one, other)] = min(one, other)
    slots: dict[int, list[int]] = {}
    values: dict[int, list[AssignedValue]] = {}
    for slot in range(len(parents)):
        slots.setdefault(root(slot), []).append(slot)
    for value in problem.values:
        values.setdefault(root(value.slot), []).append(value)
    for number, members in slots.items():
        yield _Component(tuple(members), tuple(values.get(number, ())))


def _without_copies(
    problem: AssignmentProblem, component: _Component
) -> dict[int, PoolOption] | None:
    """Return one pool for all slots if it needs no copy, else None.

    For each pool, writable options are tried first, then read-only options.
    """
    for pool in problem.pools:
        for overwrite in (True, False):
            places = _uniform(problem, component, pool.name, overwrite=overwrite)
            if places is not None and not any(
                copies_of(problem, value, places[value.slot], [places[t.slot] for t in value.ties])
                for value in component.values
            ):
                return places
    return None


def _uniform(
    problem: AssignmentProblem, component: _Component, pool: str, *, overwrite: bool
) -> dict[int, PoolOption] | None:
    wanted, other = PoolOption(pool, overwrite), PoolOption(pool, not overwrite)
    places: dict[int, PoolOption] = {}
    for slot in component.slots:
        known = problem.slots[slot].places
        if wanted not in known and other not in known:
            return None
        places[slot] = wanted if wanted in known else other
    return places


def _cheapest(
    problem: AssignmentProblem, component: _Component, work: int
) -> tuple[dict[int, PoolOption], bool, int]:
    domains = _domains(problem, component)
    numbers = {slot: number for number, slot in enumerate(component.slots)}

    def factor(value: AssignedValue) -> Factor:
        scope = tuple(sorted({numbers[s] for s in (value.slot, *(t.slot for t in value.ties))}))

        @cache
        def cost(labels: tuple[int, ...]) -> int:
            at = {n: domains[n][label] for n, label in zip(scope, labels, strict=True)}
            ties_at = [at[numbers[tie.slot]] for tie in value.ties]
            copies = copies_of(problem, value, at[numbers[value.slot]], ties_at)
            return sum(copy.cost(value.size) for copy in copies)

        def start(labels: tuple[int, ...]) -> CopyCosts:
            places = {n: domains[n][label] for n, label in zip(scope, labels, strict=True)}
            slot, tied = numbers[value.slot], [numbers[tie.slot] for tie in value.ties]
            return CopyCosts(problem, value, own=slot, tied=tied, places=places, domains=domains)

        return Factor(scope, cost, start)

    factors = [factor(value) for value in component.values]
    best = minimise([len(domain) for domain in domains], factors, work)
    places = {slot: domains[n][best.labels[n]] for slot, n in numbers.items()}
    return places, best.proven, best.work


def _domains(problem: AssignmentProblem, component: _Component) -> list[list[PoolOption]]:
    """Return the options of each slot, without pools that are equivalent to an earlier pool."""
    pools: dict[tuple[object, ...], str] = {}
    for pool in problem.pools:
        slots = tuple(
            tuple(place.writable for place in problem.slots[slot].places if place.pool == pool.name)
            for slot in component.slots
        )
        readers = tuple(pool.name in r.pools for v in component.values for r in v.readers)
        moves = tuple(
            frozenset(move[1 - side] for move in problem.moves if move[side] == pool.name)
            for side in (0, 1)
        )
        seen = (slots, readers, pool.kind, pool.readable, pool.writable, moves)
        pools.setdefault(seen, pool.name)
    kept = set(pools.values())
    return [
        [place for place in problem.slots[slot].places if place.pool in kept]
        for slot in component.slots
    ]
