"""Words that the model chooses for AVX-512 VNNI, by the zero point."""

from dataclasses import replace

import pytest

from forebay.cpus.cascadelake import CPU
from forebay.cpus.costs.blocks import cheapest_blocks
from forebay.cpus.costs.weighted_nest import WeightedNest
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


def test_convolutions_without_padding_add_128() -> None:
    options = Options(cpu="cascadelake")
    assert "accel-fuse-host{offset=128}" in lowering(options)
    for other in (replace(options, cpu="x86-64-v3"), replace(options, optimize="size")):
        assert "offset" not in lowering(other)
