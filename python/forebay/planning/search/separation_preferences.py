"""The separations of a problem between items of one stack, by position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from forebay.planning.model.separation import Separation
from forebay.planning.search.stack import Stack
from forebay.pools import ByteRange, Pool


class SeparatedPair(Struct, frozen=True):
    """A separation between the items at two positions, and the two buffers' sizes in bytes."""

    first: int
    second: int
    sizes: tuple[int, int]
    separation: Separation


class SeparationPreferences(Struct, frozen=True, dict=True):
    """All separations of a stack."""

    pool: Pool
    pairs: tuple[SeparatedPair, ...]

    @cached_property
    def positions(self) -> tuple[int, ...]:
        """Return the positions that are part of a pair, ascending."""
        return tuple(sorted(self._by_position))

    @cached_property
    def _by_position(self) -> Mapping[int, Sequence[SeparatedPair]]:
        found: dict[int, list[SeparatedPair]] = {}
        for pair in self.pairs:
            found.setdefault(pair.first, []).append(pair)
            found.setdefault(pair.second, []).append(pair)
        return found

    def penalty(self, offsets: Sequence[int]) -> int:
        """Return the penalty of a placement of the whole stack."""
        return sum(self._penalty(p, offsets[p.first], offsets[p.second]) for p in self.pairs)

    def penalty_at(self, position: int, offset: int, places: Mapping[int, int]) -> int:
        """Return the penalty between an item at an offset and the items in `places`."""
        total = 0
        for pair in self._by_position.get(position, ()):
            other = pair.second if pair.first == position else pair.first
            if other in places:
                one, two = offset, places[other]
                if pair.second == position:
                    one, two = two, one
                total += self._penalty(pair, one, two)
        return total

    def _penalty(self, pair: SeparatedPair, first: int, second: int) -> int:
        one = ByteRange(first, first + pair.sizes[0])
        other = ByteRange(second, second + pair.sizes[1])
        return pair.separation.penalty(self.pool, one, other)


def separations_of(stack: Stack) -> SeparationPreferences:
    """Return the separations between buffers of the stack."""
    problem = stack.items.problem
    if not problem.separations:
        return SeparationPreferences(stack.pool, ())
    position = {
        name: index for index in range(len(stack.members)) for name in stack.item(index).members
    }
    return SeparationPreferences(
        stack.pool,
        tuple(
            SeparatedPair(
                position[separation.first],
                position[separation.second],
                (
                    problem.size_in(problem.buffer_by_name[separation.first], stack.pool),
                    problem.size_in(problem.buffer_by_name[separation.second], stack.pool),
                ),
                separation,
            )
            for separation in problem.separations
            if separation.first in position and separation.second in position
        ),
    )
