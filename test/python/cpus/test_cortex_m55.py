"""Blocks and words that the model chooses for Arm's vector extension."""

import math

import pytest
from msgspec import structs

from forebay.cpus import cortex_m4
from forebay.cpus.cortex_m55 import CPU
from forebay.cpus.costs.blocks import cheapest_blocks
from forebay.cpus.costs.weighted_nest import WeightedNest
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


@pytest.mark.parametrize(("depth", "lanes"), [(64, 16), (27, 16), (9, 9)])
def test_words_have_as_many_elements_as_there_are_up_to_sixteen(depth: int, lanes: int) -> None:
    found = cheapest_blocks(pointwise(64, 32, depth), CPU)
    assert (found.word, found.lanes) == (2, lanes)
    assert found.sizes[2] % lanes == 0


def test_a_pixel_without_a_loop_over_its_points_has_at_most_six_words() -> None:
    """MVE has eight vector registers; a word of weights and one of the pixel need two of them."""
    for depth in (64, 96, 128, 256):
        found = cheapest_blocks(pointwise(64, 32, depth), CPU)
        pixels, channels, steps = found.sizes
        words = min(pixels, channels) * steps // found.lanes
        assert steps < depth or words <= 6


def test_larger_bodies_are_for_layers_with_many_results() -> None:
    assert (CPU.products(4095), CPU.products(4096)) == (24, 32)
    assert (cortex_m4.CPU.products(1), cortex_m4.CPU.products(4096)) == (16, 16)
    for pixels, products in ((16, 16), (64, 32)):
        nest = structs.replace(pointwise(pixels, 128, 96), stored=(1,), offsets=(0, 0))
        found = cheapest_blocks(nest, CPU)
        assert math.prod(found.sizes) // found.lanes == products


def test_four_elements_are_a_word_of_the_dsp_extension() -> None:
    found = cheapest_blocks(pointwise(64, 32, 4), CPU)
    four = cheapest_blocks(pointwise(64, 32, 4), cortex_m4.CPU)
    assert (found.word, found.lanes) == (four.word, four.lanes) == (2, 4)
    assert found.sizes[0] * found.sizes[1] <= 8


def test_eight_depthwise_channels_have_their_sums_in_a_vector() -> None:
    found = cheapest_blocks(structs.replace(depthwise(24, 16), stored=(2,), sums=(2,)), CPU)
    assert (found.word, found.lanes, found.stored, found.stored_lanes) == (2, 8, 2, 8)


def test_depthwise_channels_that_are_not_stored_in_vectors_are_computed_one_by_one() -> None:
    found = cheapest_blocks(depthwise(24, 16), CPU)
    assert (found.word, found.stored) == (None, None)


@pytest.mark.parametrize("channels", [3, 4, 6, 12])
def test_a_word_of_four_elements_is_not_along_vectors_of_results(channels: int) -> None:
    nest = depthwise(9, channels).nest
    found = cheapest_blocks(
        WeightedNest(nest, nest.inputs, (1, 0), words=(2,), stored=(2,), sums=(2,)), CPU
    )
    is_vector = found.word is not None and found.word == found.stored
    assert not is_vector or found.lanes == found.stored_lanes == 8
