"""Separation of pairs: lowers the penalty of a plan without raising the peak.

The penalty of a plan is a sum over pairs of items in one pool. First, single items move to the
offset with the least penalty until no move helps. Then, if the stack is small, a search examines
all offsets at which a minimum can be. At such an offset, the item begins or ends at a fixed edge
(the first byte, a bank, reserved bytes, the height) or at the begin or end of another item. If all
items have the same alignment, every minimum can be shifted to such a plan without a change of the
penalty, so the search finds a minimum. With several alignments the search is only a heuristic.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from forebay.planning.contract.planner import Answer
from forebay.planning.search.items import Items
from forebay.planning.search.separation_preferences import SeparationPreferences, separations_of
from forebay.planning.search.stack import NO_PIN, Ints, Stack
from forebay.planning.search.stacks import stacks_of

_ROUNDS = 100
_SMALL = 5
"""Largest number of items of a stack for which the search runs."""
NODES = 20_000


def separate(stack: Stack, offsets: Ints) -> Ints:
    """Return offsets whose penalty and highest end are not above those of the given offsets.

    In a pool whose peak has weight 0, the highest end is limited by the capacity only.
    """
    separations = separations_of(stack)
    if not separations.pairs:
        return offsets
    separator = _Separator(stack, separations, offsets)
    separator.descend()
    if len(stack.members) <= _SMALL:
        separator.search()
    return separator.best


def separate_all(items: Items, answer: Answer) -> Answer:
    """Return the answer after `separate` in each pool."""
    if not items.problem.separations:
        return answer
    numbers = {pool.name: number for number, pool in enumerate(items.problem.pools)}
    places = [answer[item.members[0]] for item in items.all]
    candidates = [
        next(candidate for candidate in item.candidates if candidate.pool == numbers[place.pool])
        for item, place in zip(items.all, places, strict=True)
    ]
    offsets = [place.offset for place in places]
    for _, stack in stacks_of(items, candidates):
        here = np.array([offsets[member] for member in stack.members], np.int64)
        for member, offset in zip(stack.members, separate(stack, here).tolist(), strict=True):
            offsets[member] = offset
    return items.placements(candidates, offsets)


class _Separator:
    def __init__(self, stack: Stack, separations: SeparationPreferences, offsets: Ints) -> None:
        self._stack, self._preferences = stack, separations
        self._sizes, self._alignments = stack.sizes.tolist(), stack.alignments.tolist()
        self._conflicts = [set(row.tolist()) for row in stack.conflicts]
        self._near = self._partners()
        self._reserved = [(int(start), int(end)) for start, end in stack.reserved]
        self._limit = _limit(stack, offsets)
        self._fixed = sorted(self._fixed_edges())
        self._nodes = 0
        self.best = offsets
        self._least = separations.penalty(offsets.tolist())

    def _partners(self) -> list[set[int]]:
        """Return, for each item, the items that it cannot overlap and those to separate it from.

        An item that is next to any other one can be shifted without a change of the penalty.
        """
        near = [set(others) for others in self._conflicts]
        for pair in self._preferences.pairs:
            near[pair.first].add(pair.second)
            near[pair.second].add(pair.first)
        return near

    def descend(self) -> None:
        """Move single items to the offset with the least penalty until no move helps."""
        places: dict[int, int] = dict(enumerate(self.best.tolist()))
        movable = [p for p in self._preferences.positions if self._stack.pins[p] == NO_PIN]
        for _ in range(_ROUNDS):
            before = self._least
            for position in movable:
                here = places.pop(position)
                options = [here, *self._options(position, places)]
                costs = [self._preferences.penalty_at(position, o, places) for o in options]
                places[position] = options[costs.index(min(costs))]
            self._keep(places)
            if self._least == before:
                return

    def search(self) -> None:
        """Search by branch and bound on the next item and its offset, up to `NODES` nodes."""
        pins = {p: int(pin) for p, pin in enumerate(self._stack.pins) if pin != NO_PIN}
        start = sum(
            self._preferences.penalty_at(p, o, {q: r for q, r in pins.items() if q < p})
            for p, o in pins.items()
        )
        self._nodes, self._seen = 0, set[frozenset[tuple[int, int]]]()
        self._extend(pins, start)

    def _extend(self, places: dict[int, int], penalty: int) -> None:
        state = frozenset(places.items())
        if penalty >= self._least or state in self._seen or self._nodes >= NODES:
            return
        self._seen.add(state)
        self._nodes += 1
        if len(places) == len(self._sizes):
            self._keep(places)
            return
        for position in range(len(self._sizes)):
            if position not in places:
                for offset in self._options(position, places):
                    more = self._preferences.penalty_at(position, offset, places)
                    self._extend({**places, position: offset}, penalty + more)

    def _keep(self, places: dict[int, int]) -> None:
        penalty = self._preferences.penalty([places[p] for p in range(len(places))])
        if penalty < self._least:
            self._least, self.best = penalty, self.best.copy()
            for position, offset in places.items():
                self.best[position] = offset

    def _options(self, position: int, places: dict[int, int]) -> Iterator[int]:
        """Return the free offsets of an item next to an edge, ascending."""
        size, alignment = self._sizes[position], self._alignments[position]
        edges = {*self._fixed}
        for other in self._near[position] & places.keys():
            start = places[other]
            edges |= {start, start + self._sizes[other]}
        near: set[int] = set()
        for offset in (at for edge in edges for at in (edge, edge - size)):
            up = self._stack.pool.align(offset, alignment)
            near |= {up, up - alignment}
        return (offset for offset in sorted(near) if self._free(position, offset, places))

    def _free(self, position: int, offset: int, places: dict[int, int]) -> bool:
        end = offset + self._sizes[position]
        if offset < self._stack.pool.start or end > self._limit:
            return False
        if any(offset < high and low < end for low, high in self._reserved):
            return False
        return not any(
            other in places and offset < places[other] + self._sizes[other] and places[other] < end
            for other in self._conflicts[position]
        )

    def _fixed_edges(self) -> set[int]:
        pool = self._stack.pool
        edges = {pool.start, self._limit}
        edges |= {edge for bounds in self._reserved for edge in bounds}
        if pool.bank_bytes is not None:
            edges |= {bank * pool.bank_bytes for bank in range(pool.banks + 1)}
        return edges


def _limit(stack: Stack, offsets: Ints) -> int:
    """Return the highest end that an item may have, in bytes.

    It is the peak of the given offsets. If the peak has weight 0, it is the capacity, or a height
    with space for all items if the pool is unlimited.
    """
    end = int((offsets + stack.sizes).max(initial=0))
    if stack.pool.weight:
        return end
    if stack.pool.capacity is not None:
        return stack.pool.capacity
    return end + int((stack.sizes + stack.alignments).sum())
