"""Blocks cut into calls: every element once, and each call within the limits of the transfer."""

from __future__ import annotations

import itertools
import random

import pytest

from forebay.emulator.commands.blocks import BlockAxis, StridedBlock
from forebay.emulator.commands.move_limits import MoveLimits
from forebay.ir.machine.blocks import block_of
from forebay.ir.machine.transfer_limits import CopiedBox, TransferLimits, TransferSplitter

ROWS = TransferLimits(granule=1, extents=(16,), bytes=64, units=(1, 16))
"""A transfer of up to 16 rows of up to 64 bytes, into rows of 16 bytes."""


def boxes(sizes, source, target, limits=ROWS, element=1) -> list[tuple[tuple[int, ...], ...]]:
    found = TransferSplitter((source, target), element, limits).boxes(sizes)
    assert found is not None
    return [(box.offsets, box.sizes) for box in found]


def test_a_block_within_the_limits_is_one_call() -> None:
    assert boxes((16, 64), (100, 1), (64, 1)) == [((0, 0), (16, 64))]


def test_a_contiguous_run_is_several_shorter_ones() -> None:
    """512 bytes: an extent of 8 runs of 64."""
    block = ROWS.fitted(block_of((32, 16), (16, 1), (16, 1), 1))
    assert block is not None
    assert (block.outer[0].extent, block.outer[0].target_stride, block.bytes) == (8, 64, 64)


def test_rows_and_columns_are_cut_with_remainders() -> None:
    assert boxes((40, 112), (256, 1), (112, 1)) == [
        ((row, column), (min(16, 40 - row), min(64, 112 - column)))
        for row in (0, 16, 32)
        for column in (0, 64)
    ]


def test_a_cut_begins_on_a_row() -> None:
    """Rows of 24 bytes are no whole number of local rows of 16, so a cut is after two of them."""
    limits = TransferLimits(granule=1, extents=(), bytes=100, units=(1, 16))
    assert boxes((6, 24), (24, 1), (24, 1), limits) == [
        ((row, 0), (min(4, 6 - row), 24)) for row in (0, 4)
    ]


def test_what_no_call_can_move_is_none() -> None:
    limits = TransferLimits(granule=8, extents=(None,), bytes=64, units=(1, 1))
    assert TransferSplitter(((9, 1), (9, 1)), 1, limits).boxes((4, 9)) is None


def _random_case(draw: random.Random) -> tuple[tuple[int, ...], list[int], list[int], int]:
    sizes = tuple(draw.randint(1, 12) for _ in range(draw.randint(1, 3)))
    element = draw.choice((1, 2, 4))
    strides: list[list[int]] = []
    for _ in range(2):
        own, step = [0] * len(sizes), 1
        for dimension in reversed(range(len(sizes))):
            own[dimension] = step
            step *= sizes[dimension] + draw.choice((0, 0, 3))
        strides.append(own)
    return sizes, *strides, element


@pytest.mark.parametrize("seed", range(200))
def test_boxes_are_a_partition_within_the_limits(seed: int) -> None:
    """The machine's own search for a form of each box agrees that one call moves it."""
    draw = random.Random(seed)
    sizes, source, target, element = _random_case(draw)
    rank = draw.randint(1, 3)
    extents = tuple(draw.choice((None, 2, 5)) for _ in range(rank - 1))
    limits = TransferLimits(element, extents, draw.choice((4, 8, 12)), (1, 1))
    found = TransferSplitter((source, target), element, limits).boxes(sizes)
    assert found is not None
    reached = [point for box in found for point in _points(box)]
    assert sorted(reached) == list(itertools.product(*map(range, sizes)))
    machine = MoveLimits(extents, limits.bytes, element)
    for box in found:
        block = block_of(box.sizes, source, target, element)
        axes = tuple(BlockAxis(d.extent, d.source_stride, d.target_stride) for d in block.outer)
        assert machine.admit(StridedBlock(axes, block.bytes))
        call = limits.fitted(block)
        assert call is not None
        assert machine.allow([d.extent for d in call.outer], call.bytes)


def _points(box: CopiedBox) -> list[tuple[int, ...]]:
    spans = zip(box.offsets, box.sizes, strict=True)
    return list(itertools.product(*(range(begin, begin + size) for begin, size in spans)))
