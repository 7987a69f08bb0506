"""Cuts of a box into tiles, and checks that boxes cover a box exactly once."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from forebay.regions.box import Box, Span


def cuts(span: Span, size: int) -> Iterator[Span]:
    """Yield consecutive ranges of `size` indices; the last one has the remainder."""
    for start in range(span.start, span.stop, size):
        yield Span(start, min(start + size, span.stop))


def tiles(box: Box, sizes: Sequence[int], order: Sequence[int] | None = None) -> Iterator[Box]:
    """Yield the tiles of a box, with the remainder of each dimension in its last tiles.

    `order` lists the dimensions from the outermost loop over tiles to the innermost one; it is the
    order of the dimensions by default.
    """
    order = range(len(sizes)) if order is None else order
    ranges = [list(cuts(box.spans[d], sizes[d])) for d in order]
    for spans in itertools.product(*ranges):
        by_dimension = dict(zip(order, spans, strict=True))
        yield Box(tuple(by_dimension[d] for d in range(len(sizes))))


def even_sizes(extent: int, multiple: int = 1) -> tuple[int, ...]:
    """Return the least tile size for each number of tiles, in multiples, the largest first."""
    units = -(-extent // multiple)
    sizes = (-(-units // count) * multiple for count in range(1, units + 1))
    return tuple(dict.fromkeys(min(size, extent) for size in sizes))


def first_overlap(boxes: Sequence[Box]) -> tuple[int, int] | None:
    """Return the numbers of two boxes that share an element, or None if all are disjoint.

    Sweeps along the dimension in which the boxes have the most different beginnings, so that few
    boxes are compared with each other.
    """
    numbers = [number for number, box in enumerate(boxes) if box.elements]
    if len(numbers) < 2:
        return None
    if not boxes[numbers[0]].spans:
        return numbers[0], numbers[1]
    rank = len(boxes[numbers[0]].spans)
    along = max(range(rank), key=lambda d: len({boxes[n].spans[d].start for n in numbers}))
    active: list[int] = []
    for number in sorted(numbers, key=lambda n: boxes[n].spans[along].start):
        start = boxes[number].spans[along].start
        active = [n for n in active if boxes[n].spans[along].stop > start]
        for other in active:
            if boxes[other].intersect(boxes[number]).elements:
                return min(other, number), max(other, number)
        active.append(number)
    return None


def uncovered(box: Box, parts: Sequence[Box]) -> tuple[Box, ...]:
    """Return disjoint boxes of the elements of a box that are in none of the parts."""
    left = (box,) if box.elements else ()
    for part in parts:
        left = tuple(rest for piece in left for rest in piece.minus(part))
    return left


def is_partition(box: Box, parts: Sequence[Box]) -> bool:
    """Return whether every element of a box is in exactly one part, and no other element is."""
    return (
        all(box.contains(part) for part in parts)
        and sum(part.elements for part in parts) == box.elements
        and first_overlap(parts) is None
    )
