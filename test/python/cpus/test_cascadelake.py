"""Words and vectors of sums that the model chooses for AVX-512 VNNI, by the zero point."""

from dataclasses import replace

import pytest
from msgspec import structs

from forebay.cpus.cascadelake import CPU
from forebay.cpus.costs.blocks import cheapest_blocks
from forebay.cpus.costs.weighted_nest import WeightedNest, WordDots
from forebay.options import Options
from forebay.pipelines.stages import lowering
from forebay.regions import LoopNest, OperandAccess, induction_variables


@pytest.mark.parametrize(
    ("depth", "zero_point", "lanes"),
    [(64, 128, 32), (27, 128, 27), (40, 128, 32), (16, 128, 16), (64, 3, 16), (64, 0, 16)],
)
def test_only_elements_without_sign_are_multiplied_as_bytes(
    depth: int, zero_point: int, lanes: int
) -> None:
    p, c, k = induction_variables(3)
    source = OperandAccess((49, depth), (p, k), clamped=True)
    weights = OperandAccess((32, depth), (c, k), clamped=True)
    out = OperandAccess((49, 32), (p, c))
    nest = LoopNest((49, 32), (depth,), (source, weights), (out,))
    weighted = WeightedNest(
        nest, nest.inputs, (1, 0), words=(2,), stored=(1,), zero_point=zero_point
    )
    found = cheapest_blocks(weighted, CPU)
    assert (found.word, found.lanes, found.partial_sums) == (2, lanes, 8)
    assert (found.stored, found.stored_lanes) == (1, 8)


def interleaved(
    groups: int, lanes: int, zero_point: int, pixels: int = 49, words: int = 16
) -> WeightedNest:
    """Pixels with words of four elements, for channels with interleaved weights."""
    p, c, own, k, t = induction_variables(5)
    source = OperandAccess((pixels, words * 4), (p, k * 4 + t))
    weights = OperandAccess((groups, words, lanes * 4), (c, k, own * 4 + t))
    out = OperandAccess((pixels, groups * lanes), (p, c * lanes + own))
    nest = LoopNest((pixels, groups, lanes), (words, 4), (source, weights), (out,))
    return WeightedNest(
        nest,
        nest.inputs,
        (int(zero_point != 0), 0),
        words=(4,),
        stored=(2,),
        zero_point=zero_point,
        dots=WordDots(2, lanes, 4),
    )


@pytest.mark.parametrize("lanes", [16, 8])
def test_words_are_added_to_sixteen_sums_or_eight(lanes: int) -> None:
    found = cheapest_blocks(interleaved(2, lanes, 128), CPU)
    assert (found.word, found.lanes, found.dot_length) == (2, lanes, 4)
    assert (found.stored, found.stored_lanes, found.partial_sums) == (2, lanes, 1)
    # 16 vectors of sums: each word and each vector of weights is used several times.
    pixels, groups, *_ = found.sizes
    assert pixels * groups == 16
    assert min(pixels, groups) > 1


def test_all_groups_of_channels_get_the_words_of_one_pixel() -> None:
    found = cheapest_blocks(interleaved(4, 16, 128, pixels=1), CPU)
    assert (found.dot_length, found.sizes[:3]) == (4, (1, 4, 16))


@pytest.mark.parametrize(("cache", "groups"), [(CPU.cache, 2), (2**20, 4)])
def test_a_block_reads_weights_that_stay_in_the_cache(cache: int, groups: int) -> None:
    """The weights of 64 channels with 144 words have 36,864 bytes."""
    cpu = structs.replace(CPU, cache=cache)
    found = cheapest_blocks(interleaved(4, 16, 128, pixels=64, words=144), cpu)
    assert (found.dot_length, found.sizes[:2]) == (4, (16 // groups, groups))


@pytest.mark.parametrize("zero_point", [0, 3, -128])
def test_words_with_sign_are_not_added_to_sums_of_their_own(zero_point: int) -> None:
    found = cheapest_blocks(interleaved(2, 16, zero_point), CPU)
    assert (found.word, found.dot_length) == (4, 1)


def test_other_groups_of_channels_have_no_instruction() -> None:
    for lanes in (4, 32):
        assert cheapest_blocks(interleaved(2, lanes, 128), CPU).dot_length == 1


@pytest.mark.parametrize(
    ("channels", "lanes"), [(8, 8), (12, 8), (16, 16), (24, 8), (32, 16), (40, 8)]
)
def test_channels_with_windows_of_their_own_have_whole_vectors_of_sums(
    channels: int, lanes: int
) -> None:
    y, x, c, ky, kx = induction_variables(5)
    source = OperandAccess((8, 8, channels), (y + ky, x + kx, c))
    weights = OperandAccess((3, 3, channels), (ky, kx, c))
    out = OperandAccess((6, 6, channels), (y, x, c))
    nest = LoopNest((6, 6, channels), (3, 3), (source, weights), (out,))
    weighted = WeightedNest(
        nest, nest.inputs, (1, 0), words=(2,), stored=(2,), sums=(2,), zero_point=128
    )
    found = cheapest_blocks(weighted, CPU)
    assert (found.word, found.lanes, found.dot_length) == (2, lanes, 1)
    assert (found.stored, found.stored_lanes) == (2, lanes)


def test_convolutions_without_padding_add_128() -> None:
    options = Options(cpu="cascadelake")
    assert "accel-fuse-host{offset=128}" in lowering(options)
    for other in (replace(options, cpu="x86-64-v3"), replace(options, optimize="size")):
        assert "offset" not in lowering(other)
