"""Tiles have enough bytes and a place; with queues, slots that pay."""

from __future__ import annotations

from dataclasses import replace

import pytest

from forebay.device_stages.tiles.placing import tiling_to_place
from forebay.pools import ByteRange, Pool
from forebay.regions import LoopNest, OperandAccess, induction_variables
from forebay.tiling import (
    CallCost,
    TileLimit,
    TileStorage,
    TilingError,
    TilingProblem,
    TransferCost,
    find_tiling,
)

(i,) = induction_variables(1)
ROW = OperandAccess((64,), (i,))
LOAD, STORE = TransferCost("load", 8, 1), TransferCost("store", 8, 1)


def cycles(sizes: tuple[int, ...]) -> int:
    """A call takes a cycle per point, and 8 to begin."""
    return 8 + sizes[0]


def copies(free: int, slots: int = 1, *, overlaps: bool = False) -> TilingProblem:
    """64 bytes that are loaded, changed and stored."""
    return TilingProblem(
        LoopNest((64,), (), (ROW,), (ROW,)),
        (TileLimit(),),
        (TileStorage("spad", LOAD, slots=slots),),
        (TileStorage("spad", STORE, slots=slots),),
        (("spad", free),),
        calls=CallCost(cycles),
        overlaps=overlaps,
    )


def size(problem: TilingProblem, pool: Pool, *beside: int) -> int:
    return tiling_to_place(problem, {"spad": pool}, {"spad": beside}).sizes[0]


def test_tiles_are_as_large_as_ranges_between_reserved_ones() -> None:
    """Two tiles of 32 bytes take 64 of 92 bytes, but the ranges have 28 and 64, or 46 each."""
    pool = Pool("spad", capacity=96)
    assert size(copies(96), pool) == 32
    assert size(copies(92), replace(pool, reserved=(ByteRange(28, 32),))) == 32
    assert size(copies(76), replace(pool, reserved=(ByteRange(28, 48),))) == 22


def test_operands_in_the_pool_take_a_place_too() -> None:
    """Of 28 and 64 bytes, an operand of 40 takes the larger range: tiles have 28 and 24."""
    pool = Pool("spad", capacity=96, reserved=(ByteRange(28, 32),))
    assert size(copies(52), pool, 40) == 22


def test_ranges_that_are_too_small_for_any_tile_are_an_error() -> None:
    wide = replace(copies(18), limits=(TileLimit(multiple=8),))
    pool = Pool("spad", capacity=36, reserved=(ByteRange(6, 12), ByteRange(18, 30)))
    with pytest.raises(TilingError) as error:
        size(wide, pool)
    assert error.value.short == ("spad",)
    assert error.value.least == {"spad": 16}


def test_slots_are_for_tiles_that_overlap_in_fewer_cycles() -> None:
    pool = Pool("spad", capacity=128)
    assert size(copies(128), pool) == 64
    # Tiles of 16 take about 4 * (8 + 16) cycles, one tile 3 * (8 + 64).
    overlapped = copies(128, 2, overlaps=True)
    assert size(overlapped, pool) == find_tiling(overlapped).sizes[0] == 16
    # Two slots of one byte each take 4 bytes; two tiles of one byte in order take 2.
    assert size(copies(2, 2, overlaps=True), pool) == 1
