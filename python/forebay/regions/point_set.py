"""Sets of points of an iteration domain: a box, and the spans in which expressions must be.

The questions are about the values of expressions over the set: their hull, and how many there are.
Dimensions that no constraint joins are independent, so a set is a product of small sets. In each of
them, all dimensions but one are enumerated, and along the last one every expression is an
arithmetic progression, which a constraint cuts in closed form. For the rows of a convolution,
`0 <= 2 * y + ky - 1 < height`, the points `(y, ky)` are three runs along `y`, one per `ky`. A
quotient has a period along the last dimension, and each phase of the period is a run of its own.
So answers are exact, with as many steps as the group has points, divided by its largest extent.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property

from msgspec import Struct

from forebay.regions.affine import Affine
from forebay.regions.box import Box, Span
from forebay.regions.progressions import Progression, distinct_numbers, hull_of
from forebay.regions.runs import bounds_of, is_dense, runs_over


class Constraint(Struct, frozen=True):
    """The condition that the value of an expression is in a span."""

    expression: Affine
    span: Span


class PointSet(Struct, frozen=True, dict=True):
    """The points of a box at which all constraints hold."""

    box: Box
    constraints: tuple[Constraint, ...] = ()

    @cached_property
    def is_empty(self) -> bool:
        """Return whether there is no point."""
        if not self.box.elements or any(not c.expression.dimensions for c in self._active):
            return True
        return any(next(self._runs(group, ()), None) is None for group in self._groups)

    @cached_property
    def points(self) -> int:
        """The number of points."""
        if self.is_empty:
            return 0
        used = frozenset[int]().union(*self._groups)
        free = math.prod(size for d, size in enumerate(self.box.sizes) if d not in used)
        return free * math.prod(
            sum(run.count for run, *_ in self._runs(group, (Affine(),))) for group in self._groups
        )

    def values(self, expression: Affine) -> Span:
        """Return the smallest span around the values of an expression."""
        if self.is_empty:
            return Span(0, 0)
        group = self._group_of(expression.dimensions)
        if expression.is_linear and not self._constraints_in(group):
            return bounds_of(expression, self.box)
        return hull_of(run for (run,) in self._runs(group, (expression,)))

    def distinct(self, expressions: Sequence[Affine], hull: Box) -> int:
        """Return the number of different tuples of values of expressions; `hull` is around them."""
        if self.is_empty:
            return 0
        total = 1
        for axes in self._independent(expressions):
            number = _row_major(
                [expressions[axis] for axis in axes], Box(tuple(hull.spans[a] for a in axes))
            )
            total *= self._distinct(number)
        return total

    @cached_property
    def hull(self) -> Box:
        """The smallest box around all points."""
        dimensions = (Affine.dimension(d) for d in range(len(self.box.spans)))
        return Box(tuple(self.values(dimension) for dimension in dimensions))

    @property
    def is_box(self) -> bool:
        """Return whether the points are all points of their hull."""
        return self.points == self.hull.elements

    def holds_at(self, point: Sequence[int]) -> bool:
        """Return whether a point of the box is in the set."""
        return all(c.span.start <= c.expression.at(point) < c.span.stop for c in self.constraints)

    # ---- Groups of dimensions that constraints join ----------------------------------------------

    @cached_property
    def _active(self) -> tuple[Constraint, ...]:
        """The constraints that do not hold at every point of the box."""
        return tuple(
            c for c in self.constraints if not c.span.contains(bounds_of(c.expression, self.box))
        )

    @cached_property
    def _groups(self) -> tuple[frozenset[int], ...]:
        """The sets of dimensions that share a constraint, directly or through others."""
        return joined([c.expression.dimensions for c in self._active])

    def _group_of(self, dimensions: frozenset[int]) -> frozenset[int]:
        return dimensions.union(*(group for group in self._groups if group & dimensions))

    def _constraints_in(self, group: frozenset[int]) -> tuple[Constraint, ...]:
        return tuple(c for c in self._active if c.expression.dimensions <= group)

    def _independent(self, expressions: Sequence[Affine]) -> Iterator[list[int]]:
        """Yield the numbers of expressions in sets that share no dimension, not even by groups."""
        groups = [self._group_of(expression.dimensions) for expression in expressions]
        for union in joined(groups):
            axes = [axis for axis, group in enumerate(groups) if group and group <= union]
            if axes:
                yield axes

    def _distinct(self, expression: Affine) -> int:
        group = self._group_of(expression.dimensions)
        if not self._constraints_in(group) and is_dense(expression, self.box):
            return bounds_of(expression, self.box).size
        runs = [run for (run,) in self._runs(group, (expression,))]
        return distinct_numbers(runs, hull_of(runs))

    def _runs(
        self, group: frozenset[int], expressions: tuple[Affine, ...]
    ) -> Iterator[tuple[Progression, ...]]:
        """Yield runs of points of a group, as the progression of each expression over the run."""
        constraints = self._constraints_in(group)
        both = (*(c.expression for c in constraints), *expressions)
        for run in runs_over(self.box, group, both):
            inside = Span(0, run[0].count)
            for constraint, progression in zip(constraints, run, strict=False):
                inside = inside.intersect(progression.steps_inside(constraint.span))
            if inside.size:
                yield tuple(p.part(inside) for p in run[len(constraints) :])


def _row_major(expressions: Sequence[Affine], hull: Box) -> Affine:
    """Return the number of a tuple of values among the elements of their hull."""
    number = Affine()
    for expression, span in zip(expressions, hull.spans, strict=True):
        number = number * span.size + expression - span.start
    return number


def joined(sets: Sequence[frozenset[int]]) -> tuple[frozenset[int], ...]:
    """Return the unions of sets that overlap, directly or through others; drops empty sets."""
    groups: list[frozenset[int]] = []
    for new in sets:
        apart = [group for group in groups if not group & new]
        groups = [*apart, new.union(*(group for group in groups if group & new))]
    return tuple(group for group in groups if group)
