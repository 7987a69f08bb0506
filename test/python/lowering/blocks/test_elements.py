"""Each element of a block is loaded once."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from common.programs.blocked_nests import PIXELS, blocked_op, names_before
from mlir import ir
from mlir.dialects import memref

from forebay.lowering.blocks.blocked_op import BlockedOp
from forebay.lowering.blocks.elements import LoadedValues, NestElements
from forebay.lowering.blocks.scope import NestScope
from forebay.lowering.kernels import scalar


@contextmanager
def elements_of_block() -> Generator[tuple[BlockedOp, NestElements]]:
    """Yield the elements where all counters are 0."""
    with blocked_op(PIXELS, [2, 3, 1]) as blocked:
        scope = NestScope(blocked)
        scope.enter_nest()
        for dim in range(3):
            scope.enter(dim, scalar.scalar_constant(0, ir.IndexType.get()))
        yield blocked, NestElements(blocked, scope)


def test_positions_that_share_an_element_load_it_once() -> None:
    """Element `x + k` of the source is the same for all filters."""
    with elements_of_block() as (blocked, elements):
        loaded, source = LoadedValues(), blocked.ins[0]
        one = elements.load(source, {0: 1}, loaded)
        assert elements.load(source, {0: 1, 1: 2}, loaded) == one
        assert elements.load(source, {0: 0}, loaded) != one
        assert names_before(blocked).count("memref.load") == 2


def test_an_element_that_is_loaded_in_two_ways_has_two_values() -> None:
    with elements_of_block() as (blocked, elements):
        loaded, source = LoadedValues(), blocked.ins[0]
        element = elements.load(source, {}, loaded)
        again = elements.load_by(source, {}, loaded, "again", memref.load)
        assert again != element
        assert elements.load(source, {}, loaded) == element


def test_the_index_of_a_position_is_that_of_the_block_and_a_distance() -> None:
    with elements_of_block() as (blocked, elements):
        assert elements.memory(blocked.factors, {}) == blocked.factors.value
        first, second = (elements.index(blocked.factors, at) for at in ({}, {1: 2}))
        assert first[1] == second[1]
        row: Any = second[0].owner
        assert row.opview.lhs == first[0]
        assert row.opview.rhs.owner.opview.literal_value == 2
