"""Blocks that the model chooses for known kernels."""

import math

import pytest
from msgspec import structs

from forebay.cpus.cortex_a76 import CPU as A76
from forebay.cpus.cortex_m4 import CPU as M4
from forebay.cpus.cortex_m55 import CPU as M55
from forebay.cpus.costs.blocks import cheapest_blocks, cost_of_blocks, share_of_borders
from forebay.cpus.costs.weighted_nest import WeightedNest
from forebay.cpus.cpu import Cpu
from forebay.cpus.generic import CPU
from forebay.cpus.x86_64_v3 import CPU as AVX2
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


def test_a_matrix_and_a_vector_have_long_bodies() -> None:
    """Each weight is used once; in a product of matrices it is not, and bodies stay short."""
    assert cheapest_blocks(pointwise(1, 128, 640), CPU).sizes == (1, 8, 16)
    assert cheapest_blocks(pointwise(1, 128, 72), CPU).sizes[2] < 16
    assert math.prod(cheapest_blocks(pointwise(64, 32, 64), CPU).sizes) <= CPU.max_products
    assert math.prod(cheapest_blocks(pointwise(1, 128, 640), M4).sizes) <= 4 * M4.max_products


def test_calls_repay_the_code_of_a_function_that_operators_share() -> None:
    once = pointwise(1, 128, 128)
    called = structs.replace(once, runs=6)
    sizes = [cheapest_blocks(own, CPU).sizes for own in (once, called)]
    assert math.prod(sizes[1]) > math.prod(sizes[0])


def test_products_of_matrices_are_blocks_of_two_pixels_and_four_channels() -> None:
    blocks = cheapest_blocks(pointwise(64, 32, 64), CPU).sizes
    assert blocks[:2] == (2, 4)


def test_a_single_pixel_has_blocks_of_channels_only() -> None:
    pixel, channels, _ = cheapest_blocks(pointwise(1, 128, 640), CPU).sizes
    assert pixel == 1
    assert channels > 1


def test_a_pixel_that_is_left_over_has_blocks_of_channels() -> None:
    """Five pixels: two blocks of two, and one pixel whose channels are in longer blocks."""
    found = cheapest_blocks(pointwise(5, 64, 64), structs.replace(CPU, code=0))
    assert found.sizes[:2] == (2, 4)
    assert found.peeled == (0,)


def test_windows_of_neighbours_share_their_columns() -> None:
    found = cheapest_blocks(depthwise(24, 16), CPU)
    _, x, c, ky, kx = found.sizes
    assert (c, ky) == (1, 1)
    assert x > 1
    assert kx == 3
    assert not found.peeled or found.peeled == (1,)


def test_borders_that_are_a_large_part_have_code_of_their_own() -> None:
    """Two of five columns are at borders, and two of 48."""
    assert cheapest_blocks(depthwise(5, 64), CPU).peeled == (1,)
    assert cheapest_blocks(depthwise(48, 64), CPU).peeled == ()
    without = structs.replace(CPU, peeled=0)
    assert cheapest_blocks(depthwise(5, 64), without).peeled == ()


def test_code_has_a_price() -> None:
    """Of a layer with few results, executed instructions do not repay a large body."""
    free, dear = structs.replace(CPU, code=0), structs.replace(CPU, code=1000)
    layer = pointwise(2, 16, 64)
    assert math.prod(cheapest_blocks(layer, free).sizes) > math.prod(
        cheapest_blocks(layer, dear).sizes
    )


def test_borders_are_counted_in_positions_where_columns_and_channels_are_one_run() -> None:
    """Windows of 3 columns of 16 channels: 14 of 16 columns are inside, and go in pairs."""
    c, x, k = induction_variables(3)
    source = OperandAccess((16 * 16,), (x * 16 + k - 16,), clamped=True)
    weights = OperandAccess((16, 48), (c, k), clamped=True)
    out = OperandAccess((16, 16), (x, c))
    nest = LoopNest((16, 16), (48,), (source, weights), (out,))
    assert share_of_borders(nest, 2) == 2 / 16
    found = cheapest_blocks(WeightedNest(nest, nest.inputs, (1, 0), words=(2,)), M4)
    assert found.sizes[1] == 2


def windows(extent: int) -> WeightedNest:
    """3x3 windows of 16 channels, by channel, row and column; columns and channels are one run."""
    c, y, x, ky, k = induction_variables(5)
    index = (y + ky - 1, x * 16 + k - 16)
    source = OperandAccess((extent, extent * 16), index, clamped=True)
    weights = OperandAccess((16, 3, 48), (c, ky, k), clamped=True)
    out = OperandAccess((extent, extent, 16), (y, x, c))
    nest = LoopNest((16, extent, extent), (3, 48), (source, weights), (out,))
    return WeightedNest(nest, nest.inputs, (0, 0), words=(4,), hoists=True)


@pytest.mark.parametrize("extent", [4, 8, 32, 64])
def test_columns_have_words_in_common_also_where_borders_are_a_large_part(extent: int) -> None:
    """Borders of columns have loops of their own, which leave out words outside."""
    rows, columns = cheapest_blocks(windows(extent), M55).sizes[1:3]
    assert columns > rows == 1


def first_convolution(depth: int, *, is_interleaved: bool) -> WeightedNest:
    """Windows of 3x3 of an image, with 16 channels of results, also as 2 x 8 neighbours."""
    if is_interleaved:
        y, x, c, lane, ky, kx = induction_variables(6)
        weights = OperandAccess((2, 3, 3 * depth, 8), (c, ky, kx, lane), clamped=True)
        channel, channels = c * 8 + lane, (2, 8)
    else:
        y, x, channel, ky, kx = induction_variables(5)
        weights = OperandAccess((16, 3, 3 * depth), (channel, ky, kx), clamped=True)
        channels = (16,)
    run = 40 * depth
    source = OperandAccess((40, run), (y + ky - 1, x * depth + kx - depth), clamped=True)
    out = OperandAccess((40, 40, 16), (y, x, channel))
    nest = LoopNest((40, 40, *channels), (3, 3 * depth), (source, weights), (out,))
    last, own = (5, (3,)) if is_interleaved else (4, (2,))
    sums = own if is_interleaved else ()
    return WeightedNest(
        nest, nest.inputs, (1, 0), words=() if sums else (last,), stored=own, sums=sums
    )


@pytest.mark.parametrize("cpu", [M55, A76, AVX2], ids=lambda cpu: cpu.name)
@pytest.mark.parametrize(("depth", "pays"), [(1, True), (32, False)])
def test_vectors_of_channels_pay_where_few_points_are_neighbours(
    cpu: Cpu, depth: int, pays: bool
) -> None:
    plain, interleaved = (
        cost_of_blocks(first_convolution(depth, is_interleaved=own), cpu).priced
        for own in (False, True)
    )
    assert (interleaved < plain) is pays


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
