"""Random loop nests, and their meaning by enumeration of every point."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

from hypothesis import strategies as st

from forebay.regions import Affine, Box, LoopNest, OperandAccess, Span

Point = tuple[int, ...]
Elements = set[Point]


@st.composite
def expressions(draw: st.DrawFn, dims: Sequence[int], depth: int = 1) -> Affine:
    """Expressions of some dimensions, with at most `depth` nested divisions."""
    result = Affine(draw(st.integers(-4, 4)))
    for d in draw(st.lists(st.sampled_from(dims), max_size=2)) if dims else ():
        result += Affine.dimension(d) * draw(st.integers(-3, 3))
    if depth and draw(st.booleans()):
        inner, divisor = draw(expressions(dims, depth - 1)), draw(st.integers(1, 4))
        result += inner % divisor if draw(st.booleans()) else inner // divisor
    return result


@st.composite
def windows(draw: st.DrawFn, y: int, k: int) -> Affine:
    """Expressions of a window: stride, dilation, padding, either direction."""
    stride, dilation = draw(st.integers(1, 3)), draw(st.sampled_from((-2, -1, 1, 2)))
    return Affine.dimension(y) * stride + Affine.dimension(k) * dilation - draw(st.integers(0, 3))


@st.composite
def nests(draw: st.DrawFn, depth: int = 1) -> LoopNest:
    """Loop nests with clamped and other inputs, and an output that a range of indices reaches."""
    parallel = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=2)))
    reduction = tuple(draw(st.lists(st.integers(1, 4), max_size=2)))
    outer, every = range(len(parallel)), range(len(parallel) + len(reduction))
    clamped = []
    for _ in range(draw(st.integers(1, 2))):
        choices = [expressions(list(every), depth)]
        if reduction:
            choices.append(windows(0, len(parallel)))
        index = tuple(draw(st.lists(st.one_of(choices), min_size=1, max_size=2)))
        shape = tuple(draw(st.integers(1, 9)) for _ in index)
        clamped.append(OperandAccess(shape, index, clamped=True))
    params = inside_of(parallel, draw(st.lists(expressions(list(outer), depth), max_size=2)))
    if len(parallel) == 2 and draw(st.booleans()):
        flat = Affine.dimension(0) * parallel[1] + Affine.dimension(1)
        out = OperandAccess((parallel[0] * parallel[1],), (flat,))
    else:
        out = OperandAccess(parallel, tuple(map(Affine.dimension, outer)))
    return LoopNest(parallel, reduction, (*clamped, params), (out,))


def inside_of(parallel: Sequence[int], index: Sequence[Affine]) -> OperandAccess:
    """The access by expressions that are shifted so that they begin at 0."""
    points = list(itertools.product(*map(range, parallel)))
    values = [[e.at(point) for point in points] for e in index]
    shape = tuple(max(own) - min(own) + 1 for own in values)
    shifted = tuple(e - min(own) for e, own in zip(index, values, strict=True))
    return OperandAccess(shape, shifted)


@st.composite
def boxes_in(draw: st.DrawFn, shape: Sequence[int]) -> Box:
    """Boxes inside of a shape that are not empty."""
    spans: list[Span] = []
    for size in shape:
        start = draw(st.integers(0, size - 1))
        spans.append(Span(start, draw(st.integers(start + 1, size))))
    return Box(tuple(spans))


@st.composite
def nests_with_boxes(draw: st.DrawFn) -> tuple[LoopNest, Box]:
    """Loop nests, each with a box of its domain."""
    nest = draw(nests(depth=2))
    return nest, draw(boxes_in((*nest.parallel, *nest.reduction)))


@st.composite
def nests_with_results(draw: st.DrawFn) -> tuple[LoopNest, Box]:
    """Loop nests, each with a box of its output."""
    nest = draw(nests())
    return nest, draw(boxes_in(nest.outputs[0].shape))


def element(access: OperandAccess, point: Point) -> Point:
    """The element that a point uses."""
    return tuple(e.at(point) for e in access.index)


def is_in(element: Point, box: Box) -> bool:
    """Whether an element is in a box."""
    return all(s.start <= i < s.stop for i, s in zip(element, box.spans, strict=True))


def valid_points(nest: LoopNest, at: Box) -> Iterator[Point]:
    """The points of a box at which no clamped input is indexed outside."""
    clamped = [access for access in nest.inputs if access.clamped]
    for point in at.points():
        if all(is_in(element(access, point), Box.of(access.shape)) for access in clamped):
            yield point


def read_elements(nest: LoopNest, number: int, at: Box) -> Elements:
    """The elements of an input that the points of a box read."""
    access = nest.inputs[number]
    points = valid_points(nest, at) if access.clamped else at.points()
    return {element(access, point) for point in points}


def hull(elements: Elements, rank: int) -> Box:
    """The smallest box around elements."""
    if not elements:
        return Box((Span(0, 0),) * rank)
    return Box(tuple(Span(min(axis), max(axis) + 1) for axis in zip(*elements, strict=True)))


def volume(box: Box) -> int:
    """The number of elements of a box."""
    return math.prod(span.stop - span.start for span in box.spans)
