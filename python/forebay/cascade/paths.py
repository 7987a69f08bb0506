"""The best path over cuts, where the exact cost of an edge from one cut to another takes long.

The search goes on from the best cut that it has reached. It asks for the exact cost of an edge only
when no other path can be better than one with the least cost that the edge may have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from typing import NamedTuple, Protocol


class Edge(NamedTuple):
    """An edge from one cut to a later one; a loop over rows or a run of one whole operator."""

    start: int
    stop: int
    by_rows: bool


class CutGraph(Protocol):
    """A graph whose nodes are cuts."""

    def edges_from(self, cut: int) -> Iterable[tuple[Edge, int]]:
        """Return the edges from a cut, each with the least cost that it may have."""
        ...

    def cost(self, edge: Edge) -> int:
        """Return the exact cost of an edge."""
        ...

    def may_use(self, edge: Edge) -> bool:
        """Return whether an edge may be used; the search asks for its cost before."""
        ...


def best_path(
    graph: CutGraph, last: int, join: Callable[[int, int], int]
) -> tuple[int, tuple[Edge, ...]] | None:
    """Return the cost of the best path from cut 0 to the last one, and its edges; None without any.

    `join` makes the cost of a path of that of a path and that of an edge after it; it is no less
    than both. Of paths of equal cost the one with the shortest last edge is taken, and so on.
    """
    reached: dict[int, tuple[int, Edge | None]] = {0: (0, None)}
    pending: list[tuple[int, int, int, bool, bool]] = []
    cut: int | None = 0
    while cut is not None and cut != last:
        for edge, least in graph.edges_from(cut):
            if edge.stop not in reached:
                cost = join(reached[cut][0], least)
                heappush(pending, (cost, edge.stop, -cut, edge.by_rows, False))
        cut = _next_cut(graph, reached, pending, join)
    return None if cut is None else (reached[last][0], _path(reached, last))


def _next_cut(
    graph: CutGraph,
    reached: dict[int, tuple[int, Edge | None]],
    pending: list[tuple[int, int, int, bool, bool]],
    join: Callable[[int, int], int],
) -> int | None:
    """Reach the cut of the least cost and return it; None if there is no more."""
    while pending:
        cost, stop, minus_start, by_rows, is_exact = heappop(pending)
        edge = Edge(-minus_start, stop, by_rows)
        if stop in reached:
            continue
        if not is_exact:
            cost = join(reached[edge.start][0], graph.cost(edge))
            heappush(pending, (cost, stop, minus_start, by_rows, True))
        elif graph.may_use(edge):
            reached[stop] = cost, edge
            return stop
    return None


def _path(reached: dict[int, tuple[int, Edge | None]], last: int) -> tuple[Edge, ...]:
    found: list[Edge] = []
    edge = reached[last][1]
    while edge is not None:
        found.append(edge)
        edge = reached[edge.start][1]
    return tuple(reversed(found))
