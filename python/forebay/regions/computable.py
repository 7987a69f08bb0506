"""The inverse question: what can be computed from boxes of the inputs?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from forebay.regions.box import Box, Span
from forebay.regions.loop_nest import LoopNest
from forebay.regions.point_set import Constraint, PointSet, joined

_Point = tuple[int, ...]


def computable_box(nest: LoopNest, given: Mapping[int, Box]) -> Box:
    """Return the largest box of the parallel domain that needs nothing else of some inputs.

    `given` has a box of input for each number of an input; the other inputs are there as a whole.
    The first one of several largest boxes is returned. A window that is wholly in the padding in
    one dimension counts in the others as if it were not.
    """
    limits = {
        number: [c for c in nest.inputs[number].inside(box) if not _holds(c, nest, number)]
        for number, box in given.items()
    }
    limited = [(c, number) for number, limit in limits.items() for c in limit]
    result = Box.of(nest.parallel)
    if any(not c.expression.dimensions for c, _ in limited):
        return result.nothing()
    clamps = nest.points().constraints
    for group in joined([c.expression.dimensions for c in (*clamps, *(c for c, _ in limited))]):
        inside = tuple(c for c in clamps if c.expression.dimensions <= group)
        needs = [
            (c, inside if nest.inputs[number].clamped else ())
            for c, number in limited
            if c.expression.dimensions <= group
        ]
        if needs:
            result = _cut(result, nest, group, needs)
    return result


def _cut(
    result: Box,
    nest: LoopNest,
    group: frozenset[int],
    needs: list[tuple[Constraint, tuple[Constraint, ...]]],
) -> Box:
    """Return the box with the largest range of a group's parallel dimensions that is computable."""
    outer = sorted(d for d in group if d < len(nest.parallel))
    outer_box = Box(tuple(nest.domain.spans[d] for d in outer))
    good = {
        point for point in outer_box.points() if _is_computable(nest.domain, outer, point, needs)
    }
    largest = _largest_box(good, len(outer))
    if not good:
        return result.nothing()
    for d, span in zip(outer, largest.spans, strict=True):
        result = result.with_span(d, span)
    return result


def _is_computable(
    domain: Box,
    outer: list[int],
    point: _Point,
    needs: list[tuple[Constraint, tuple[Constraint, ...]]],
) -> bool:
    for d, number in zip(outer, point, strict=True):
        domain = domain.with_span(d, Span(number, number + 1))
    return all(
        need.span.contains(PointSet(domain, inside).values(need.expression))
        for need, inside in needs
    )


def _largest_box(points: Set[_Point], rank: int) -> Box:
    """Return the largest box of which every point is in a set.

    Ranges of the first dimension are tried in order. The box with such a range is the largest one
    of what all its slices share. A range is not extended if not even all of its slices' shared
    points, over the rest of the dimension, would be more than the best box has.
    """
    if not rank:
        return Box(())
    slices: dict[int, set[_Point]] = {}
    for first, *rest in points:
        slices.setdefault(first, set()).add(tuple(rest))
    best = Box((Span(0, 0),) * rank)
    for start, run in _runs(slices):
        shared: Set[_Point] = slices[start]
        for stop in range(start + 1, start + run + 1):
            shared = shared & slices[stop - 1]
            if run * len(shared) <= best.elements:
                break
            found = Box((Span(start, stop), *_largest_box(shared, rank - 1).spans))
            best = max(best, found, key=lambda box: box.elements)
    return best


def _runs(slices: Mapping[int, object]) -> Iterator[tuple[int, int]]:
    """Yield each number with the number of consecutive ones that begin there."""
    run, runs = 0, list[tuple[int, int]]()
    for number in sorted(slices, reverse=True):
        run = run + 1 if number + 1 in slices else 1
        runs.append((number, run))
    yield from reversed(runs)


def _holds(constraint: Constraint, nest: LoopNest, number: int) -> bool:
    """Return whether an index is in a span at every point at which the input is read."""
    read = nest.points() if nest.inputs[number].clamped else PointSet(nest.domain)
    return constraint.span.contains(read.values(constraint.expression))
