"""Values of expressions over a box: bounds, and runs along one dimension as progressions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from forebay.regions.affine import Affine
from forebay.regions.box import Box, Span
from forebay.regions.progressions import Progression


def bounds_of(expression: Affine, box: Box) -> Span:
    """Return a span around the values over a box that is not empty; exact without quotients."""
    low = high = expression.constant
    parts = [(box.spans[d], factor) for d, factor in expression.terms]
    for quotient, factor in expression.quotients:
        inner = bounds_of(quotient.numerator, box)
        first, last = (end // quotient.divisor for end in (inner.start, inner.stop - 1))
        parts.append((Span(first, last + 1), factor))
    for span, factor in parts:
        ends = (factor * span.start, factor * (span.stop - 1))
        low, high = low + min(ends), high + max(ends)
    return Span(low, high + 1)


def is_dense(expression: Affine, box: Box) -> bool:
    """Return whether a linear expression takes every value of its hull over a box.

    It does if, in the order of the factors, none is larger than the number of values so far.
    """
    if not expression.is_linear:
        return False
    values = 1
    for factor, size in sorted((abs(f), box.spans[d].size) for d, f in expression.terms):
        if size > 1 and factor > values:
            return False
        values += factor * (size - 1)
    return True


def distance_over(expression: Affine, box: Box) -> int:
    """Return a number that divides all differences of values over a box; 0 for one value.

    It is 1 for an expression with a quotient.
    """
    if not expression.is_linear:
        return 1
    return math.gcd(*(factor for d, factor in expression.terms if box.spans[d].size > 1))


def runs_over(
    box: Box, group: frozenset[int], expressions: Sequence[Affine]
) -> Iterator[tuple[Progression, ...]]:
    """Yield runs along one dimension of a group, as the progression of each expression.

    Together the runs are all points of the group in the box. A group without dimensions is one
    point. The dimension along which there are the fewest runs for each of its points is chosen.
    """
    point = [span.start for span in box.spans]
    if not group:
        yield tuple(Progression(e.at(point), 0, 1) for e in expressions)
        return
    periods = {d: math.lcm(*(e.period(d) for e in expressions)) for d in sorted(group)}
    last = max(periods, key=lambda d: box.spans[d].size / min(periods[d], box.spans[d].size))
    period = periods[last]
    growths = [e.growth(last, period) for e in expressions]
    outer = sorted(group - {last})
    span = box.spans[last]
    for numbers in itertools.product(*(range(*_ends(box.spans[d])) for d in outer)):
        for d, number in zip(outer, numbers, strict=True):
            point[d] = number
        for first in range(span.start, min(span.stop, span.start + period)):
            point[last] = first
            count = -(-(span.stop - first) // period)
            yield tuple(
                Progression(e.at(point), growth, count)
                for e, growth in zip(expressions, growths, strict=True)
            )


def _ends(span: Span) -> tuple[int, int]:
    return span.start, span.stop
