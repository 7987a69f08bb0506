"""The order of tiles, and what an order of loops moves and keeps."""

from __future__ import annotations

from forebay.regions import LoopNest, OperandAccess, Span, induction_variables
from forebay.tiling import LoopTiling, TileLimit, TileStorage, TilingProblem, TransferCost
from forebay.tiling.end_tiles import EndTiles
from forebay.tiling.tiling import TilingCosts

m, n, k = induction_variables(3)
LOAD = TransferCost("load", latency=3, bytes_per_cycle=2)
PROBLEM = TilingProblem(
    LoopNest(
        (4, 6),
        (8,),
        (OperandAccess((4, 8), (m, k)), OperandAccess((8, 6), (k, n))),
        (OperandAccess((4, 6), (m, n)),),
    ),
    (TileLimit(),) * 3,
    (TileStorage("near", LOAD, may_stay=True), TileStorage("near", LOAD, slots=2)),
    (TileStorage("near", TransferCost("store")),),
    (("near", 1 << 20), ("sums", 1 << 20)),
    accumulators=TileStorage("sums"),
)
COSTS = TilingCosts(PROBLEM)
NONE = frozenset[int]()


def test_a_tile_is_loaded_when_it_is_another_one() -> None:
    # Tiles of 2 x 3 x 4: m, n and k have two each.
    def moved(*order: int) -> list[tuple[int, int]]:
        return COSTS.moves((2, 3, 4), order)

    assert moved(0, 1, 2) == [(2 * 32, 8), (2 * 48, 8), (24, 4)]
    assert moved(2, 0, 1) == [(32, 4), (2 * 48, 8), (24, 4)]
    assert moved(2, 1, 0) == [(2 * 32, 8), (48, 4), (24, 4)]
    assert COSTS.with_staying(moved(0, 1, 2), frozenset({0})) == [(32, 1), *moved(0, 1, 2)[1:]]


def test_accumulators_are_there_for_all_tiles_inside_the_loop_over_the_reduction() -> None:
    def sums(*order: int) -> int:
        return COSTS.usage((2, 3, 4), order, NONE)["sums"]

    assert sums(0, 1, 2) == 4 * 2 * 3
    assert sums(0, 2, 1) == 4 * 2 * 6
    assert sums(2, 0, 1) == 4 * 4 * 6
    assert COSTS.usage((2, 3, 8), (0, 1), NONE)["sums"] == 0


def test_slots_and_inputs_that_stay_count() -> None:
    assert COSTS.usage((2, 3, 8), (0, 1), NONE)["near"] == 16 + 2 * 24 + 6
    assert COSTS.usage((2, 3, 8), (0, 1), frozenset({0}))["near"] == 32 + 2 * 24 + 6
    assert COSTS.least_usage((2, 3, 8))["near"] == 16 + 2 * 24 + 6


def test_cycles_are_those_of_the_queues() -> None:
    # Loads: 8 + 8 of latency 3, 160 bytes by 2; stores: 24 bytes.
    moves = COSTS.moves((2, 3, 4), (0, 1, 2))
    assert COSTS.total_cycles(moves, 100) == 100 + (16 * 3 + 80) + 24
    assert COSTS.calls.of((2, 3, 4)) == (0, 8)


def test_only_the_ends_of_the_innermost_loop_have_other_tiles() -> None:
    tiling = LoopTiling((4, 3, 4), (2, 1), NONE, 0, (), 4, (), EndTiles((1,), (2, 1)))
    whole = Span(0, 8)

    def sizes(depth: int, *, is_first: bool, is_last: bool) -> list[int]:
        return [s.size for s in tiling.spans(depth, whole, 1, is_first=is_first, is_last=is_last)]

    assert sizes(0, is_first=True, is_last=True) == [4, 4]
    assert sizes(1, is_first=True, is_last=True) == [1, 2, 2, 2, 1]
    assert sizes(1, is_first=False, is_last=True) == [3, 2, 2, 1]
    assert sizes(1, is_first=False, is_last=False) == [3, 3, 2]
