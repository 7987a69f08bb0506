"""Smaller tiles at the ends of a loop.

queue in   | x0      | x1      | x2      |            The last tile is computed and stored when
queue run            | f0  |   | f1  |   | f2  |      nothing is left to load: y2 is the time of a
queue out                | y0  |   | y1  |   | y2  |  whole tile. If the last tiles get smaller and
                                                      smaller, less is left to do; likewise with the
                                                      first ones, before which nothing is computed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from forebay.regions import Span

_RATIOS = (Fraction(2, 3), Fraction(1, 2))
_MOST = 8
"""The most smaller tiles at an end."""


@dataclass(frozen=True)
class EndTiles:
    """The sizes of the first tiles of a loop, and those of the last ones."""

    first: tuple[int, ...] = ()
    last: tuple[int, ...] = ()


def shrinking_sizes(size: int, multiple: int) -> Iterator[tuple[int, ...]]:
    """Yield the sizes of tiles after one of `size`: each a part of the one before.

    Answers have the same ratio in turn, with one tile more each time.
    """
    for ratio in _RATIOS:
        sizes: list[int] = []
        last = size
        for _ in range(_MOST):
            smaller = int(last * ratio) // multiple * multiple
            if not 0 < smaller < last:
                break
            sizes.append(smaller)
            last = smaller
            yield tuple(sizes)


def spans_with_ends(span: Span, size: int, ends: EndTiles, multiple: int) -> list[Span]:
    """Return the tiles of a span: those of the ends, and even ones of at most `size` between.

    If the tiles of the ends leave nothing between, there are none at the ends.
    """
    between = span.size - sum(ends.first) - sum(ends.last)
    if between <= 0:
        return spans_with_ends(span, size, EndTiles(), multiple)
    count = -(-between // size)
    even = min(size, -(-between // (count * multiple)) * multiple) if ends != EndTiles() else size
    middle = [min(even, between - at) for at in range(0, between, even)]
    # A remainder that is no multiple is the last tile of all.
    odd = middle[-1] % multiple
    last = [*ends.last]
    if odd and last:
        middle[-1] -= odd
        last[-1] += odd
    sizes = [own for own in (*ends.first, *middle, *last) if own]
    stops = list(itertools.accumulate(sizes, initial=span.start))
    return [Span(start, stop) for start, stop in itertools.pairwise(stops)]
