"""Claims about rigid blocks: which are refused, and which placements break them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from forebay.planning import Buffer, Placement, Plan, Pool, Problem, live
from forebay.planning.contract.verify import verify
from forebay.planning.model.blocks import rigid_blocks_of
from forebay.planning.model.errors import BlockBrokenError, OverlapError, ProblemError

ROWS = tuple(
    Buffer(f"x[{y}]", 8, live(0, y + 1), ("ws",), alignment=8, block="x", block_offset=8 * y)
    for y in range(3)
)
OTHER = Buffer("y", 8, live(1, 3), ("ws",), alignment=8)
PROBLEM = Problem((Pool("ws", alignment=8),), (*ROWS, OTHER))


def _at(*offsets: int) -> Plan:
    names = [buffer.name for buffer in PROBLEM.buffers]
    places = {name: Placement("ws", o) for name, o in zip(names, offsets, strict=True)}
    return Plan(PROBLEM, places, "test")


def test_a_buffer_may_take_the_bytes_of_a_dead_member():
    PROBLEM.check()
    verify(_at(0, 8, 16, 0))
    verify(_at(24, 32, 40, 24))


def test_it_may_not_take_those_of_a_live_member():
    with pytest.raises(OverlapError):
        verify(_at(0, 8, 16, 8))


@pytest.mark.parametrize("offsets", [(0, 16, 24, 8), (0, 8, 24, 40), (8, 0, 16, 40)])
def test_members_keep_their_places(offsets):
    with pytest.raises(BlockBrokenError, match="block 'x'"):
        verify(_at(*offsets))


@pytest.mark.parametrize(
    "changes",
    [
        {"block": None},
        {"alias": "a"},
        {"candidates": ("ws", "other")},
        {"block_offset": -8},
        {"block_offset": 12},
        {"block_offset": 0},
        {"costs": (1,)},
    ],
)
def test_contradictions_are_refused(changes):
    pools = (*PROBLEM.pools, Pool("other"))
    wrong = replace(ROWS[1], **changes)
    with pytest.raises(ProblemError, match="buffer 'x"):
        Problem(pools, (ROWS[0], wrong, *ROWS[2:])).check()


def test_pins_of_one_block_must_agree():
    one, two = replace(ROWS[0], pinned_offset=8), replace(ROWS[1], pinned_offset=16)
    problem = Problem(PROBLEM.pools, (one, two, ROWS[2]))
    problem.check()
    assert problem.pin_of(ROWS[2]) == 24
    with pytest.raises(ProblemError, match=r"\[0, 8\]"):
        Problem(PROBLEM.pools, (one, replace(two, pinned_offset=8))).check()


def test_blocks_are_listed_with_their_members():
    assert rigid_blocks_of(PROBLEM.buffers) == {"x": list(ROWS)}
