"""What is known inside of a loop is forgotten behind it."""

from __future__ import annotations

import pytest
from common.programs.blocked_nests import PIXELS, blocked_op
from mlir import ir

from forebay.ir.memory.linear import Linear
from forebay.lowering.blocks.blocked_op import BlockedOp
from forebay.lowering.blocks.scope import NestScope
from forebay.lowering.kernels import scalar

POSITION = Linear({0: 1})


def scope_of(blocked: BlockedOp) -> NestScope:
    scope = NestScope(blocked)
    scope.enter_nest()
    return scope


def test_the_counter_of_a_loop_is_known_inside_of_it() -> None:
    with blocked_op(PIXELS, [2, 3, 1]) as blocked:
        scope = scope_of(blocked)
        counter = scalar.scalar_constant(3, ir.IndexType.get())
        with scope.parallel_loop(0, counter):
            assert scope.counters.value(POSITION) == counter
        with pytest.raises(KeyError):
            scope.counters.value(POSITION)


def test_a_subdomain_narrows_positions_and_limits() -> None:
    with blocked_op(PIXELS, [2, 3, 1]) as blocked:
        scope = scope_of(blocked)
        limits = scope.limits
        with scope.narrowed(scope.subdomain.one_by_one(0)):
            assert scope.subdomain.blocks == (1, 3, 1)
            assert scope.limits is not limits
        assert scope.subdomain.blocks == (2, 3, 1)
        assert scope.limits is limits


def test_a_reduction_may_read_some_of_the_operands() -> None:
    with blocked_op(PIXELS, [2, 3, 1]) as blocked:
        scope = scope_of(blocked)
        with scope.reading([blocked.factors]):
            assert scope.ins == [blocked.factors]
        assert scope.ins == blocked.ins
