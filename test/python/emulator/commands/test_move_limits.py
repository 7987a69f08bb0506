"""The blocks that one call of a transfer with limits moves, in any form."""

from __future__ import annotations

import pytest

from forebay.emulator.commands.blocks import BlockAxis, StridedBlock
from forebay.emulator.commands.move_limits import MoveLimits

ROWS = MoveLimits(extents=(16,), run=64, granule=4)


def block(extents: tuple[int, ...], run: int) -> StridedBlock:
    return StridedBlock(tuple(BlockAxis(extent, 1000, 1000) for extent in extents), run)


@pytest.mark.parametrize(
    ("extents", "run", "is_admitted"),
    [
        ((16,), 64, True),
        ((17,), 64, False),
        ((), 1024, True),  # 16 runs of 64
        ((), 1028, False),  # 257 times 4
        ((), 132, True),  # 3 runs of 44
        ((2,), 128, False),  # there is no second extent for the two runs of 64
        ((), 63, False),  # no multiple of 4
    ],
)
def test_a_block_in_its_best_form(extents: tuple[int, ...], run: int, is_admitted: bool) -> None:
    assert ROWS.admit(block(extents, run)) is is_admitted


def test_an_extent_may_be_two() -> None:
    limits = MoveLimits(extents=(4, 16), run=None, granule=1)
    assert limits.admit(block((64,), 8))
    assert not limits.admit(block((65,), 8))


def test_the_numbers_of_a_call_are_compared_one_by_one() -> None:
    assert ROWS.allow([16], 64)
    assert not ROWS.allow([17], 64)
    assert not ROWS.allow([16], 68)
