"""The tiler finds the best tiling: judged by running every tiling of small problems."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import pytest

pytest.importorskip("hypothesis")

from hypothesis import given, settings
from hypothesis import strategies as st

from forebay.regions import LoopNest, OperandAccess, induction_variables
from forebay.tiling import (
    CallCost,
    ScratchStorage,
    TileLimit,
    TileStorage,
    TilingError,
    TilingProblem,
    TransferCost,
    find_tiling,
    least_usage,
)
from forebay.tiling.end_tiles import EndTiles

Sizes = tuple[int, ...]


def cycles(sizes: Sizes) -> int:
    """A call that has a start-up and computes four points at a time in the last dimension."""
    *outer, last = sizes
    return 5 + math.prod(outer) * -(-last // 4)


@st.composite
def problems(draw: st.DrawFn) -> TilingProblem:
    """Products of matrices and convolutions over rows, with pools of any size."""
    a, b, k = (draw(st.integers(1, n)) for n in (6, 4, 5))
    i, j, r = induction_variables(3)
    stride = draw(st.integers(1, 2))
    window = draw(st.booleans())
    index = i * stride + r - 1 if window else i
    rows = (a - 1) * stride + 1 + draw(st.integers(0, 2))
    source = (
        OperandAccess((rows,), (index,), 8, clamped=True)
        if window
        else OperandAccess((a, k), (i, r), 8)
    )
    nest = LoopNest(
        (a, b), (k,), (source, OperandAccess((b, k), (j, r), 16)), (OperandAccess((a, b), (i, j)),)
    )

    def storage(
        pool: str, queue: str, *, may_stay: bool = False, contiguous: bool = False
    ) -> TileStorage:
        cost = TransferCost(queue, draw(st.integers(0, 4)), draw(st.integers(1, 3)))
        return TileStorage(
            pool,
            cost if draw(st.integers(0, 4)) else None,
            granules=draw(st.sampled_from([(), (1, 2)])),
            alignment=draw(st.sampled_from([1, 4])),
            slots=draw(st.integers(1, 2)),
            with_padding=draw(st.booleans()),
            may_stay=may_stay,
            contiguous=contiguous,
        )

    scratch = ScratchStorage(OperandAccess((a, b), (i, j), 16), TileStorage("sums", slots=2))
    kept = TileStorage("sums", slots=draw(st.integers(1, 2))) if draw(st.booleans()) else None
    return TilingProblem(
        nest,
        (
            TileLimit(draw(st.integers(1, 2))),
            TileLimit(1, draw(st.sampled_from([None, 2]))),
            TileLimit(draw(st.integers(1, 2))),
        ),
        (storage("near", "load", may_stay=True), storage("near", "load", may_stay=True)),
        (storage("near", "store", contiguous=draw(st.booleans())),),
        (("near", draw(st.integers(4, 120))), ("sums", draw(st.integers(4, 60)))),
        accumulators=kept,
        calls=CallCost(cycles),
        overlaps=draw(st.booleans()),
        scratch=(scratch,) if draw(st.integers(0, 3)) == 0 else (),
        always_accumulates=draw(st.booleans()),
    )


def candidates(extent: int, limit: TileLimit, *, cut: bool) -> list[int]:
    """One size per number of tiles, by its definition."""
    if not cut:
        return [extent]
    found = []
    for count in range(1, extent + 1):
        size = math.ceil(extent / limit.multiple / count) * limit.multiple
        found.append(min(size, extent))
    return [s for s in dict.fromkeys(found) if limit.most is None or s <= limit.most]


def contiguous_ranges(problem: TilingProblem, ranges: list[range]) -> list[Sizes]:
    """The sizes of the part of a tile that each call computes: all, or a contiguous run."""
    whole = tuple(map(len, ranges))
    (storage,), (rows, columns, *_) = problem.outputs, ranges
    if storage.transfer is not None or not storage.contiguous:
        return [whole]
    width = problem.nest.outputs[0].shape[1]
    flat = [row * width + column for row in rows for column in columns]
    if flat == list(range(flat[0], flat[-1] + 1)):
        return [whole]
    return [(1, *whole[1:]) for _ in rows]


class Run:
    """One tiling, executed loop by loop."""

    def __init__(
        self, problem: TilingProblem, sizes: Sizes, order: Sizes, staying: frozenset[int]
    ) -> None:
        self.problem, self.sizes = problem, sizes
        nest = problem.nest
        self.extents = (*nest.parallel, *nest.reduction)
        accesses = [*nest.inputs, *nest.outputs]
        storages = [*problem.inputs, *problem.outputs]
        self.moved, self.loads = [0] * len(accesses), [0] * len(accesses)
        self.calls = self.busy = 0
        there: list[object] = [None] * len(accesses)
        rest = [d for d in range(len(sizes)) if d not in order]
        loops = (*order, *rest)
        for starts in itertools.product(*(range(0, self.extents[d], sizes[d]) for d in loops)):
            tile = dict(zip(loops, starts, strict=True))
            ranges = [
                range(tile[d], min(tile[d] + sizes[d], self.extents[d])) for d in range(len(sizes))
            ]
            runs = contiguous_ranges(problem, ranges)
            self.calls += len(runs)
            self.busy += sum(map(cycles, runs))
            is_last = all(
                ranges[d].stop == self.extents[d] for d in range(len(nest.parallel), len(sizes))
            )
            for number, (access, storage) in enumerate(zip(accesses, storages, strict=True)):
                is_output = number >= len(nest.inputs)
                if storage.transfer is None or (is_output and not is_last):
                    continue
                used = sorted({d for e in access.index for d in e.dimensions})
                name = "all" if number in staying else tuple(tile[d] for d in used)
                if not is_output and there[number] == name:
                    continue
                there[number] = name
                whole = [range(e) for e in self.extents]
                self.loads[number] += 1
                inside = self.inside(access, whole if number in staying else ranges)
                self.moved[number] += math.ceil(math.prod(map(len, inside)) * access.bits / 8)

    @staticmethod
    def inside(access: OperandAccess, ranges: list[range]) -> list[range]:
        """The ranges of the operand around all indices, cut at its borders."""
        found = []
        for expression, size in zip(access.index, access.shape, strict=True):
            values = [expression.at(point) for point in itertools.product(*ranges)]
            found.append(range(max(0, min(values)), max(max(values) + 1, 0))[:size])
            found[-1] = range(found[-1].start, max(found[-1].start, min(found[-1].stop, size)))
        return found

    @property
    def cycles(self) -> int:
        queues = {"compute": self.busy}
        bytes_: dict[tuple[str, int], int] = {}
        storages = [*self.problem.inputs, *self.problem.outputs]
        for storage, moved, loads in zip(storages, self.moved, self.loads, strict=True):
            cost = storage.transfer
            if cost is not None:
                queues[cost.queue] = queues.get(cost.queue, 0) + loads * cost.latency
                key = (cost.queue, cost.bytes_per_cycle)
                bytes_[key] = bytes_.get(key, 0) + moved
        for (queue, bandwidth), moved in bytes_.items():
            queues[queue] += math.ceil(moved / bandwidth)
        return max(queues.values()) if self.problem.overlaps else sum(queues.values())


def needed(
    problem: TilingProblem, sizes: Sizes, order: Sizes, staying: frozenset[int]
) -> dict[str, int]:
    """The bytes of each pool, by the largest window of any place."""
    nest = problem.nest
    extents = (*nest.parallel, *nest.reduction)
    used = dict.fromkeys(dict(problem.pools), 0)
    pairs = zip((*nest.inputs, *nest.outputs), (*problem.inputs, *problem.outputs), strict=True)
    for number, (access, storage) in enumerate(pairs):
        if storage.transfer is None:
            continue
        own = extents if number in staying else sizes
        bits, elements = access.bits, 1
        for axis, (expression, size) in enumerate(zip(access.index, access.shape, strict=True)):
            values = [expression.at(point) for point in itertools.product(*map(range, own))]
            count = max(values) - min(values) + 1
            count = count if storage.with_padding else min(count, size)
            granule = storage.granules[axis] if axis < len(storage.granules) else 1
            elements *= math.ceil(count / granule) * granule
        one = math.ceil(elements * bits / 8 / storage.alignment) * storage.alignment
        used[storage.pool] += one * (1 if number in staying else storage.slots)
    for scratch in problem.scratch:
        used[scratch.storage.pool] += sizes[0] * sizes[1] * 2 * scratch.storage.slots
    cut = [order.index(d) for d in order if d >= len(nest.parallel)]
    if cut or (problem.always_accumulates and problem.accumulators is not None):
        assert problem.accumulators is not None
        points = 1
        for d in range(len(nest.parallel)):
            points *= extents[d] if cut and d in order[min(cut) :] else sizes[d]
        used["sums"] += points * 4 * problem.accumulators.slots
    return used


def every_tiling(problem: TilingProblem) -> dict[tuple[Sizes, Sizes, frozenset[int]], Run]:
    """All tilings that fit."""
    nest = problem.nest
    extents = (*nest.parallel, *nest.reduction)
    choices = [
        candidates(e, limit, cut=d < len(nest.parallel) or problem.accumulators is not None)
        for d, (e, limit) in enumerate(zip(extents, problem.limits, strict=True))
    ]
    able = [n for n, s in enumerate(problem.inputs) if s.transfer is not None and s.may_stay]
    found = {}
    for sizes in itertools.product(*choices):
        active = [d for d, (e, s) in enumerate(zip(extents, sizes, strict=True)) if s < e]
        for order in itertools.permutations(active):
            for count in range(len(able) + 1):
                for staying in map(frozenset, itertools.combinations(able, count)):
                    used = needed(problem, sizes, order, staying)
                    if all(used[name] <= free for name, free in problem.pools):
                        found[sizes, order, staying] = Run(problem, sizes, order, staying)
    return found


@settings(max_examples=40, deadline=None, derandomize=True)
@given(problems())
def test_no_tiling_is_better_and_its_numbers_are_those_of_a_run(problem: TilingProblem) -> None:
    runs = every_tiling(problem)
    if not runs:
        with pytest.raises(TilingError, match="the smallest tiles do not fit"):
            find_tiling(problem)
        return
    found = find_tiling(problem)
    run = runs[found.sizes, found.order, found.staying]
    assert (found.moved, found.calls) == (tuple(run.moved), run.calls)
    assert dict(found.usage) == needed(problem, found.sizes, found.order, found.staying)
    if problem.overlaps:
        assert found.cycles >= min(other.cycles for other in runs.values())
    else:
        assert found.cycles == run.cycles == min(other.cycles for other in runs.values())


@settings(max_examples=40, deadline=None, derandomize=True)
@given(problems())
def test_pools_of_the_least_bytes_are_enough_and_the_error_says_what_is_missing(
    problem: TilingProblem,
) -> None:
    least = least_usage(problem)
    usage = dict(find_tiling(with_pools(problem, least)).usage)
    assert all(usage[name] <= size for name, size in least.items())
    for name in (name for name, size in least.items() if size):
        smaller = with_pools(problem, {**least, name: least[name] - 1})
        if every_tiling(smaller):
            find_tiling(smaller)
            continue
        with pytest.raises(TilingError) as error:
            find_tiling(smaller)
        short = dict(smaller.pools)
        missing = [name for name in short if error.value.least[name] > short[name]]
        assert missing
        for pool in missing:
            needed = (
                f"pool '{pool}' needs {error.value.least[pool]:,} bytes but has {short[pool]:,}"
            )
            assert needed in str(error.value)
        assert every_tiling(with_pools(problem, error.value.least))


def with_pools(problem: TilingProblem, pools: dict[str, int]) -> TilingProblem:
    return replace(problem, pools=tuple(pools.items()))


def test_a_product_in_tiles_of_sixteen_keeps_its_sums_in_place() -> None:
    # 64 x 64 x 64 in int8; the scratchpad has 4 KiB, the accumulator 1 KiB: one tile of 16 x 16.
    m, n, k = induction_variables(3)
    nest = LoopNest(
        (64, 64),
        (64,),
        (OperandAccess((64, 64), (m, k)), OperandAccess((64, 64), (k, n))),
        (OperandAccess((64, 64), (m, n)),),
    )
    load = TransferCost("load", bytes_per_cycle=16)
    near = TileStorage("scratchpad", load, granules=(1, 16))
    problem = TilingProblem(
        nest,
        (TileLimit(16, 16),) * 3,
        (TileStorage("scratchpad", load, (1, 16), may_stay=True), near),
        (TileStorage("host", TransferCost("store", bytes_per_cycle=16)),),
        (("accumulator", 1024), ("host", 1 << 20), ("scratchpad", 4096 + 256)),
        accumulators=TileStorage("accumulator"),
        calls=CallCost(lambda sizes: sizes[0]),
        overlaps=True,
    )
    found = find_tiling(problem)
    # The first matrix stays; the reduction is the innermost loop, as the sums of one tile fit.
    assert found.sizes == (16, 16, 16)
    assert found.order[-1] == 2
    assert found.staying == frozenset({0})
    assert found.calls == 64
    assert found.moved == (4096, 4 * 4096, 4096)
    assert dict(found.usage)["accumulator"] == 1024


def test_what_stays_is_loaded_before_the_first_call() -> None:
    """Tiles of a window are loaded while others are computed, although that moves more bytes."""
    i, k = induction_variables(2)
    problem = TilingProblem(
        LoopNest((64,), (3,), (OperandAccess((66,), (i + k,)),), (OperandAccess((64,), (i,)),)),
        (TileLimit(multiple=8), TileLimit(is_whole=True)),
        (TileStorage("near", TransferCost("load"), slots=2, may_stay=True),),
        (TileStorage("near"),),
        (("near", 1024),),
        calls=CallCost(lambda sizes: sizes[0]),
        overlaps=True,
    )
    found = find_tiling(problem)
    assert found.staying == frozenset()
    assert found.cycles < 66 + 64 // 2


@pytest.mark.parametrize(("gain", "sizes", "cycles"), [(50, (32,), 96), (100, (64,), 128)])
def test_more_tiles_must_save_the_least_gain(gain: int, sizes: Sizes, cycles: int) -> None:
    """One tile is loaded in 64 cycles and computed in 64; of two, one while the other is loaded."""
    (i,) = induction_variables(1)
    row = OperandAccess((64,), (i,), 8)
    problem = TilingProblem(
        LoopNest((64,), (), (row,), (row,)),
        (TileLimit(multiple=8),),
        (TileStorage("near", TransferCost("load", 0, 1), slots=2),),
        (TileStorage("near"),),
        (("near", 1024),),
        calls=CallCost(math.prod),
        overlaps=True,
    )
    fewer = find_tiling(replace(problem, least_gain=gain))
    assert (fewer.sizes, fewer.cycles, fewer.ends) == (sizes, cycles, EndTiles())
    assert find_tiling(problem).cycles == 8 + 64
