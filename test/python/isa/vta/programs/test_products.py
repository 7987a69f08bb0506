"""Products of tiles: convolutions, strided, padded, depthwise, against NumPy."""

from dataclasses import replace

import pytest

from forebay.isa.vta.programs.moves import Border
from forebay.isa.vta.programs.products import TileProduct

from .tiles import BASE, convolution_steps, run

TILES = {
    "one vector": (TileProduct(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1), Border(), 0),
    "fully connected": (TileProduct(1, 1, 3, 5, 1, 1, 1, 1, 1, 5, 5), Border(), 0),
    "1x1": (TileProduct(5, 7, 2, 3, 1, 1, 1, 1, 7, 3, 3), Border(), 0),
    "3x3 with zeros around": (TileProduct(4, 5, 2, 3, 3, 3, 1, 1, 7, 3, 3), Border(1, 1, 1, 1), 0),
    "3x3 with a value around": (
        TileProduct(4, 5, 2, 3, 3, 3, 1, 1, 7, 3, 3),
        Border(1, 1, 1, 1),
        -7,
    ),
    "stride 2, uneven": (TileProduct(3, 4, 1, 2, 3, 2, 2, 3, 11, 2, 2), Border(1, 0, 2, 0), 9),
    "border above only": (TileProduct(3, 4, 1, 2, 3, 1, 1, 1, 4, 2, 2), Border(2, 0, 0, 0), 9),
    "with holes": (TileProduct(2, 3, 2, 1, 3, 2, 1, 1, 9, 1, 1, 2, 3), Border(), 0),
    "depthwise": (
        TileProduct(4, 5, 3, 3, 3, 3, 1, 1, 7, 3, 1, depthwise=True),
        Border(1, 1, 1, 1),
        3,
    ),
}


@pytest.mark.parametrize("name", TILES)
def test_a_tile_has_the_sums_of_a_convolution(name: str) -> None:
    tile, border, fill = TILES[name]
    steps, ram, micro_ops, out, expected = convolution_steps(tile, border, fill, shift=9)
    data = run(steps, ram, micro_ops)
    found = data[out - BASE : out - BASE + expected.size].view("int8").reshape(expected.shape)
    assert (found == expected).all()


def test_more_micro_ops_than_uop_holds_are_loaded_in_parts() -> None:
    tile = TileProduct(2, 2, 3, 5, 4, 5, 1, 1, 6, 5, 5)
    steps, ram, micro_ops, out, expected = convolution_steps(tile, Border(), 0, 9, depth=8)
    # 1,200 products in loops of 25 (kernel columns and input blocks) and 4 (kernel rows): 12
    # micro-ops, in two parts; and one of the ALU
    assert len(micro_ops.words()) == 13
    data = run(steps, ram, micro_ops)
    found = data[out - BASE : out - BASE + expected.size].view("int8").reshape(expected.shape)
    assert (found == expected).all()


def test_an_iteration_is_a_product_of_matrices() -> None:
    tile, _, _ = TILES["stride 2, uneven"]
    assert (tile.products, tile.image, tile.weights, tile.sums) == (144, (6 * 11 + 11) * 2, 12, 12)


def test_a_part_of_the_blocks_is_summed() -> None:
    # The second of three input blocks, and of an image of three: as if the others were zero.
    whole, _, _ = TILES["1x1"]
    part = replace(whole, in_blocks=1)
    assert (part.products, part.image, part.weights) == (5 * 7 * 2, 5 * 7 * 3 - 2, 2 * 3 - 2)
    assert [loop.count for loop in part.loops()] == [5, 7, 1, 1, 1, 2]
