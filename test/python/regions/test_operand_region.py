"""Claims about regions of operands, judged by enumeration of every point."""

from __future__ import annotations

import pytest

pytest.importorskip("hypothesis")

from common.programs import loop_nests
from hypothesis import given, settings

from forebay.regions import (
    Box,
    LoopNest,
    OperandAccess,
    Padding,
    Span,
    induction_variables,
    input_boxes,
    input_regions,
    inputs_of,
    output_boxes,
    output_regions,
)

claim = settings(max_examples=150, deadline=None, derandomize=True)


@claim
@given(loop_nests.nests_with_boxes())
def test_boxes_alone_are_those_of_the_regions(case):
    nest, at = case
    assert input_boxes(nest, at) == tuple(region.box for region in input_regions(nest, at))
    assert output_boxes(nest, at) == tuple(region.box for region in output_regions(nest, at))


@claim
@given(loop_nests.nests_with_boxes())
def test_the_box_is_the_hull_of_the_elements_that_are_read(case):
    nest, at = case
    for number, region in enumerate(input_regions(nest, at)):
        read = loop_nests.read_elements(nest, number, at)
        assert region.box == loop_nests.hull(read, len(region.access.shape))
        assert region.elements == len(read)
        assert region.is_tight == (len(read) == loop_nests.volume(region.box))


@claim
@given(loop_nests.nests_with_boxes())
def test_the_window_is_the_hull_of_all_indices_and_padding_is_what_is_outside(case):
    nest, at = case
    for region in (*input_regions(nest, at), *output_regions(nest, at)):
        access = region.access
        indices = {loop_nests.element(access, point) for point in at.points()}
        assert region.window == loop_nests.hull(indices, len(access.shape))
        for span, size, padding in zip(
            region.window.spans, access.shape, region.padding, strict=True
        ):
            window = range(span.start, span.stop)
            assert padding.before == sum(1 for i in window if i < 0)
            assert padding.after == sum(1 for i in window if i >= size)
        assert set(region.inside.points()) == {
            i for i in region.window.points() if loop_nests.is_in(i, Box.of(access.shape))
        }


@claim
@given(loop_nests.nests_with_results())
def test_the_needs_of_a_box_of_the_result_are_exact(case):
    nest, result = case
    whole = Box.of((*nest.parallel, *nest.reduction))
    computing = [
        point
        for point in whole.points()
        if loop_nests.is_in(loop_nests.element(nest.outputs[0], point), result)
    ]
    valid = set(loop_nests.valid_points(nest, whole))
    for region in inputs_of(nest, result):
        points = [p for p in computing if not region.access.clamped or p in valid]
        read = {loop_nests.element(region.access, point) for point in points}
        assert region.box == loop_nests.hull(read, len(region.access.shape))
        assert region.elements == len(read)


def convolution(height: int, kernel: int, stride: int, before: int, dilation: int = 1) -> LoopNest:
    """The rows of a convolution that covers the image."""
    y, ky = induction_variables(2)
    rows = -(-height // stride)
    return LoopNest(
        (rows,),
        (kernel,),
        (
            OperandAccess((height,), (y * stride + ky * dilation - before,), clamped=True),
            OperandAccess((kernel,), (ky,), clamped=True),
        ),
        (OperandAccess((rows,), (y,)),),
    )


def test_the_first_rows_of_a_convolution_have_padding_before():
    source, weights = input_regions(convolution(32, 3, 2, 1), Box.at((0, 0), (4, 3)))
    assert source.window == Box((Span(-1, 8),))
    assert source.box == source.inside == Box((Span(0, 8),))
    assert source.padding == (Padding(1, 0),)
    assert source.is_tight
    assert weights.box == Box.of((3,))


def test_one_row_at_the_border_needs_a_part_of_the_kernel_only():
    source, weights = input_regions(convolution(32, 3, 1, 1), Box.at((0, 0), (1, 3)))
    assert source.box == Box((Span(0, 2),))
    assert weights.box == Box((Span(1, 3),))
    assert weights.window == Box((Span(0, 3),))


def test_a_stride_larger_than_the_kernel_leaves_holes():
    source, _ = input_regions(convolution(32, 1, 2, 0), Box.at((3, 0), (4, 1)))
    assert source.box == Box((Span(6, 13),))
    assert source.elements == 4
    assert not source.is_tight


def test_dilation_leaves_holes_where_rows_do_not_fill_them():
    one, _ = input_regions(convolution(32, 3, 1, 2, dilation=2), Box.at((8, 0), (1, 3)))
    two, _ = input_regions(convolution(32, 3, 1, 2, dilation=2), Box.at((8, 0), (2, 3)))
    assert (one.box, one.elements) == (Box((Span(6, 11),)), 3)
    assert (two.box, two.elements) == (Box((Span(6, 12),)), 6)


def test_a_dilated_window_at_the_border_begins_at_its_first_row_inside():
    # Rows -1, 1, 3: row 0 is in the window, but is not read.
    source, _ = input_regions(convolution(32, 3, 1, 1, dilation=2), Box.at((0, 0), (1, 3)))
    assert source.window == Box((Span(-1, 4),))
    assert source.inside == Box((Span(0, 4),))
    assert source.box == Box((Span(1, 4),))


def test_a_transposed_convolution_needs_the_rows_that_its_weights_reach():
    # out[y] += source[i] * weights[y - 2 * i + 1]: rows 8 and 9 are reached by i = 4 and 5.
    y, i = induction_variables(2)
    nest = LoopNest(
        (32,),
        (16,),
        (
            OperandAccess((16,), (i,), clamped=True),
            OperandAccess((3,), (y - i * 2 + 1,), clamped=True),
        ),
        (OperandAccess((32,), (y,)),),
    )
    source, weights = input_regions(nest, Box.at((8, 0), (2, 16)))
    assert source.box == Box((Span(4, 6),))
    assert weights.box == Box.of((3,))


def test_nearest_neighbours_of_a_resized_row_repeat():
    # floor((3 * y + 1) / 4) of y = 4 .. 11 is 3 .. 8.
    (y,) = induction_variables(1)
    nest = LoopNest(
        (16,), (), (OperandAccess((12,), ((y * 3 + 1) // 4,)),), (OperandAccess((16,), (y,)),)
    )
    (source,) = input_regions(nest, Box.at((4,), (8,)))
    assert source.box == Box((Span(3, 9),))
    assert source.is_tight


def test_a_large_domain_is_answered_without_its_enumeration():
    y, x, c, ky, kx, k = induction_variables(6)
    nest = LoopNest(
        (1 << 20, 1 << 20, 4096),
        (7, 7, 4096),
        (
            OperandAccess(
                (1 << 20, 1 << 20, 4096), (y + ky - 3, x + kx - 3, k), bits=8, clamped=True
            ),
            OperandAccess((4096, 7, 7, 4096), (c, ky, kx, k), clamped=True),
        ),
        (OperandAccess((1 << 20, 1 << 20, 4096), (y, x, c)),),
    )
    source, weights = input_regions(nest)
    assert source.elements == 1 << 52
    assert source.padding == (Padding(3, 3), Padding(3, 3), Padding(0, 0))
    assert weights.is_tight


def test_elements_of_a_diagonal_are_not_tight():
    (i,) = induction_variables(1)
    nest = LoopNest((5,), (), (OperandAccess((5, 5), (i, i)),), (OperandAccess((5,), (i,)),))
    (region,) = input_regions(nest)
    assert (region.box, region.elements) == (Box.of((5, 5)), 5)


def test_the_example_of_the_documentation():
    y, x, c, ky, kx, k = induction_variables(6)
    conv = LoopNest(
        (16, 16, 8),
        (3, 3, 4),
        (
            OperandAccess((32, 32, 4), (y * 2 + ky - 1, x * 2 + kx - 1, k), clamped=True),
            OperandAccess((8, 3, 3, 4), (c, ky, kx, k), clamped=True),
        ),
        (OperandAccess((16, 16, 8), (y, x, c)),),
    )
    source, _ = input_regions(conv, conv.domain_box(Box.at((0, 0, 0), (4, 16, 8))))
    assert source.window.spans[0] == Span(-1, 8)
    assert source.box == Box.of((8, 32, 4))
    assert source.padding == (Padding(1, 0), Padding(1, 0), Padding(0, 0))
    assert (source.bytes, source.window_bytes) == (8 * 32 * 4, 9 * 33 * 4)
