"""Blocks and words that the model chooses for Arm's DSP extension."""

from forebay.cpus.cortex_m4 import CPU
from forebay.cpus.costs.blocks import cheapest_blocks
from forebay.cpus.costs.steps import addresses
from forebay.cpus.costs.weighted_nest import Candidate, WeightedNest
from forebay.regions import LoopNest, OperandAccess, induction_variables


def pointwise(pixels: int, channels: int, depth: int) -> WeightedNest:
    p, c, k = induction_variables(3)
    source = OperandAccess((pixels, depth), (p, k), clamped=True)
    weights = OperandAccess((channels, depth), (c, k), clamped=True)
    out = OperandAccess((pixels, channels), (p, c))
    nest = LoopNest((pixels, channels), (depth,), (source, weights), (out,))
    return WeightedNest(nest, nest.inputs, (0, 0), words=(2,))


def depthwise(width: int, channels: int) -> WeightedNest:
    y, x, c, ky, kx = induction_variables(5)
    source = OperandAccess((width, width, channels), (y + ky - 1, x + kx - 1, c), clamped=True)
    weights = OperandAccess((3, 3, channels), (ky, kx, c), clamped=True)
    out = OperandAccess((width, width, channels), (y, x, c))
    nest = LoopNest((width, width, channels), (3, 3), (source, weights), (out,))
    return WeightedNest(nest, nest.inputs, (1, 0), words=(2,))


def test_words_along_the_depth_have_blocks_of_two_pixels_and_two_channels() -> None:
    found = cheapest_blocks(pointwise(64, 32, 64), CPU)
    assert found.word == 2
    assert found.sizes[:2] == (2, 2)
    assert found.sizes[2] % 4 == 0


def test_words_need_not_divide_the_depth() -> None:
    assert cheapest_blocks(pointwise(64, 32, 27), CPU).word == 2


def test_depthwise_channels_are_lanes() -> None:
    found = cheapest_blocks(depthwise(24, 16), CPU)
    assert found.word == 2
    assert found.sizes[2] % 4 == 0


def floats(pixels: int, channels: int, depth: int) -> WeightedNest:
    nest = pointwise(pixels, channels, depth).nest
    return WeightedNest(nest, nest.inputs, (0, 0), is_float=True)


def test_floats_have_16_sums_in_registers_of_their_own() -> None:
    found = cheapest_blocks(floats(64, 32, 64), CPU)
    assert found.word is None
    assert found.sizes[0] * found.sizes[1] == 16


def test_rows_of_weights_that_an_offset_does_not_reach_need_addresses() -> None:
    near, far = (
        addresses(floats(64, 32, depth), Candidate({1: 4}), {1: 4}, CPU) for depth in (64, 300)
    )
    assert (near, far) == (2, 5)
