"""The blocks of a loop nest that cost the fewest instructions, by a model.

A block computes `positions` of the parallel domain together. One step of its innermost loop reads
each distinct element once, and multiplies and adds once per position and point:

    2 pixels x 4 channels    2 + 4 elements, 8 products, 8 sums in registers

Elements may be words of several neighbours along one dimension, `word`, whose products are added
by one instruction per word, or by one per element:

    2 pixels x 2 channels x 8 points in words of 4    4 + 4 words, 8 sums of 4 products
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator
from itertools import combinations, product

from msgspec import Struct, structs

from forebay.cpus.costs.block_costs import BlockCost, BlockCosts
from forebay.cpus.costs.borders import borders_of
from forebay.cpus.costs.steps import distinct
from forebay.cpus.costs.weighted_nest import BlockSizes, Candidate, WeightedNest
from forebay.cpus.cpu import Cpu, FloatUnit, LaneUnit, VectorUnit
from forebay.regions import LoopNest

_SIZES = (2, 3, 4, 8)
_STEPS = (2, 4)
_STEPS_USED_ONCE = 16
"""Steps of bodies whose products use each element of an operand once."""
_WORDS = (1, 2, 4)
"""Words of the last dimension in the body of the innermost loop."""


class Blocks(Struct, frozen=True):
    """The block of each dimension, the parallel ones first.

    `word` is the dimension of words, if there is one, and `lanes` the number of their elements.
    If `partial_sums` is not 1, each position has so many sums in the loops over words. If
    `dot_length` is not 1, there are words of so many elements along the last dimension, too.
    `stored` is the dimension of results in vectors of `stored_lanes`. Positions of the dimensions
    in `peeled` that are in no block have code of their own.
    """

    sizes: tuple[int, ...]
    word: int | None = None
    lanes: int = 1
    partial_sums: int = 1
    stored: int | None = None
    stored_lanes: int = 1
    peeled: tuple[int, ...] = ()
    dot_length: int = 1


def cheapest_blocks(weighted: WeightedNest, cpu: Cpu) -> Blocks:
    """Return the blocks that cost the fewest instructions per position."""
    nest, best = weighted.nest, _cheapest(weighted, cpu).candidate
    dims = range(len(nest.parallel) + len(nest.reduction))
    stored_lanes, dot_length = 1, 1
    if best.sums is not None:
        stored_lanes, dot_length = best.sums.sums, best.sums.dot_length
    elif best.stored is not None and cpu.lanes is not None:
        stored_lanes = cpu.lanes.lanes
    sizes = tuple(best.block.get(d, 1) for d in dims)
    is_dot = best.unit is not None and best.word == len(dims) - 1
    partial_sums = best.unit.sums if is_dot and best.unit is not None else 1
    return Blocks(
        sizes,
        best.word,
        best.lanes,
        partial_sums,
        best.stored,
        stored_lanes,
        best.peeled,
        dot_length,
    )


def cost_of_blocks(weighted: WeightedNest, cpu: Cpu) -> BlockCost:
    """Return the instructions of the cheapest blocks."""
    return _cheapest(weighted, cpu).cost


class _PricedCandidate(Struct, frozen=True):
    """A schedule of a nest, and its cost."""

    cost: BlockCost
    candidate: Candidate


@functools.cache  # layers of a network have equal nests
def _cheapest(weighted: WeightedNest, cpu: Cpu) -> _PricedCandidate:
    costs = BlockCosts(weighted, cpu)
    # Of equal costs the smallest body, then blocks of the last dimensions, which are neighbours.
    candidates = _with_peeled(_candidates(weighted, cpu), costs)
    ranked = (_PricedCandidate(costs.of(candidate), candidate) for candidate in candidates)
    return min(ranked, key=lambda found: (found.cost.priced, *_preference(found.candidate)))


def _preference(candidate: Candidate) -> tuple[int, list[tuple[int, int]]]:
    block = candidate.block
    largest_last = [(-d, -size) for d, size in sorted(block.items(), reverse=True)]
    return math.prod(block.values()), largest_last


def _with_peeled(candidates: Iterable[Candidate], costs: BlockCosts) -> Iterator[Candidate]:
    for candidate in candidates:
        yield candidate
        for peeled in costs.choices_to_peel(candidate):
            yield structs.replace(candidate, peeled=peeled)


def _candidates(weighted: WeightedNest, cpu: Cpu) -> Iterator[Candidate]:
    """Yield schedules whose results are stored one by one, and in vectors."""
    if weighted.is_float and cpu.floats is not None:
        yield from _single_results(weighted, cpu)
        for unit in cpu.floats.sums:
            yield from _vectors_of_floats(weighted, cpu.floats, unit)
        return
    for candidate in _single_results(weighted, cpu):
        yield candidate
        for dim in weighted.stored if cpu.lanes is not None else ():
            # A word along `stored` would mean that the sums are vectors, too.
            fits = cpu.lanes is not None and candidate.block.get(dim, 1) % cpu.lanes.lanes == 0
            if fits and candidate.word != dim:
                yield structs.replace(candidate, stored=dim)
    if cpu.lanes is not None:
        yield from _vectors_of_sums(weighted, cpu, cpu.lanes)
    for unit in cpu.sums:
        candidates = _vectors_of_dots if unit.dot_length > 1 else _vectors_of_sums
        yield from candidates(weighted, cpu, unit)


def _vectors_of_dots(weighted: WeightedNest, cpu: Cpu, unit: LaneUnit) -> Iterator[Candidate]:
    """Yield schedules that add words to vectors of sums."""
    dots, nest = weighted.dots, weighted.nest
    wanted = (unit.sums, unit.dot_length, unit.only_zero_point)
    if dots is None or (dots.lanes, dots.dot_length, weighted.zero_point) != wanted:
        return
    last = len(nest.parallel) + len(nest.reduction) - 1
    most = cpu.products(math.prod(nest.parallel))
    for block in _parallel_blocks(weighted, without=dots.dim):
        vectors = math.prod(block.values())
        if vectors > unit.most:
            continue
        for steps in _steps_of_dots(weighted):
            if vectors * math.prod(steps.values()) <= most:
                sizes = {**block, dots.dim: unit.sums, last: unit.dot_length, **steps}
                yield Candidate(sizes, dots.dim, unit.sums, stored=dots.dim, sums=unit)


def _steps_of_dots(weighted: WeightedNest) -> Iterator[dict[int, int]]:
    """Yield steps of the innermost loop in words: one, a few, all of them."""
    yield {}
    nest = weighted.nest
    dim = len(nest.parallel) + len(nest.reduction) - 2
    if dim < len(nest.parallel) or dim in weighted.single or dim in weighted.rows:
        return
    extent = nest.reduction[-2]
    for steps in sorted({*_STEPS, extent}):
        if 1 < steps <= extent and extent % steps == 0:
            yield {dim: steps}


def _vectors_of_sums(weighted: WeightedNest, cpu: Cpu, unit: LaneUnit) -> Iterator[Candidate]:
    most = cpu.products(math.prod(weighted.nest.parallel))
    for block, dim in product(_parallel_blocks(weighted, unit.sums), weighted.sums):
        size = block.get(dim, 1)
        if size % unit.sums or math.prod(block.values()) > unit.most * unit.sums:
            continue
        for steps in _unrolled(weighted):
            if math.prod(block.values()) // unit.sums * math.prod(steps.values()) <= most:
                yield Candidate({**block, **steps}, dim, unit.sums, stored=dim, sums=unit)


def _vectors_of_floats(
    weighted: WeightedNest, floats: FloatUnit, unit: LaneUnit
) -> Iterator[Candidate]:
    """Yield schedules with a vector of sums for each position of a block of other dimensions."""
    for dim in weighted.sums:
        if weighted.nest.parallel[dim] < unit.sums or dim in weighted.single:
            continue
        for block, steps in product(_parallel_blocks(weighted, without=dim), _unrolled(weighted)):
            vectors = math.prod(block.values())
            if vectors <= unit.most and vectors * math.prod(steps.values()) <= floats.max_products:
                sizes = {**block, dim: unit.sums, **steps}
                yield Candidate(sizes, dim, unit.sums, stored=dim, sums=unit)


def _single_results(weighted: WeightedNest, cpu: Cpu) -> Iterator[Candidate]:
    """Yield blocks of up to two parallel dimensions, each with and without unrolled points."""
    nest = weighted.nest
    most, most_positions = cpu.products(math.prod(nest.parallel)), cpu.max_block
    if weighted.is_float and cpu.floats is not None:
        most, most_positions = cpu.floats.max_products, cpu.floats.max_block
    for block in _parallel_blocks(weighted):
        positions = math.prod(block.values())
        if positions > most_positions:
            continue
        for steps in _steps_used_once(weighted, block, cpu):
            yield Candidate({**block, **steps})
        for steps in _unrolled(weighted):
            if positions * math.prod(steps.values()) <= most:
                yield Candidate({**block, **steps})
                yield from (
                    Candidate({**block, **steps}, dim, unit.lanes, unit)
                    for dim, unit in product(weighted.words, cpu.vectors)
                    if unit.lane and dim in block and block[dim] % unit.lanes == 0
                )
        last = len(nest.parallel) + len(nest.reduction) - 1
        for unit in cpu.vectors if nest.reduction and last in weighted.words else ():
            extent = nest.reduction[-1]
            lanes = min(extent, unit.lanes) if unit.fewest else unit.lanes
            if unit.offset is not None and unit.offset != weighted.zero_point:
                continue
            if lanes < unit.fewest or _has_too_many_sums(weighted, block, unit):
                continue
            for steps in _steps_of_words(extent, lanes):
                candidate = Candidate({**block, last: steps}, last, lanes, unit)
                is_small = positions * (steps // lanes) <= most
                if is_small and not _holds_too_many(weighted, candidate, unit):
                    yield candidate


def _steps_used_once(
    weighted: WeightedNest, block: BlockSizes, cpu: Cpu
) -> Iterator[dict[int, int]]:
    """Yield longer steps for a body whose products use each element of an operand once.

    An example is a matrix that is multiplied by a vector. Compilers load such elements right before
    their products, so that a long body needs no more registers than a short one.
    """
    nest = weighted.nest
    last = len(nest.parallel) + len(nest.reduction) - 1
    sizes = {**block, last: _STEPS_USED_ONCE}
    products = math.prod(sizes.values())
    is_free = bool(nest.reduction) and last not in {*weighted.single, *weighted.rows}
    if not is_free or products > cpu.max_used_once or nest.reduction[-1] % _STEPS_USED_ONCE:
        return
    if any(distinct(access, sizes) == products for access in weighted.ins):
        yield {last: _STEPS_USED_ONCE}


def _has_too_many_sums(weighted: WeightedNest, block: BlockSizes, unit: VectorUnit) -> bool:
    sums = math.prod(block.values())
    if unit.sums_factors and any(weighted.offsets) and not weighted.hoists:
        sums += distinct(weighted.ins[-1], block)
    return unit.most_sums is not None and sums > unit.most_sums


def _holds_too_many(weighted: WeightedNest, candidate: Candidate, unit: VectorUnit) -> bool:
    """Return whether words that are the same at all positions need too many registers."""
    nest, block = weighted.nest, candidate.block
    has_loop = any(block.get(d, 1) < n for d, n in enumerate(nest.reduction, len(nest.parallel)))
    if has_loop or unit.most_held is None or candidate.word is None:
        return False
    word = {candidate.word: candidate.lanes}
    return min(distinct(access, block, word) for access in weighted.ins) > unit.most_held


def _parallel_blocks(
    weighted: WeightedNest, vector: int = 1, without: int | None = None
) -> Iterator[dict[int, int]]:
    """Yield the blocks of up to two parallel dimensions, of one or two vectors if these are long.

    `without` is a dimension that has another block.
    """
    extents = weighted.nest.parallel
    free = [d for d in range(len(extents)) if d not in weighted.single and d != without]
    longer = (vector, 2 * vector) if vector > max(_SIZES) else ()
    yield {}
    for count in (1, 2):
        for dims in combinations(free, count):
            for sizes in product((*_SIZES, *longer), repeat=count):
                if all(extents[d] >= size for d, size in zip(dims, sizes, strict=True)):
                    yield dict(zip(dims, sizes, strict=True))


def _unrolled(weighted: WeightedNest) -> Iterator[dict[int, int]]:
    """Yield steps of the innermost loop: single points, a few, all columns of a window, all rows.

    All columns of all rows are one step where each row lies anywhere, and is found outside.
    """
    yield {}
    nest = weighted.nest
    last = len(nest.parallel) + len(nest.reduction) - 1
    if not nest.reduction or last in weighted.single:
        return
    extent = nest.reduction[-1]
    is_row = last in weighted.rows
    for steps in (extent,) if is_row else sorted({*_STEPS, extent}):
        if 1 < steps <= extent and extent % steps == 0:
            yield {last: steps}
    if last - 1 in weighted.rows and not is_row:
        yield {d: n for d, n in ((last - 1, nest.reduction[-2]), (last, extent)) if n > 1}


def _steps_of_words(extent: int, lanes: int) -> list[int]:
    """Return steps of the innermost loop in points, of a few words or of all that fit."""
    return sorted(n * lanes for n in {*_WORDS, extent // lanes} if 0 < n <= extent // lanes)


def share_of_borders(nest: LoopNest, reduced: int) -> float:
    """Return the share of the positions at which the loop over a dimension may be clamped."""
    return max(
        (
            borders_of(nest, dim) / nest.parallel[dim]
            for access in nest.inputs
            for expression in access.index
            if access.clamped and reduced in dict(expression.terms)
            for dim, _ in expression.terms
            if dim < len(nest.parallel)
        ),
        default=0,
    )
