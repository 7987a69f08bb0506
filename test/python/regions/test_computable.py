"""Claims about what boxes of inputs suffice for, judged by enumeration of every point."""

from __future__ import annotations

import itertools

import pytest

pytest.importorskip("hypothesis")

from common.programs import loop_nests
from hypothesis import given, settings
from hypothesis import strategies as st

from forebay.regions import Box, LoopNest, OperandAccess, Span, computable_box, induction_variables


@st.composite
def given_boxes(draw):
    nest = draw(loop_nests.nests())
    numbers = [n for n, access in enumerate(nest.inputs) if access.shape]
    chosen = draw(st.lists(st.sampled_from(numbers), unique=True, min_size=1))
    return nest, {n: draw(loop_nests.boxes_in(nest.inputs[n].shape)) for n in chosen}


def boxes_of(shape):
    ranges = [
        [Span(start, stop) for start in range(size) for stop in range(start + 1, size + 1)]
        for size in shape
    ]
    return [Box(spans) for spans in itertools.product(*ranges)]


@settings(max_examples=120, deadline=None, derandomize=True)
@given(given_boxes())
def test_the_largest_computable_box_is_found(case):
    nest, boxes = case
    found = computable_box(nest, boxes)
    inner = Box.of(nest.reduction)

    def suffices(parallel: Box) -> bool:
        at = Box((*parallel.spans, *inner.spans))
        return all(
            loop_nests.is_in(element, box)
            for number, box in boxes.items()
            for element in loop_nests.read_elements(nest, number, at)
        )

    assert not found.elements or suffices(found)
    largest = max((b.elements for b in boxes_of(nest.parallel) if suffices(b)), default=0)
    windows_are_never_empty = all(
        any(True for _ in loop_nests.valid_points(nest, Box((*point.spans, *inner.spans))))
        for point in boxes_of(nest.parallel)
        if point.elements == 1
    )
    if windows_are_never_empty:
        assert found.elements == largest


def rows(height: int, kernel: int, before: int) -> LoopNest:
    y, x, ky = induction_variables(3)
    return LoopNest(
        (height, 8),
        (kernel,),
        (OperandAccess((height, 8), (y + ky - before, x), clamped=True),),
        (OperandAccess((height, 8), (y, x)),),
    )


def test_rows_at_the_border_need_fewer_rows():
    nest = rows(16, 3, 1)
    assert computable_box(nest, {0: Box.of((5, 8))}) == Box.of((4, 8))
    assert computable_box(nest, {0: Box.at((5, 0), (11, 8))}) == Box.at((6, 0), (10, 8))
    assert computable_box(nest, {0: Box.at((5, 2), (4, 3))}) == Box.at((6, 2), (2, 3))
    assert computable_box(nest, {0: Box.of((1, 8))}).elements == 0


def test_a_reduction_that_is_not_there_as_a_whole_allows_nothing():
    n, k = induction_variables(2)
    nest = LoopNest(
        (4,), (8,), (OperandAccess((8,), (k,), clamped=True),), (OperandAccess((4,), (n,)),)
    )
    assert computable_box(nest, {0: Box.of((8,))}) == Box.of((4,))
    assert computable_box(nest, {0: Box.of((7,))}).elements == 0


def test_channels_that_share_an_index_give_their_largest_box():
    # Indices 3 .. 8 of 4 * c + m are the parts (0, 3), (1, 0..3), (2, 0).
    c, m = induction_variables(2)
    nest = LoopNest(
        (8, 4), (), (OperandAccess((32,), (c * 4 + m,)),), (OperandAccess((8, 4), (c, m)),)
    )
    assert computable_box(nest, {0: Box((Span(3, 9),))}) == Box.at((1, 0), (1, 4))
