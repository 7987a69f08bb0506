"""The sums of the second factors are known where the loops take the points of these sums."""

from __future__ import annotations

from contextlib import ExitStack

from common.programs.blocked_nests import blocked_op, names_before
from common.reduce_cases import Case
from mlir import ir

from forebay.lowering.blocks.early_sums import EarlySums
from forebay.lowering.blocks.elements import NestElements
from forebay.lowering.blocks.scope import NestScope
from forebay.lowering.kernels import scalar

FILTERS = Case(
    (3, 8),
    (4,),
    ((8, 4), (3, 4)),
    ((((0, 1, 0), 0), ((0, 0, 1), 0)), (((1, 0, 0), 0), ((0, 0, 1), 0))),
    "i8",
    7,
)
"""Three filters over eight pixels, with an offset of the pixels."""


def test_sums_are_known_inside_of_the_loop_over_their_filters() -> None:
    with blocked_op(FILTERS, [1, 2, 1]) as blocked, ExitStack() as loops:
        assert blocked.factor_dims == (0,)
        scope = NestScope(blocked)
        scope.enter_nest()
        early = EarlySums(blocked, scope, NestElements(blocked, scope))
        assert not early.takes_all_points()
        counter = scalar.scalar_constant(1, ir.IndexType.get())
        with scope.parallel_loop(0, counter), early.inside(0):
            assert early.takes_all_points()
            assert names_before(blocked).count("scf.for") == 1
            loops.enter_context(scope.parallel_loop(1, counter))
            assert early.start({}) == early.start({1: 1}), "of all pixels"
        assert not early.takes_all_points()
