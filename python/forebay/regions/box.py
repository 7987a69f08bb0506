"""Boxes of elements or of points: one half-open range of indices per dimension."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import force_setattr


class Span(Struct, frozen=True, order=True):
    """The indices `[start, stop)`; every empty span is `Span(0, 0)`."""

    start: int
    stop: int

    def __post_init__(self) -> None:
        """Make all empty spans equal."""
        if self.stop <= self.start:
            force_setattr(self, "start", 0)
            force_setattr(self, "stop", 0)

    @property
    def size(self) -> int:
        """The number of indices."""
        return self.stop - self.start

    def intersect(self, other: Span) -> Span:
        """Return the indices in both."""
        return Span(max(self.start, other.start), min(self.stop, other.stop))

    def hull(self, other: Span) -> Span:
        """Return the smallest span around both."""
        if not (self.size and other.size):
            return self if self.size else other
        return Span(min(self.start, other.start), max(self.stop, other.stop))

    def contains(self, other: Span) -> bool:
        """Return whether all indices of the other span are in this one."""
        return not other.size or (self.start <= other.start and other.stop <= self.stop)

    def shifted(self, by: int) -> Span:
        """Return the span with `by` added to each index."""
        return Span(self.start + by, self.stop + by) if self.size else self


class Box(Struct, frozen=True):
    """The product of one span per dimension; a box of no dimensions has one element."""

    spans: tuple[Span, ...]

    @staticmethod
    def of(shape: Sequence[int]) -> Box:
        """Return the box from the origin with these extents."""
        return Box(tuple(Span(0, size) for size in shape))

    @staticmethod
    def at(offsets: Sequence[int], sizes: Sequence[int]) -> Box:
        """Return the box with these offsets and sizes."""
        return Box(tuple(Span(o, o + s) for o, s in zip(offsets, sizes, strict=True)))

    @property
    def offsets(self) -> tuple[int, ...]:
        """The first index in each dimension."""
        return tuple(span.start for span in self.spans)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of indices in each dimension."""
        return tuple(span.size for span in self.spans)

    @property
    def elements(self) -> int:
        """The number of elements."""
        return math.prod(self.sizes)

    def bytes(self, bits: int) -> int:
        """Return the bytes of the elements, stored densely with `bits` each."""
        return -(-self.elements * bits // 8)

    def points(self) -> Iterator[tuple[int, ...]]:
        """Yield the elements, in row-major order."""
        return itertools.product(*(range(span.start, span.stop) for span in self.spans))

    def contains(self, other: Box) -> bool:
        """Return whether all elements of the other box are in this one."""
        return not other.elements or all(
            one.contains(two) for one, two in zip(self.spans, other.spans, strict=True)
        )

    def intersect(self, other: Box) -> Box:
        """Return the elements in both; all spans of an empty intersection are empty."""
        spans = [one.intersect(two) for one, two in zip(self.spans, other.spans, strict=True)]
        return Box(tuple(spans)) if all(span.size for span in spans) else self.nothing()

    def hull(self, other: Box) -> Box:
        """Return the smallest box around both."""
        if not (self.elements and other.elements):
            return self if self.elements else other
        return Box(tuple(one.hull(two) for one, two in zip(self.spans, other.spans, strict=True)))

    def minus(self, other: Box) -> tuple[Box, ...]:
        """Return disjoint boxes of the elements that are not in the other box.

        Each dimension, from the first, gives the part before the other box and the part after it::

            |     before      |       For the window of the next tile, and that of the tile before
            |-----+-----+-----|       it, the only box is that of the new rows.
            |  b  |other|  b  |
            |-----+-----+-----|
            |     after       |
        """
        shared = self.intersect(other)
        if not shared.elements:
            return (self,) if self.elements else ()
        found: list[Box] = []
        for d, (whole, inner) in enumerate(zip(self.spans, shared.spans, strict=True)):
            for part in (Span(whole.start, inner.start), Span(inner.stop, whole.stop)):
                if part.size:
                    found.append(Box((*shared.spans[:d], part, *self.spans[d + 1 :])))
        return tuple(found)

    def with_span(self, dimension: int, span: Span) -> Box:
        """Return the box with another span in one dimension."""
        return Box((*self.spans[:dimension], span, *self.spans[dimension + 1 :]))

    def nothing(self) -> Box:
        """Return an empty box of the same number of dimensions."""
        return Box((Span(0, 0),) * len(self.spans))
