"""The blocks of a loop nest that cost the fewest instructions, by a model.

A block computes `positions` of the parallel domain together. One step of its innermost loop reads
each distinct element once, and multiplies and adds once per position and point:

    2 pixels x 4 channels    2 + 4 elements, 8 products, 8 sums in registers
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Iterator, Mapping
from itertools import combinations, product

from msgspec import Struct

from forebay.cpus.cpu import Cpu
from forebay.regions import Affine, LoopNest, OperandAccess

_SIZES = (2, 3, 4, 8)
_STEPS = (2, 4)

_Block = Mapping[int, int]
"""The positions that are computed together, by dimension; 1 for a dimension without entry."""


class WeightedNest(Struct, frozen=True):
    """A loop nest whose body multiplies and adds, with its costs.

    `ins` are the inputs that the body reads. `offsets[i]` is the number of instructions that an
    element of `ins[i]` needs before it is multiplied, such as 1 for its zero point. Dimensions in
    `single` take no blocks.
    """

    nest: LoopNest
    ins: tuple[OperandAccess, ...]
    offsets: tuple[int, ...]
    single: frozenset[int] = frozenset()


@functools.cache  # layers of a network have equal nests
def cheapest_blocks(weighted: WeightedNest, cpu: Cpu) -> tuple[int, ...]:
    """Return the block of each dimension, the parallel ones first."""
    nest = weighted.nest
    # Of equal costs the smallest body, then blocks of the last dimensions, which are neighbours.
    best = min(_candidates(weighted, cpu), key=lambda block: _preference(weighted, block, cpu))
    return tuple(best.get(d, 1) for d in range(len(nest.parallel) + len(nest.reduction)))


def _preference(
    weighted: WeightedNest, block: _Block, cpu: Cpu
) -> tuple[float, int, list[tuple[int, int]]]:
    largest_last = [(-d, -size) for d, size in sorted(block.items(), reverse=True)]
    return _cost(weighted, block, cpu), math.prod(block.values()), largest_last


def _candidates(weighted: WeightedNest, cpu: Cpu) -> Iterator[_Block]:
    """Yield blocks of up to two parallel dimensions, each with and without unrolled points."""
    extents = weighted.nest.parallel
    free = [d for d in range(len(extents)) if d not in weighted.single]
    blocks: list[dict[int, int]] = [{}]
    for count in (1, 2):
        for dims in combinations(free, count):
            for sizes in product(_SIZES, repeat=count):
                if all(extents[d] >= size for d, size in zip(dims, sizes, strict=True)):
                    blocks.append(dict(zip(dims, sizes, strict=True)))
    for block, steps in product(blocks, _unrolled(weighted)):
        positions = math.prod(block.values())
        if positions <= cpu.max_block and positions * math.prod(steps.values()) <= cpu.max_products:
            yield {**block, **steps}


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


def _cost(weighted: WeightedNest, block: _Block, cpu: Cpu) -> float:
    """Return instructions per position."""
    nest = weighted.nest
    parallel = range(len(nest.parallel))
    share = math.prod(_share(nest, d, block.get(d, 1)) for d in parallel)
    single = {d: size for d, size in block.items() if d not in parallel}
    cost = _cost_of_block(weighted, block, cpu)
    return (
        cost if share == 1 else share * cost + (1 - share) * _cost_of_block(weighted, single, cpu)
    )


def _share(nest: LoopNest, dim: int, size: int) -> float:
    """Return the share of the positions of a dimension that are in whole blocks."""
    if size == 1:
        return 1
    extent, borders = nest.parallel[dim], 0
    for access in nest.inputs:
        for expression, axis in zip(access.index, access.shape, strict=True):
            terms = dict(expression.terms)
            if access.clamped and dim in terms:
                low, high = _reach(expression, dim, nest)
                borders = max(borders, max(0, -low) + max(0, high - axis + 1))
    inside = max(0, extent - borders)
    return inside // size * size / extent


def _reach(expression: Affine, dim: int, nest: LoopNest) -> tuple[int, int]:
    """Return the least and the greatest index, as far as windows around `dim` reach."""
    extents = (*nest.parallel, *nest.reduction)
    ends = [(0, factor * (extents[d] - 1)) for d, factor in expression.terms]
    return (
        expression.constant + sum(min(own) for own in ends),
        expression.constant + sum(max(own) for own in ends),
    )


def _cost_of_block(weighted: WeightedNest, block: _Block, cpu: Cpu) -> float:
    nest, first = weighted.nest, len(weighted.nest.parallel)
    one_step = {d: size for d, size in block.items() if d < first}
    positions = math.prod(one_step.values())
    steps = math.prod(block.values()) // positions
    points = math.prod(nest.reduction)
    elements = [_distinct(access, block) for access in weighted.ins]
    work = sum(n * (1 + extra) for n, extra in zip(elements, weighted.offsets, strict=True))
    work += positions * steps
    has_loop = steps < points
    # All but the operand that the last dimensions select stay in registers during a step.
    held = sorted(_distinct(access, one_step) for access in weighted.ins)
    live = positions + sum(held[:-1]) + 1 + len(weighted.ins) + has_loop
    spilled = max(0, live - cpu.registers) * cpu.spill
    loops = points / steps
    inner = loops * (work + spilled + (cpu.step if has_loop else 0))
    outer = cpu.step * (1 + len(nest.reduction)) + cpu.store * positions
    return (inner + outer) / positions


def _distinct(access: OperandAccess, block: _Block) -> int:
    """Return how many elements of an operand the positions and points of a block read."""
    indices = tuple(expression.terms for expression in access.index)
    used = {d for terms in indices for d, _ in terms}
    return _distinct_indices(
        indices, tuple((d, size) for d, size in block.items() if size > 1 and d in used)
    )


@functools.cache
def _distinct_indices(
    indices: tuple[tuple[tuple[int, int], ...], ...], block: tuple[tuple[int, int], ...]
) -> int:
    """Return the number of values of linear forms of dimensions in these ranges."""
    factors = [[dict(terms).get(d, 0) for d, _ in block] for terms in indices]
    ranges = [range(size) for _, size in block]
    return len(
        {
            tuple(sum(map(operator.mul, own, at)) for own in factors if any(own))
            for at in product(*ranges)
        }
    )
