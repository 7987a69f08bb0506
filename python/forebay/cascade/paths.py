"""The best path over cuts, where the exact cost of a way from one cut to another takes long.

The search goes on from the best cut that it has reached. It asks for the exact cost of a way only
when no other path can be better than one with the least cost that the way may have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from typing import NamedTuple, Protocol


class Way(NamedTuple):
    """A way from one cut to a later one; `by_rows` tells two ways between the same cuts apart."""

    start: int
    stop: int
    by_rows: bool


class Ways(Protocol):
    """The ways between cuts."""

    def ways_from(self, cut: int) -> Iterable[tuple[Way, int]]:
        """Return the ways from a cut, each with the least cost that it may have."""
        ...

    def cost(self, way: Way) -> int:
        """Return the exact cost of a way."""
        ...

    def is_open(self, way: Way) -> bool:
        """Return whether a way may be taken; the search asks for its cost before."""
        ...


def best_path(
    ways: Ways, last: int, join: Callable[[int, int], int]
) -> tuple[int, tuple[Way, ...]] | None:
    """Return the cost of the best path from cut 0 to the last one, and its ways; None without any.

    `join` makes the cost of a path of that of a path and that of a way behind it; it is no less
    than both. Of paths of equal cost the one with the shortest last way is taken, and so on.
    """
    reached: dict[int, tuple[int, Way | None]] = {0: (0, None)}
    pending: list[tuple[int, int, int, bool, bool]] = []
    cut: int | None = 0
    while cut is not None and cut != last:
        for way, least in ways.ways_from(cut):
            if way.stop not in reached:
                cost = join(reached[cut][0], least)
                heappush(pending, (cost, way.stop, -cut, way.by_rows, False))
        cut = _next_cut(ways, reached, pending, join)
    return None if cut is None else (reached[last][0], _path(reached, last))


def _next_cut(
    ways: Ways,
    reached: dict[int, tuple[int, Way | None]],
    pending: list[tuple[int, int, int, bool, bool]],
    join: Callable[[int, int], int],
) -> int | None:
    """Reach the cut of the least cost and return it; None if there is no more."""
    while pending:
        cost, stop, minus_start, by_rows, is_exact = heappop(pending)
        way = Way(-minus_start, stop, by_rows)
        if stop in reached:
            continue
        if not is_exact:
            cost = join(reached[way.start][0], ways.cost(way))
            heappush(pending, (cost, stop, minus_start, by_rows, True))
        elif ways.is_open(way):
            reached[stop] = cost, way
            return stop
    return None


def _path(reached: dict[int, tuple[int, Way | None]], last: int) -> tuple[Way, ...]:
    found: list[Way] = []
    way = reached[last][1]
    while way is not None:
        found.append(way)
        way = reached[way.start][1]
    return tuple(reversed(found))
