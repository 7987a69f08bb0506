"""Tiles fit into what is free, and the loop order is the one that moves fewer bytes."""

from __future__ import annotations

import itertools

import pytest
from msgspec import structs

from forebay.regions import Box, OperandRegion, Span
from forebay.targets.fetch_conv.geometry import Geometry
from forebay.targets.fetch_conv.tiling import FreeMemory, Tiling, tile_bytes, tiling_of

# 32 channels to 64 of 20x30 with a kernel of 3x3 and a border of 1; a block of weights is 9,408.
LAYER = Geometry(
    x_blocks=2,
    x_size=(20, 30),
    y_blocks=4,
    y_size=(20, 30),
    kernel=(3, 3),
    stride=(1, 1),
    before=(1, 1),
    depthwise=False,
    weight_bytes=16 * 32 * 9 + 192,
)
IMAGE, WEIGHTS = 2 * 20 * 30 * 16, 4 * LAYER.weight_bytes
DEPTHWISE = structs.replace(LAYER, x_blocks=4, depthwise=True, weight_bytes=16 * 9 + 192)
POINTWISE = structs.replace(LAYER, kernel=(1, 1), before=(0, 0), weight_bytes=16 * 32 + 192)


def chosen(layer: Geometry, free: FreeMemory) -> Tiling:
    tiling = tiling_of(layer, free)
    assert tiling is not None
    return tiling


def described(region: OperandRegion) -> tuple[int, int, int, int]:
    """Border before, first position, positions and border behind of a window in one direction."""
    ((padding,), (inside,)) = region.padding, region.inside.spans
    return padding.before, inside.start, inside.size, padding.after


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (Span(0, 20), (1, 0, 20, 1)),
        (Span(0, 5), (1, 0, 6, 0)),  # a row of border, five of its own, one of halo
        (Span(5, 10), (0, 4, 7, 0)),
        (Span(15, 20), (0, 14, 6, 1)),
    ],
)
def test_windows_of_strips_overlap_by_the_halo(
    rows: Span, expected: tuple[int, int, int, int]
) -> None:
    found, across = LAYER.windows(Box((rows, Span(0, 30))))
    assert (described(found), described(across)) == (expected, (1, 0, 30, 1))


def test_windows_that_see_nothing_of_the_image_are_all_border() -> None:
    layer = structs.replace(LAYER, before=(4, 0), y_size=(28, 28))
    above, _ = layer.windows(Box.at((0, 0), (1, 28)))
    below, _ = layer.windows(Box.at((27, 0), (1, 28)))
    assert (described(above), described(below)) == ((3, 0, 0, 0), (0, 0, 0, 3))


def test_what_fits_is_one_tile_and_everything_is_read_once() -> None:
    assert chosen(LAYER, FreeMemory()) == Tiling(4, 20, 30, False, IMAGE + WEIGHTS, 1)


ROOMS = [
    FreeMemory(act, wei, x_inside=x, y_inside=y)
    for act, wei, x, y in itertools.product(
        (60_000, 20_000, 4_000, 700), (40_000, 15_000), (False, True), (False, True)
    )
]


@pytest.mark.parametrize("layer", [LAYER, DEPTHWISE, POINTWISE])
@pytest.mark.parametrize("free", ROOMS)
def test_every_tile_fits(layer: Geometry, free: FreeMemory) -> None:
    tiling = chosen(layer, free)
    taken = tile_bytes(layer, free, tiling.blocks, tiling.rows, tiling.columns)
    assert taken <= free.act_mem
    assert tiling.blocks * layer.weight_bytes <= free.wei_mem


def test_where_weights_are_more_the_image_is_fetched_again() -> None:
    """Two ranges and two strips: fetched twice, rather than the weights of 19 kB loaded twice."""
    small = structs.replace(LAYER, x_size=(10, 6), y_size=(10, 6))
    tiling = chosen(small, FreeMemory(act_mem=3_000, wei_mem=10_000))
    assert tiling.weights_outer
    # Strips of 5 rows: 6 rows of the image each, of which one is halo.
    assert (tiling.blocks, tiling.rows) == (2, 5)
    assert tiling.moved == 2 * (2 * 2 * 6 * 6 * 16) + WEIGHTS


def test_where_the_image_is_more_the_weights_are_streamed_again() -> None:
    """Two strips: 2,816 bytes of weights are loaded twice, rather than the image fetched twice."""
    tiling = chosen(POINTWISE, FreeMemory(act_mem=20_000, wei_mem=1_500))
    assert not tiling.weights_outer
    assert (tiling.blocks, tiling.rows) == (2, 10)
    assert tiling.moved == IMAGE + 2 * 4 * POINTWISE.weight_bytes


def test_depthwise_layers_are_cut_by_blocks_where_that_saves_the_halo() -> None:
    free = FreeMemory(act_mem=2 * 22 * 32 * 16 + 2 * 20 * 30 * 16)
    tiling = chosen(DEPTHWISE, free)
    assert (tiling.blocks, tiling.rows) == (2, 20)
    assert tiling.moved == 4 * 20 * 30 * 16 + 4 * DEPTHWISE.weight_bytes


def test_a_row_that_does_not_fit_is_cut_into_columns() -> None:
    row = 2 * 3 * 32 * 16
    tiling = chosen(LAYER, FreeMemory(act_mem=row))
    assert tiling.rows == 1
    assert tiling.columns < 30


def test_less_than_a_column_of_16_channels_is_nothing() -> None:
    least = 2 * 3 * 3 * 16 + 16
    assert tiling_of(LAYER, FreeMemory(act_mem=least - 1)) is None
    assert chosen(LAYER, FreeMemory(act_mem=least)).columns == 1


def test_several_rows_of_a_result_that_stays_are_computed_block_by_block() -> None:
    """The engine writes one run of bytes: rows of two blocks are two runs."""
    free = FreeMemory(act_mem=2 * 12 * 32 * 16, y_inside=True)
    tiling = chosen(LAYER, free)
    assert (tiling.rows, tiling.calls) == (10, 2 * 4)
