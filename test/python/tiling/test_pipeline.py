"""The modelled time of tiles: a recursion over what each step waits for gives the same cycles."""

from __future__ import annotations

import math
from functools import cache

import pytest

from forebay.regions import LoopNest, OperandAccess, induction_variables
from forebay.tiling import (
    CallCost,
    LoopTiling,
    TileLimit,
    TileStorage,
    TilingProblem,
    TransferCost,
    find_tiling,
)
from forebay.tiling.end_tiles import EndTiles
from forebay.tiling.pipeline import TilePipeline, TileSteps, pipelined_cycles
from forebay.tiling.tiling import TilingCosts

i, j = induction_variables(2)


def added(
    count: int, free: int, *, latency: int = 20, load: int = 16, call: int = 16
) -> TilingProblem:
    """Sums of two operands of `count` bytes, which are loaded by one queue."""
    load_cost, store = TransferCost("in", latency, load), TransferCost("out", latency, 16)
    access = OperandAccess((count,), (i,))
    storage = TileStorage("near", load_cost, slots=2)
    return TilingProblem(
        LoopNest((count,), (), (access, access), (access,)),
        (TileLimit(),),
        (storage, storage),
        (TileStorage("near", store, slots=2),),
        (("near", free),),
        calls=CallCost(lambda sizes: -(-sizes[0] // call)),
        overlaps=True,
    )


def recursion(problem: TilingProblem, sizes: list[int]) -> int:
    """The end of the last store, by what each load, call and store waits for."""
    first, second = problem.inputs
    (output,) = problem.outputs

    def moved(storage: TileStorage, size: int) -> int:
        assert storage.transfer is not None
        return storage.transfer.latency + math.ceil(size / storage.transfer.bytes_per_cycle)

    @cache
    def loaded(n: int) -> int:
        if n < 0:
            return 0
        return (
            max(loaded(n - 1), computed(n - 2)) + moved(first, sizes[n]) + moved(second, sizes[n])
        )

    @cache
    def computed(n: int) -> int:
        if n < 0:
            return 0
        return max(computed(n - 1), loaded(n), stored(n - 2)) + problem.calls.cycles((sizes[n],))

    @cache
    def stored(n: int) -> int:
        return 0 if n < 0 else max(stored(n - 1), computed(n)) + moved(output, sizes[n])

    return stored(len(sizes) - 1)


def tiles(found: LoopTiling, problem: TilingProblem) -> list[int]:
    (span,) = problem.nest.domain.spans
    return [s.size for s in found.spans(0, span, 1, is_first=True, is_last=True)]


MACHINES = [{}, {"latency": 200}, {"load": 64}, {"load": 64, "call": 2}, {"call": 4}]


@pytest.mark.parametrize("machine", MACHINES, ids=str)
@pytest.mark.parametrize("free", [1 << 10, 1 << 12, 1 << 15])
def test_the_cycles_are_those_of_the_steps(free: int, machine: dict[str, int]) -> None:
    problem = added(8192, free, **machine)
    found = find_tiling(problem)
    sizes = tiles(found, problem)
    if len(sizes) <= 32:
        assert found.cycles == recursion(problem, sizes)
    even = [math.ceil(8192 / n) for n in range(1, 33) if 6 * math.ceil(8192 / n) <= free]
    for size in even:
        rest = 8192 % size
        assert found.cycles <= recursion(problem, [size] * (8192 // size) + [rest] * bool(rest))


def test_the_ends_of_a_long_addition_are_short() -> None:
    """Loads take 2,048 cycles and 20 for each of them: even tiles need 14 % more at the best."""
    problem = added(16384, 1 << 15)
    found = find_tiling(problem)
    sizes = tiles(found, problem)
    loads = sum(2 * (20 + math.ceil(size / 16)) for size in sizes)
    assert sizes[-1] < sizes[len(sizes) // 2]
    assert found.cycles < 1.06 * loads


def test_a_tile_waits_for_its_slot() -> None:
    tile = TileSteps([(1, 10)], 5, [(2, 30)])
    assert pipelined_cycles([tile] * 3, 3, (2, 2)) == 10 + 5 + 3 * 30
    # The third call waits for the first store, which ends in cycle 45.
    assert pipelined_cycles([tile] * 2, 3, (1, 1)) == 10 + 5 + 30 + 5 + 30


def test_the_parts_of_a_reduction_have_the_same_tiles() -> None:
    """The sums of a tile stay while the loop outside adds the parts of its reduction."""
    load, store = TransferCost("in", 20, 16), TransferCost("out", 20, 16)
    vector, matrix = OperandAccess((64,), (j,)), OperandAccess((256, 64), (i, j))
    problem = TilingProblem(
        LoopNest((256,), (64,), (vector, matrix), (OperandAccess((256,), (i,)),)),
        (TileLimit(), TileLimit()),
        (TileStorage("near", load, slots=2), TileStorage("near", load, slots=2)),
        (TileStorage("near", store, slots=2),),
        (("near", 1 << 14),),
        accumulators=TileStorage("near"),
        calls=CallCost(lambda sizes: sizes[0]),
        overlaps=True,
    )
    costs = TilingCosts(problem)
    parallel = TilePipeline(costs, (64, 64), (0,), frozenset()).with_ends()
    assert min(parallel, key=lambda tiles: tiles.cycles).ends != EndTiles()
    reduced = TilePipeline(costs, (64, 16), (1, 0), frozenset()).with_ends()
    assert [tiles.ends for tiles in reduced] == [EndTiles()]
