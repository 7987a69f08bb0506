"""Cliques of a stack's conflict graph: sets of items that are all live at the same time."""

from __future__ import annotations

from forebay.planning.search.stack import Stack


def sections(stack: Stack) -> list[list[int]]:
    """Return cliques of positions.

    In a linear stack these are the maximal cliques in time order. Otherwise one clique is grown
    from each item by adding the largest common neighbour, and duplicates are removed.
    """
    return _by_time(stack) if stack.linear else _by_growth(stack)


def _by_time(stack: Stack) -> list[list[int]]:
    begins, ends = stack.lives
    events = sorted(
        [(int(tick), 1, i) for i, tick in enumerate(begins)]
        + [(int(tick), 0, i) for i, tick in enumerate(ends)]
    )
    alive: set[int] = set()
    found: list[list[int]] = []
    grown = False
    for _, begin, position in events:
        if begin:
            alive.add(position)
        else:
            if grown:
                found.append(sorted(alive))
            alive.remove(position)
        grown = bool(begin)
    return found


def _by_growth(stack: Stack) -> list[list[int]]:
    neighbours = [set(map(int, row)) for row in stack.conflicts]
    sizes = stack.sizes.tolist()
    found: dict[tuple[int, ...], None] = {}
    for position in range(len(neighbours)):
        clique, common = [position], neighbours[position]
        while common:
            heaviest = max(common, key=lambda other: (sizes[other], -other))
            clique.append(heaviest)
            common = common & neighbours[heaviest]
        found[tuple(sorted(clique))] = None
    return [list(clique) for clique in found]
