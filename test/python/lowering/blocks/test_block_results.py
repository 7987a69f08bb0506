"""The results of all positions of a block are stored."""

from __future__ import annotations

from common.programs.blocked_nests import PIXELS, blocked_op, names_before
from mlir import ir

from forebay.lowering.blocks.block_results import BlockResults
from forebay.lowering.blocks.early_sums import EarlySums
from forebay.lowering.blocks.elements import NestElements
from forebay.lowering.blocks.scope import NestScope
from forebay.lowering.kernels import scalar


def stores_of(pixels: int, filters: int) -> int:
    with blocked_op(PIXELS, [pixels, filters, 5]) as blocked:
        scope = NestScope(blocked)
        scope.enter_nest()
        for dim in range(2):
            scope.enter(dim, scalar.scalar_constant(0, ir.IndexType.get()))
        elements = NestElements(blocked, scope)
        BlockResults(blocked, scope, elements, EarlySums(blocked, scope, elements)).emit()
        return names_before(blocked).count("memref.store")


def test_a_block_stores_each_of_its_results() -> None:
    assert [stores_of(1, 1), stores_of(2, 3), stores_of(4, 1)] == [1, 6, 4]
