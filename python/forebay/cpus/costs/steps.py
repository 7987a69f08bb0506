"""The instructions of a step of the innermost loop, and the registers that it needs.

A step reads each distinct element once, and multiplies and adds once per position and point.
"""

from __future__ import annotations

import functools
import math
import operator
from collections import Counter
from collections.abc import Sequence
from itertools import product
from types import MappingProxyType

from forebay.cpus.costs.weighted_nest import BlockSizes, Candidate, WeightedNest
from forebay.cpus.cpu import Cpu, LaneUnit, VectorUnit
from forebay.regions import OperandAccess

ElementDistances = tuple[int, ...]
"""By dimension: how far elements of neighbouring positions are from each other."""
_Ranges = tuple[tuple[int, int], ...]
"""Distance and number of elements along each dimension."""

_REACH = 127
"""Elements after an address that a short offset reaches."""


def addresses(weighted: WeightedNest, candidate: Candidate, block: BlockSizes, cpu: Cpu) -> int:
    """Return the registers of addresses: one per operand, or for all elements that it reaches."""
    reach = _reach(weighted, candidate, cpu)
    if not reach:
        return len(weighted.ins)
    own = {d: size for d, size in block.items() if d < len(weighted.nest.parallel)}
    return sum(_addresses_of(access, own, reach) for access in weighted.ins)


def _reach(weighted: WeightedNest, candidate: Candidate, cpu: Cpu) -> int:
    """Return how many elements behind an address its offsets reach, 0 for any number."""
    if weighted.is_float and cpu.floats is not None:
        return cpu.floats.reach
    unit = candidate.unit
    return _REACH if unit is not None and unit.has_short_offsets else 0


def _addresses_of(access: OperandAccess, block: BlockSizes, reach: int) -> int:
    """Return how many addresses with short offsets reach the elements of all positions."""
    strides = [math.prod(access.shape[axis + 1 :]) for axis in range(len(access.shape))]
    factors = {
        d: sum(
            dict(form.terms).get(d, 0) * n for form, n in zip(access.index, strides, strict=True)
        )
        for d in block
    }
    ranges = [
        range(0, abs(factors[d]) * size, abs(factors[d])) for d, size in block.items() if factors[d]
    ]
    count, reached = 0, -1
    for offset in sorted({sum(at) for at in product(*ranges)}):
        if offset > reached:
            count, reached = count + 1, offset + reach
    return count


def work_of_elements(
    weighted: WeightedNest,
    distances: Sequence[ElementDistances],
    block: BlockSizes,
    loaded_ahead: int,
) -> tuple[int, int]:
    """Return the instructions of a step, and how many registers its elements need.

    Of elements that are used once, `loaded_ahead` are in registers at the same time. `distances`
    are those of each operand.
    """
    first = len(weighted.nest.parallel)
    one_step = {d: size for d, size in block.items() if d < first}
    elements = [distinct(access, block) for access in weighted.ins]
    work = sum(n * (1 + extra) for n, extra in zip(elements, weighted.offsets, strict=True))
    # All but the operand that the last dimensions select stay in registers during a step, and of
    # that one the elements that a later point of the step reads again.
    held = [distinct(access, one_step) for access in weighted.ins]
    streamed = max(range(len(held)), key=held.__getitem__)
    products = math.prod(block.values())
    ahead = loaded_ahead if products in elements else 1
    points = {d: size for d, size in block.items() if d >= first}
    of_streamed = distances[streamed]
    starts, offsets = _ranges_of(of_streamed, points), _ranges_of(of_streamed, one_step)
    again = _live_between_points(offsets, starts) if points else 0
    return work + products, sum(held) - held[streamed] + ahead + again


def carried(
    weighted: WeightedNest, distances: Sequence[ElementDistances], block: BlockSizes, cpu: Cpu
) -> int:
    """Return the registers of elements that a compiler keeps for the next iterations.

    GCC's predictive commoning keeps an element that one of the next `cpu.carried` iterations reads
    again, such as the pixels that the windows of two neighbouring positions share. It takes a
    register per iteration: fewer than 4 on processors with less than 16 free registers, and fewer
    than 8 on others (`MAX_DISTANCE` in GCC's tree-predcom). `distances` are those of each operand.
    """
    nest, longest, unrolled = weighted.nest, cpu.carried, cpu.unrolled
    first = len(nest.parallel)
    loops = [d for d, n in enumerate(nest.reduction, first) if block.get(d, 1) < n]
    if len(loops) > 1 and nest.reduction[loops[-1] - first] <= unrolled * block.get(loops[-1], 1):
        inner = loops.pop()
        block = {**block, inner: nest.reduction[inner - first]}
    if not loops:
        return 0
    points = block.get(loops[-1], 1)
    longest = min(longest, nest.reduction[loops[-1] - first] // points - 1)
    if longest < 1:
        return 0
    return sum(
        _registers_carried(_ranges_of(distance, block), distance[loops[-1]] * points, longest)
        for distance in distances
    )


@functools.cache
def _registers_carried(ranges: _Ranges, step: int, longest: int) -> int:
    """Return the registers of elements that one of the next `longest` steps reads again.

    An element takes one register for each step until then.
    """
    elements = {sum(at) for at in product(*(range(0, f * size, f) for f, size in ranges))}
    counts = range(1, longest + 1) if step else ()
    return sum(next((n for n in counts if at + n * step in elements), 0) for at in elements)


@functools.cache
def _live_between_points(positions: _Ranges, points: _Ranges) -> int:
    """Return the most elements that are live at once until a later point of a body reads them."""
    offsets = [sum(at) for at in product(*(range(0, f * size, f) for f, size in positions))]
    starts = [sum(at) for at in product(*(range(0, f * size, f) for f, size in points))]
    seen, later = set[int](), Counter(start + at for start in starts for at in offsets)
    most = 0
    for start in starts:
        now = {start + at for at in offsets}
        seen |= now
        later.subtract(now)
        most = max(most, sum(later[at] > 0 for at in seen))
    return most


def _ranges_of(distances: ElementDistances, block: BlockSizes) -> _Ranges:
    """Return distance and number of the elements along each dimension of a block."""
    return tuple((distances[d], n) for d, n in sorted(block.items()) if distances[d] and n > 1)


def distances_of(access: OperandAccess, dims: int) -> ElementDistances:
    """Return how far elements of neighbouring positions of each dimension are from each other."""
    found = [0] * dims
    for axis, expression in enumerate(access.index):
        stride = math.prod(access.shape[axis + 1 :])
        for dim, factor in expression.terms:
            found[dim] += factor * stride
    return tuple(found)


def work_of_words(
    weighted: WeightedNest,
    block: BlockSizes,
    word: BlockSizes,
    unit: VectorUnit,
    *,
    has_sums: bool,
) -> tuple[int, int]:
    """Return the instructions of a step with words along a dimension, and the registers.

    The sums of the second factors are known if `has_sums` is set.
    """
    first = len(weighted.nest.parallel)
    one_step = {d: size for d, size in block.items() if d < first}
    work = unit.load * sum(distinct(access, block, word) for access in weighted.ins)
    products = math.prod(block.values())
    ((dim, lanes),) = word.items()
    has_zero_point = any(weighted.offsets) and not has_sums
    totals = int(has_zero_point)
    if dim >= first:
        work += unit.dot * (products // lanes)
        if has_zero_point and unit.sums_factors:
            work += unit.dot * distinct(weighted.ins[-1], block, word)
            totals = distinct(weighted.ins[-1], one_step)
    else:
        work += (unit.lane or 0) * products
    held = sorted(distinct(access, one_step, word) for access in weighted.ins)
    return work, unit.registers * (sum(held[:-1]) + 1) + totals


def work_of_sums(
    weighted: WeightedNest, block: BlockSizes, candidate: Candidate, cache: int
) -> int:
    """Return the instructions of a step whose sums are vectors; `cache` is that of the `Cpu`."""
    unit, dim = candidate.sums, candidate.stored
    assert unit is not None and dim is not None, "sums are vectors along a dimension"
    if unit.dot_length > 1:
        return _work_of_dots(weighted, block, dim, unit, cache)
    word = {dim: unit.sums}
    vectors = math.prod(block.values()) // unit.sums
    added = unit.add + (unit.offset if any(weighted.offsets) else 0)
    return (
        unit.load * sum(distinct(access, block, word) for access in weighted.ins) + added * vectors
    )


def _work_of_dots(
    weighted: WeightedNest, block: BlockSizes, dim: int, unit: LaneUnit, cache: int
) -> int:
    """Return the instructions of a step whose words are added to vectors of sums.

    Vectors that do not stay in the cache from one block to the next one are twice as dear.
    """
    first = len(weighted.nest.parallel)
    last = first + len(weighted.nest.reduction) - 1
    word = {dim: unit.sums, last: unit.dot_length}
    words, vectors = (distinct(access, block, word) for access in weighted.ins)
    read = vectors * unit.sums * unit.dot_length * math.prod(weighted.nest.reduction)
    steps = math.prod(size for d, size in block.items() if d >= first)
    far = 1 + (read > cache * steps)
    loads = (unit.load + (unit.offset if any(weighted.offsets) else 0)) * words
    dots = math.prod(block.values()) // (unit.sums * unit.dot_length)
    return loads + unit.load * far * vectors + unit.add * dots


def distinct(
    access: OperandAccess, block: BlockSizes, word: BlockSizes = MappingProxyType({})
) -> int:
    """Return how many elements of an operand a block reads, or how many words of `word` elements.

    `word` has the number of elements by the dimension along which they are neighbours.
    """
    used = access.linear_dimensions
    ranges = tuple((d, size, word.get(d, 1)) for d, size in block.items() if size > 1 and d in used)
    return _distinct_indices(access.terms, ranges) if ranges else 1


@functools.cache
def _distinct_indices(
    indices: tuple[tuple[tuple[int, int], ...], ...], block: tuple[tuple[int, int, int], ...]
) -> int:
    """Return the number of values of linear forms of dimensions in these ranges with steps."""
    factors = [[dict(terms).get(d, 0) for d, _, _ in block] for terms in indices]
    ranges = [range(0, size, step) for _, size, step in block]
    return len(
        {
            tuple(sum(map(operator.mul, factor, at)) for factor in factors if any(factor))
            for at in product(*ranges)
        }
    )
