"""What the lowering reads from an op with blocks."""

from __future__ import annotations

from common.programs.blocked_nests import PIXELS, blocked_op
from common.reduce_cases import Case

from forebay.ir.memory.linear import Linear
from forebay.lowering.blocks.blocked_op import takes_blocks


def test_operands_and_dimensions_are_those_of_the_op() -> None:
    with blocked_op(PIXELS, [2, 3, 1]) as blocked:
        assert (blocked.parallel, blocked.dims, blocked.innermost) == (2, 3, 2)
        assert [len(blocked.ins), len(blocked.params), blocked.sums] == [2, 0, 1]
        assert [access.number for access in blocked.accesses] == [0, 1, 2]
        assert blocked.domain.blocks == (2, 3, 1)
        assert blocked.counts_points


def test_positions_of_one_filter_select_the_same_factors() -> None:
    with blocked_op(PIXELS, [2, 3, 1]) as blocked:
        assert blocked.key_of_factors({0: 1, 1: 2}) == blocked.key_of_factors({1: 2}) == (2, 0)


def test_the_base_of_a_window_is_a_form_of_the_nest() -> None:
    """Pointers of the innermost loop begin at `d0`, and go on by `d2`."""
    with blocked_op(PIXELS, [2, 3, 1]) as blocked:
        forms = blocked.forms()
        assert {Linear({0: 1, 2: 1}), Linear({0: 1}), Linear({2: 1})} <= {*forms}


def test_a_window_that_two_dimensions_of_the_reduction_move_takes_no_blocks() -> None:
    """It begins before its operand, so a condition at each point has to check it."""
    inside = Case((4,), (2, 3), ((8,),), ((((1, 1, 1), 0),),))
    outside = Case((4,), (2, 3), ((5,),), ((((1, 1, 2), -1),),))
    with blocked_op(inside, [2, 1, 1]) as blocked:
        assert takes_blocks(blocked.op)
    with blocked_op(outside, [2, 1, 1]) as blocked:
        assert not takes_blocks(blocked.op)
