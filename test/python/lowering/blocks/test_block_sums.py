"""One sum for each position of a block, in one loop."""

from __future__ import annotations

from common.programs.blocked_nests import PIXELS, blocked_op
from mlir import ir
from mlir.dialects import arith, memref, scf

from forebay.ir.nested import ops_of
from forebay.lowering.blocks.block_sums import BlockSums
from forebay.lowering.blocks.early_sums import EarlySums
from forebay.lowering.blocks.elements import NestElements
from forebay.lowering.blocks.scope import NestScope
from forebay.lowering.kernels import scalar


def test_a_step_of_a_block_loads_each_element_once() -> None:
    """Two pixels times three filters: five loads and six products."""
    with blocked_op(PIXELS, [2, 3, 1]) as blocked:
        scope = NestScope(blocked)
        scope.enter_nest()
        for dim in range(2):
            scope.enter(dim, scalar.scalar_constant(0, ir.IndexType.get()))
        elements = NestElements(blocked, scope)
        sums = BlockSums(blocked, scope, elements, EarlySums(blocked, scope, elements))
        positions = scope.subdomain.positions()
        found = sums.before_totals(positions, {})
        assert sums.partial_words() is None
        assert sums.totals(positions, found, {}) == found
        (loop,) = (op for op in blocked.op.operation.block.operations if isinstance(op, scf.ForOp))
        assert list(loop.results) == found
        assert [len(ops_of(loop, memref.LoadOp)), len(ops_of(loop, arith.MulIOp))] == [5, 6]
