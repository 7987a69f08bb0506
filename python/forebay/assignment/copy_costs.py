"""The cost of one value's copies while the places of its slots change one at a time.

A value with many ties is a tensor that is cut into tiles: each tile is in a slot of its own. The
cost is a sum over the ties, and a part that depends only on which pools have a shared copy. So a
change of one tie needs no look at the others::

    cost = sum of the private copies
         + sum over pools with a shared copy
         + the cheapest pools for the readers that no copy serves
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from forebay.assignment.copies import (
    cheapest_pools,
    copy_to,
    is_private_copy,
    is_shared,
    waiting_readers,
)
from forebay.assignment.problem import AssignedValue, AssignmentProblem, PoolOption, precedes


class CopyCosts:
    """The cost of a value's copies; `variables` and `domains` are those of its scope.

    `own` is the variable of the value's slot, and `tied` those of its ties.
    """

    def __init__(
        self,
        problem: AssignmentProblem,
        value: AssignedValue,
        *,
        own: int,
        tied: Sequence[int],
        places: dict[int, PoolOption],
        domains: Sequence[Sequence[PoolOption]],
    ) -> None:
        self._problem, self._value = problem, value
        self._own, self._domains = own, domains
        self._places = places
        self._ties: dict[int, list[int]] = {}
        for index, variable in enumerate(tied):
            self._ties.setdefault(variable, []).append(index)
        self._costs: dict[tuple[PoolOption, PoolOption], int] = {}
        self._count_all()

    def cost_with(self, variable: int, label: int) -> int:
        """Return the cost if the slot of one variable had another place."""
        before = self._places[variable]
        self._move(variable, self._domains[variable][label])
        cost = self._total()
        self._move(variable, before)
        return cost

    def change(self, variable: int, label: int) -> None:
        """Set the place of one slot."""
        self._move(variable, self._domains[variable][label])

    def _move(self, variable: int, place: PoolOption) -> None:
        if place == self._places[variable]:
            return
        if variable == self._own:
            self._places[variable] = place
            self._count_all()
            return
        ties = self._ties[variable]
        for tie in ties:
            self._count(tie, self._places[variable], -1)
        self._places[variable] = place
        for tie in ties:
            self._count(tie, place, 1)

    def _count_all(self) -> None:
        self._private = 0
        self._shared: Counter[str] = Counter()
        waiting = waiting_readers(self._value, self._places[self._own])
        self._early = dict.fromkeys(waiting, 0)
        for variable, ties in self._ties.items():
            for tie in ties:
                self._count(tie, self._places[variable], 1)

    def _count(self, index: int, at: PoolOption, sign: int) -> None:
        """Add or remove the copy that one tie needs."""
        tie, place = self._value.ties[index], self._places[self._own]
        if is_shared(tie, place, at):
            return
        if not is_private_copy(tie, at):
            self._shared[at.pool] += sign
            return
        if not tie.contents:
            fresh = copy_to(self._problem, self._value, place, at, contents=False)
            self._private += sign * fresh.cost(self._value.size)
            return
        self._private += sign * self._cost_of(place, at)
        for number in self._early:
            reader = self._value.readers[number]
            if at.pool in reader.pools and precedes(reader.position, tie.position):
                self._early[number] += sign

    def _cost_of(self, place: PoolOption, at: PoolOption) -> int:
        known = self._costs.get((place, at))
        if known is None:
            copy = copy_to(self._problem, self._value, place, at)
            known = self._costs[place, at] = copy.cost(self._value.size)
        return known

    def _total(self) -> int:
        place = self._places[self._own]
        there = {pool for pool, count in self._shared.items() if count}
        late = [number for number, copies in self._early.items() if not copies]
        more = cheapest_pools(self._problem, self._value, place, late, there)
        shared = sum(self._cost_of(place, PoolOption(pool, False)) for pool in (*there, *more))
        return self._private + shared
