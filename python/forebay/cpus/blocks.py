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
import operator
from collections.abc import Iterator, Mapping
from itertools import combinations, product
from types import MappingProxyType

from msgspec import Struct, structs

from forebay.cpus.cpu import Cpu, LaneUnit, VectorUnit
from forebay.regions import Affine, LoopNest, OperandAccess

_SIZES = (2, 3, 4, 8)
_STEPS = (2, 4)
_WORDS = (1, 2, 4)
"""Words of the last dimension in the body of the innermost loop."""

_Sizes = Mapping[int, int]
"""The positions that are computed together, by dimension; 1 for a dimension without entry."""


class WeightedNest(Struct, frozen=True):
    """A loop nest whose body multiplies and adds, with its costs.

    `ins` are the inputs that the body reads. `offsets[i]` is the number of instructions that an
    element of `ins[i]` needs before it is multiplied, such as 1 for its zero point. Dimensions in
    `single` take no blocks. Along those in `words`, all of `ins` can be read in vectors. Along
    those in `stored`, results may be stored in vectors, and along those in `sums` their sums may be
    vectors, too. If `hoists` is set, the sums of the other factors by which a zero point is
    multiplied are computed outside of the loops over the positions. `zero_point` is the constant
    that is added to elements of words.
    """

    nest: LoopNest
    ins: tuple[OperandAccess, ...]
    offsets: tuple[int, ...]
    single: frozenset[int] = frozenset()
    words: tuple[int, ...] = ()
    stored: tuple[int, ...] = ()
    sums: tuple[int, ...] = ()
    hoists: bool = False
    zero_point: int = 0


class Blocks(Struct, frozen=True):
    """The block of each dimension, the parallel ones first.

    `word` is the dimension of words, if there is one, and `lanes` the number of their elements.
    If `partial_sums` is not 1, each position has so many sums in the loops over words.
    `stored` is the dimension of results in vectors of `stored_lanes`.
    """

    sizes: tuple[int, ...]
    word: int | None = None
    lanes: int = 1
    partial_sums: int = 1
    stored: int | None = None
    stored_lanes: int = 1


class _Candidate(Struct, frozen=True):
    block: _Sizes
    word: int | None = None
    lanes: int = 1
    unit: VectorUnit | None = None
    stored: int | None = None
    sums: LaneUnit | None = None
    """The unit that has the sums in vectors along `stored`, in words of as many elements."""


@functools.cache  # layers of a network have equal nests
def cheapest_blocks(weighted: WeightedNest, cpu: Cpu) -> Blocks:
    """Return the blocks that cost the fewest instructions per position."""
    nest = weighted.nest
    # Of equal costs the smallest body, then blocks of the last dimensions, which are neighbours.
    best = min(_candidates(weighted, cpu), key=lambda own: _preference(weighted, own, cpu))
    dims = range(len(nest.parallel) + len(nest.reduction))
    stored_lanes = 1
    if best.stored is not None and cpu.lanes is not None:
        stored_lanes = cpu.lanes.lanes if best.sums is None else cpu.lanes.sums
    sizes = tuple(best.block.get(d, 1) for d in dims)
    is_dot = best.unit is not None and best.word == len(dims) - 1
    partial_sums = best.unit.sums if is_dot and best.unit is not None else 1
    return Blocks(sizes, best.word, best.lanes, partial_sums, best.stored, stored_lanes)


def _preference(
    weighted: WeightedNest, candidate: _Candidate, cpu: Cpu
) -> tuple[float, int, list[tuple[int, int]]]:
    block = candidate.block
    largest_last = [(-d, -size) for d, size in sorted(block.items(), reverse=True)]
    return _cost(weighted, candidate, cpu), math.prod(block.values()), largest_last


def _candidates(weighted: WeightedNest, cpu: Cpu) -> Iterator[_Candidate]:
    """Yield schedules whose results are stored one by one, and in vectors."""
    for candidate in _single_results(weighted, cpu):
        yield candidate
        for dim in weighted.stored if cpu.lanes is not None else ():
            # A word along `stored` would mean that the sums are vectors, too.
            fits = cpu.lanes is not None and candidate.block.get(dim, 1) % cpu.lanes.lanes == 0
            if fits and candidate.word != dim:
                yield structs.replace(candidate, stored=dim)
    if cpu.lanes is not None:
        yield from _vectors_of_sums(weighted, cpu, cpu.lanes)


def _vectors_of_sums(weighted: WeightedNest, cpu: Cpu, unit: LaneUnit) -> Iterator[_Candidate]:
    most = cpu.products(math.prod(weighted.nest.parallel))
    for block, dim in product(_parallel_blocks(weighted), weighted.sums):
        size = block.get(dim, 1)
        if size % unit.sums or math.prod(block.values()) > unit.most * unit.sums:
            continue
        for steps in _unrolled(weighted):
            if math.prod(block.values()) // unit.sums * math.prod(steps.values()) <= most:
                yield _Candidate({**block, **steps}, dim, unit.sums, stored=dim, sums=unit)


def _single_results(weighted: WeightedNest, cpu: Cpu) -> Iterator[_Candidate]:
    """Yield blocks of up to two parallel dimensions, each with and without unrolled points."""
    nest = weighted.nest
    most = cpu.products(math.prod(nest.parallel))
    for block in _parallel_blocks(weighted):
        positions = math.prod(block.values())
        if positions > cpu.max_block:
            continue
        for steps in _unrolled(weighted):
            if positions * math.prod(steps.values()) <= most:
                yield _Candidate({**block, **steps})
                yield from (
                    _Candidate({**block, **steps}, dim, unit.lanes, unit)
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
                candidate = _Candidate({**block, last: steps}, last, lanes, unit)
                is_small = positions * (steps // lanes) <= most
                if is_small and not _holds_too_many(weighted, candidate, unit):
                    yield candidate


def _has_too_many_sums(weighted: WeightedNest, block: _Sizes, unit: VectorUnit) -> bool:
    sums = math.prod(block.values())
    if unit.sums_factors and any(weighted.offsets) and not weighted.hoists:
        sums += _distinct(weighted.ins[-1], block)
    return unit.most_sums is not None and sums > unit.most_sums


def _holds_too_many(weighted: WeightedNest, candidate: _Candidate, unit: VectorUnit) -> bool:
    """Return whether words that are the same at all positions need too many registers."""
    nest, block = weighted.nest, candidate.block
    has_loop = any(block.get(d, 1) < n for d, n in enumerate(nest.reduction, len(nest.parallel)))
    if has_loop or unit.most_held is None or candidate.word is None:
        return False
    word = {candidate.word: candidate.lanes}
    return min(_distinct(access, block, word) for access in weighted.ins) > unit.most_held


def _parallel_blocks(weighted: WeightedNest) -> Iterator[dict[int, int]]:
    extents = weighted.nest.parallel
    free = [d for d in range(len(extents)) if d not in weighted.single]
    yield {}
    for count in (1, 2):
        for dims in combinations(free, count):
            for sizes in product(_SIZES, repeat=count):
                if all(extents[d] >= size for d, size in zip(dims, sizes, strict=True)):
                    yield dict(zip(dims, sizes, strict=True))


def _unrolled(weighted: WeightedNest) -> Iterator[dict[int, int]]:
    """Yield steps of the innermost loop: single points, a few, all columns of a window."""
    yield {}
    nest = weighted.nest
    last = len(nest.parallel) + len(nest.reduction) - 1
    if nest.reduction and last not in weighted.single:
        extent = nest.reduction[-1]
        for steps in sorted({*_STEPS, extent}):
            if 1 < steps <= extent and extent % steps == 0:
                yield {last: steps}


def _steps_of_words(extent: int, lanes: int) -> list[int]:
    """Return steps of the innermost loop in points, of a few words or of all that fit."""
    return sorted(n * lanes for n in {*_WORDS, extent // lanes} if 0 < n <= extent // lanes)


def _cost(weighted: WeightedNest, candidate: _Candidate, cpu: Cpu) -> float:
    """Return instructions per position.

    A position that is left over in one dimension is still in a block of the other one, unless its
    window may reach over a border. With hoisted sums it is, too; for words whose sums of factors
    are hoisted, the borders of the last dimension are filled, and at those of the others only the
    points inside are computed.
    """
    nest, block = weighted.nest, candidate.block
    shares = {d: _share(nest, d, size) for d, size in block.items() if d < len(nest.parallel)}
    cost = 0.0
    for blocked in product((True, False), repeat=len(shares)):
        alone = {d for d, is_blocked in zip(shares, blocked, strict=True) if not is_blocked}
        part = math.prod(1 - share if d in alone else share for d, share in shares.items())
        if part:
            if weighted.hoists and candidate.unit is not None and candidate.unit.sums_factors:
                clamped = alone - {len(nest.parallel) - 1}
                part *= math.prod(_share_of_points(nest, d, 1 - shares[d]) for d in clamped)
            elif not weighted.hoists and any(_borders(nest, d) for d in alone):
                alone = set(shares)
            kept = {d: n for d, n in block.items() if d not in alone or d == candidate.word}
            own = structs.replace(candidate, block=kept)
            cost += part * _cost_of_block(weighted, own, cpu)
    return cost


def _share(nest: LoopNest, dim: int, size: int) -> float:
    """Return the share of the positions of a dimension that are in whole blocks."""
    if size == 1:
        return 1
    extent = nest.parallel[dim]
    inside = max(0, extent - _borders(nest, dim))
    return inside // size * size / extent


def _share_of_points(nest: LoopNest, dim: int, share: float) -> float:
    """Return the share of the points that are inside, at the positions that are not in blocks.

    These are a share of the positions of a dimension, those at its borders first.
    """
    extents = (*nest.parallel, *nest.reduction)
    outside = 0.0
    for access in nest.inputs:
        for expression, axis in zip(access.index, access.shape, strict=True):
            terms = dict(expression.terms)
            step, reduced = terms.pop(dim, 0), [d for d in terms if d >= len(nest.parallel)]
            if access.clamped and step and list(terms) == reduced and len(reduced) == 1:
                factor, points = terms[reduced[0]], extents[reduced[0]]
                indices = [
                    expression.constant + step * position + factor * point
                    for position, point in product(range(extents[dim]), range(points))
                ]
                missed = sum(not 0 <= index < axis for index in indices)
                outside = max(outside, missed / points)
    return 1 - outside / (share * extents[dim])


def _borders(nest: LoopNest, dim: int) -> int:
    """Return how many positions of a dimension have windows that may reach over a border."""
    borders = 0
    for access in nest.inputs:
        for expression, axis in zip(access.index, access.shape, strict=True):
            terms = dict(expression.terms)
            if access.clamped and dim in terms:
                low, high = _reach(expression, dim, nest)
                step = abs(terms[dim])
                outside = max(0, -(low // step)) + max(0, -((axis - 1 - high) // step))
                borders = max(borders, outside)
    return borders


def share_of_borders(nest: LoopNest, reduced: int) -> float:
    """Return the share of the positions at which the loop over a dimension may be clamped."""
    return max(
        (
            _borders(nest, dim) / nest.parallel[dim]
            for access in nest.inputs
            for expression in access.index
            if access.clamped and reduced in dict(expression.terms)
            for dim, _ in expression.terms
            if dim < len(nest.parallel)
        ),
        default=0,
    )


def _reach(expression: Affine, dim: int, nest: LoopNest) -> tuple[int, int]:
    """Return the least and the greatest index, as far as windows around `dim` reach."""
    extents = (*nest.parallel, *nest.reduction)
    ends = [(0, factor * (extents[d] - 1)) for d, factor in expression.terms]
    return (
        expression.constant + sum(min(own) for own in ends),
        expression.constant + sum(max(own) for own in ends),
    )


def _cost_of_block(weighted: WeightedNest, candidate: _Candidate, cpu: Cpu) -> float:
    nest, block, first = weighted.nest, candidate.block, len(weighted.nest.parallel)
    positions = math.prod(size for d, size in block.items() if d < first)
    steps = math.prod(block.values()) // positions
    points = math.prod(nest.reduction)
    has_loop = steps < points
    words = 1
    if candidate.sums is not None:
        work, held = _of_sums(weighted, block, candidate, candidate.sums), 0
    elif candidate.word is None or candidate.unit is None:
        work, held = _of_elements(weighted, block)
    else:
        word = {candidate.word: candidate.lanes}
        work, held = _of_words(weighted, block, word, candidate.unit)
        words = steps // candidate.lanes if candidate.word >= first else steps
    accumulators = positions if candidate.sums is None else 0
    live = accumulators + held + _addresses(weighted, candidate) + has_loop
    spilled = max(0, live - cpu.registers) * cpu.spill * words
    loops = points / steps
    inner = loops * (work + spilled + (cpu.step if has_loop else 0))
    store = cpu.store if candidate.stored is None or cpu.lanes is None else cpu.lanes.store
    outer = cpu.step * (1 + len(nest.reduction)) + store * positions
    return (inner + outer) / positions


def _addresses(weighted: WeightedNest, candidate: _Candidate) -> int:
    """Return the registers of addresses: one per operand, or per position that reads other rows."""
    unit, first = candidate.unit, len(weighted.nest.parallel)
    if unit is None or not unit.has_short_offsets:
        return len(weighted.ins)
    block = {d: size for d, size in candidate.block.items() if d < first}
    return sum(_distinct(access, block) for access in weighted.ins)


def _of_elements(weighted: WeightedNest, block: _Sizes) -> tuple[int, int]:
    """Return the instructions of a step, and how many registers its elements need."""
    first = len(weighted.nest.parallel)
    one_step = {d: size for d, size in block.items() if d < first}
    elements = [_distinct(access, block) for access in weighted.ins]
    work = sum(n * (1 + extra) for n, extra in zip(elements, weighted.offsets, strict=True))
    # All but the operand that the last dimensions select stay in registers during a step.
    held = sorted(_distinct(access, one_step) for access in weighted.ins)
    return work + math.prod(block.values()), sum(held[:-1]) + 1


def _of_words(
    weighted: WeightedNest, block: _Sizes, word: _Sizes, unit: VectorUnit
) -> tuple[int, int]:
    """Return the instructions of a step with words along a dimension, and the registers."""
    first = len(weighted.nest.parallel)
    one_step = {d: size for d, size in block.items() if d < first}
    work = unit.load * sum(_distinct(access, block, word) for access in weighted.ins)
    products = math.prod(block.values())
    ((dim, lanes),) = word.items()
    has_zero_point = any(weighted.offsets) and not (unit.sums_factors and weighted.hoists)
    totals = int(has_zero_point)
    if dim >= first:
        work += unit.dot * (products // lanes)
        if has_zero_point and unit.sums_factors:
            work += unit.dot * _distinct(weighted.ins[-1], block, word)
            totals = _distinct(weighted.ins[-1], one_step)
    else:
        work += (unit.lane or 0) * products
    held = sorted(_distinct(access, one_step, word) for access in weighted.ins)
    return work, unit.registers * (sum(held[:-1]) + 1) + totals


def _of_sums(weighted: WeightedNest, block: _Sizes, candidate: _Candidate, unit: LaneUnit) -> int:
    """Return the instructions of a step whose sums are vectors."""
    word = {} if candidate.stored is None else {candidate.stored: unit.sums}
    vectors = math.prod(block.values()) // unit.sums
    added = unit.add + (unit.offset if any(weighted.offsets) else 0)
    return unit.load * sum(_distinct(own, block, word) for own in weighted.ins) + added * vectors


def _distinct(access: OperandAccess, block: _Sizes, word: _Sizes = MappingProxyType({})) -> int:
    """Return how many elements of an operand a block reads, or how many words of `word` elements.

    `word` has the number of elements by the dimension along which they are neighbours.
    """
    indices = tuple(expression.terms for expression in access.index)
    used = {d for terms in indices for d, _ in terms}
    ranges = tuple((d, size, word.get(d, 1)) for d, size in block.items() if size > 1 and d in used)
    return _distinct_indices(indices, ranges)


@functools.cache
def _distinct_indices(
    indices: tuple[tuple[tuple[int, int], ...], ...], block: tuple[tuple[int, int, int], ...]
) -> int:
    """Return the number of values of linear forms of dimensions in these ranges with steps."""
    factors = [[dict(terms).get(d, 0) for d, _, _ in block] for terms in indices]
    ranges = [range(0, size, step) for _, size, step in block]
    return len(
        {
            tuple(sum(map(operator.mul, own, at)) for own in factors if any(own))
            for at in product(*ranges)
        }
    )
