"""The loop nest of a layer: what a tile reads, with padding kept apart."""

import pytest

from forebay.api.regions import Box, Padding, input_regions
from forebay.targets.int32_convolution.geometry import LAYER_SCALARS, LayerGeometry

CONV = LayerGeometry(32, 32, 16, 16, 16, 32, 3, 3, 2, 2, 1, 1, 0, 0, 0)
DEPTHWISE = LayerGeometry(8, 8, 24, 8, 8, 24, 3, 3, 1, 1, 1, 1, 1, 1, 1)


@pytest.mark.parametrize("geometry", [CONV, DEPTHWISE])
def test_scalars_are_the_geometry(geometry: LayerGeometry) -> None:
    assert tuple(geometry.scalars()) == LAYER_SCALARS
    assert LayerGeometry.of({**geometry.scalars(), "other": 3}) == geometry


def test_a_tile_of_a_convolution_reads_its_window() -> None:
    tile = Box.at((14, 0, 16, 0, 0, 0), (2, 16, 16, 3, 3, 16))
    image, weights, bias = input_regions(CONV.nest(), tile)
    assert image.window == Box.at((28, 0, 0), (5, 33, 16))
    assert image.inside == Box.at((28, 0, 0), (4, 32, 16))
    assert image.padding == (Padding(0, 1), Padding(0, 1), Padding(0, 0))
    assert weights.box == Box.at((16, 0, 0, 0), (16, 3, 3, 16))
    assert bias.box == Box.at((16,), (16,))
    assert bias.bytes == 64


def test_a_depthwise_tile_reads_its_own_channels() -> None:
    tile = Box.at((0, 0, 16, 0, 0), (4, 8, 8, 3, 3))
    image, weights, _ = input_regions(DEPTHWISE.nest(), tile)
    assert image.window == Box.at((-1, -1, 16), (6, 10, 8))
    assert weights.box == Box.at((16, 0, 0), (8, 3, 3))


@pytest.mark.parametrize(
    ("geometry", "macs"), [(CONV, 16 * 16 * 32 * 9 * 16), (DEPTHWISE, 8 * 8 * 24 * 9)]
)
def test_products_are_counted(geometry: LayerGeometry, macs: int) -> None:
    assert geometry.macs == macs
