"""Blocks and words that the model chooses for AVX2, and the bits of a network with them."""

import pytest

from forebay.cpus.costs.blocks import cheapest_blocks
from forebay.cpus.costs.weighted_nest import WeightedNest
from forebay.cpus.x86_64_v3 import CPU
from forebay.regions import LoopNest, OperandAccess, induction_variables


def pointwise(pixels: int, channels: int, depth: int) -> WeightedNest:
    p, c, k = induction_variables(3)
    source = OperandAccess((pixels, depth), (p, k), clamped=True)
    weights = OperandAccess((channels, depth), (c, k), clamped=True)
    out = OperandAccess((pixels, channels), (p, c))
    nest = LoopNest((pixels, channels), (depth,), (source, weights), (out,))
    return WeightedNest(nest, nest.inputs, (1, 0), words=(2,), stored=(1,))


def depthwise(width: int, channels: int) -> WeightedNest:
    y, x, c, ky, kx = induction_variables(5)
    source = OperandAccess((width, width, channels), (y + ky - 1, x + kx - 1, c), clamped=True)
    weights = OperandAccess((3, 3, channels), (ky, kx, c), clamped=True)
    out = OperandAccess((width, width, channels), (y, x, c))
    nest = LoopNest((width, width, channels), (3, 3), (source, weights), (out,))
    return WeightedNest(nest, nest.inputs, (1, 0), words=(2,), stored=(2,), sums=(2,))


@pytest.mark.parametrize(("depth", "lanes"), [(64, 16), (27, 16), (9, 9), (4, 4)])
def test_eight_channels_are_requantised_at_once(depth: int, lanes: int) -> None:
    found = cheapest_blocks(pointwise(64, 32, depth), CPU)
    assert (found.word, found.lanes, found.partial_sums) == (2, lanes, 8)
    assert (found.stored, found.stored_lanes, found.sizes[1]) == (1, 8, 8)


def test_the_channels_of_a_depthwise_convolution_are_lanes() -> None:
    found = cheapest_blocks(depthwise(24, 16), CPU)
    assert (found.word, found.lanes, found.partial_sums) == (2, 8, 1)
    assert (found.stored, found.stored_lanes) == (2, 8)


def pixels_by_channels(lanes: int) -> WeightedNest:
    """A product of 64 pixels with 4 vectors of interleaved channels."""
    p, c, lane, k = induction_variables(4)
    source = OperandAccess((64, 96), (p, k))
    weights = OperandAccess((4, 96, lanes), (c, k, lane))
    out = OperandAccess((64, 4, lanes), (p, c, lane))
    nest = LoopNest((64, 4, lanes), (96,), (source, weights), (out,))
    return WeightedNest(nest, nest.inputs, (0, 0), stored=(2,), sums=(2,), is_float=True)


def test_vectors_of_eight_floats_fit_sixteen_registers() -> None:
    found = cheapest_blocks(pixels_by_channels(8), CPU)
    assert (found.word, found.lanes, found.stored_lanes) == (2, 8, 8)
    assert 4 < found.sizes[0] * found.sizes[1] <= 10


def test_other_numbers_of_floats_are_no_vector() -> None:
    found = cheapest_blocks(pixels_by_channels(6), CPU)
    assert (found.word, found.stored) == (None, None)
