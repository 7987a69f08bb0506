"""Blocks that the model chooses for known kernels."""

from msgspec import structs

from forebay.cpus.blocks import WeightedNest, cheapest_blocks
from forebay.cpus.cpu import Cpu
from forebay.cpus.generic import CPU
from forebay.regions import LoopNest, OperandAccess, induction_variables


def pointwise(pixels: int, channels: int, depth: int) -> WeightedNest:
    p, c, k = induction_variables(3)
    source = OperandAccess((pixels, depth), (p, k), clamped=True)
    weights = OperandAccess((channels, depth), (c, k), clamped=True)
    out = OperandAccess((pixels, channels), (p, c))
    nest = LoopNest((pixels, channels), (depth,), (source, weights), (out,))
    return WeightedNest(nest, nest.inputs, (0, 0))


def depthwise(width: int, channels: int) -> WeightedNest:
    y, x, c, ky, kx = induction_variables(5)
    source = OperandAccess((width, width, channels), (y + ky - 1, x + kx - 1, c), clamped=True)
    weights = OperandAccess((3, 3, channels), (ky, kx, c), clamped=True)
    out = OperandAccess((width, width, channels), (y, x, c))
    nest = LoopNest((width, width, channels), (3, 3), (source, weights), (out,))
    return WeightedNest(nest, nest.inputs, (1, 0))


def test_products_of_matrices_are_blocks_of_two_pixels_and_four_channels() -> None:
    blocks = cheapest_blocks(pointwise(64, 32, 64), CPU).sizes
    assert blocks[:2] == (2, 4)


def test_a_single_pixel_has_blocks_of_channels_only() -> None:
    pixel, channels, _ = cheapest_blocks(pointwise(1, 128, 640), CPU).sizes
    assert pixel == 1
    assert channels > 1


def test_a_pixel_that_is_left_over_has_blocks_of_channels() -> None:
    """Five pixels: two blocks of two, and one pixel whose channels are still in blocks."""
    assert cheapest_blocks(pointwise(5, 64, 64), CPU).sizes[:2] == (2, 4)


def test_windows_of_neighbours_share_their_columns() -> None:
    y, x, c, ky, kx = cheapest_blocks(depthwise(24, 16), CPU).sizes
    assert (y, c, ky) == (1, 1, 1)
    assert x > 1
    assert kx == 3


def test_few_registers_mean_small_blocks() -> None:
    few = cheapest_blocks(pointwise(64, 32, 64), Cpu(name="few", registers=7)).sizes
    many = cheapest_blocks(pointwise(64, 32, 64), Cpu(name="many", registers=40)).sizes
    assert few[0] * few[1] < many[0] * many[1]


def test_a_block_is_never_larger_than_its_dimension() -> None:
    for pixels, channels, depth in ((1, 1, 1), (1, 3, 5), (3, 1, 2)):
        blocks = cheapest_blocks(pointwise(pixels, channels, depth), CPU).sizes
        extents = (pixels, channels, depth)
        assert all(block <= extent for block, extent in zip(blocks, extents, strict=True))
        assert depth % blocks[2] == 0


def test_a_processor_without_vectors_has_no_words() -> None:
    weighted = structs.replace(pointwise(64, 32, 64), words=(2,))
    assert cheapest_blocks(weighted, CPU).word is None
