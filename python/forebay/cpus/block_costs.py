"""The instructions of a loop nest with blocks, per position, by a model.

A step of the innermost loop reads each distinct element once, and multiplies and adds once per
position and point. Values without a register are stored and loaded at each point.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Iterator, Mapping
from itertools import product
from types import MappingProxyType

from msgspec import Struct

from forebay.cpus.cpu import Cpu, LaneUnit, VectorUnit
from forebay.regions import Affine, LoopNest, OperandAccess

BlockSizes = Mapping[int, int]
"""The positions that are computed together, by dimension; 1 for a dimension without entry."""

_MOST_PEELED = 2
"""Positions at borders that may get code of their own."""
_AROUND, _AROUND_EARLY = 8, 40
"""Instructions of code around the body of a loop nest, and around one with early sums."""
_REACH = 127
"""Elements behind an address that a short offset reaches."""
_ROW = 3
"""Instructions that find a row in a table."""
_FILL = 8
"""Instructions that find which elements of a word are outside, and fill these."""
_CUT, _FILLED = "cut", "filled"
"""How words are read at a border of the last dimension."""


class WeightedNest(Struct, frozen=True):
    """A loop nest whose body multiplies and adds, with its costs.

    `ins` are the inputs that the body reads. `offsets[i]` is the number of instructions that an
    element of `ins[i]` needs before it is multiplied, such as 1 for its zero point. Dimensions in
    `single` take no blocks, and the reduction dimensions in `rows`, which select rows that lie
    anywhere, only their whole extent. Along those in `words`, all of `ins` can be read in vectors.
    Along those in `stored`, results may be stored in vectors, and along those in `sums` their sums
    may be vectors, too. If `hoists` is set, the sums of the other factors by which a zero point is
    multiplied are computed outside of the loops over the positions. `zero_point` is the constant
    that is added to elements of words. The nest runs `runs` times per inference, for each position
    of the dimensions in `varying`, which is known at run time only.
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
    runs: int = 1
    varying: frozenset[int] = frozenset()
    rows: frozenset[int] = frozenset()


class Candidate(Struct, frozen=True):
    """Blocks with words of `lanes` elements along a dimension, and results stored in vectors."""

    block: BlockSizes
    word: int | None = None
    lanes: int = 1
    unit: VectorUnit | None = None
    stored: int | None = None
    sums: LaneUnit | None = None
    """The unit that has the sums in vectors along `stored`, in words of as many elements."""
    peeled: tuple[int, ...] = ()
    """Dimensions whose positions that are in no block have code of their own."""


class _Positions(Struct, frozen=True):
    """A share of the positions of a dimension, and what is special about their loops.

    They are computed one by one unless `blocked` is set. The loops over the dimensions in `clamped`
    have limits that are not constant. Blocks of the next dimension are `longer` times as long.
    There are `bodies` loops over them.
    """

    share: float
    blocked: bool
    bodies: int = 1
    clamped: frozenset[int] = frozenset()
    longer: int = 1


class BlockCosts:
    """The costs of the candidates for one nest on one processor."""

    def __init__(self, weighted: WeightedNest, cpu: Cpu) -> None:
        self._weighted, self._cpu = weighted, cpu
        nest = weighted.nest
        dims = range(len(nest.parallel))
        self._borders = [borders_of(nest, dim) for dim in dims]
        self._clamped = [_clamped_by(nest, dim) for dim in dims]
        self._blocks: dict[tuple[object, ...], tuple[float, float]] = {}

    def of(self, candidate: Candidate) -> float:
        """Return instructions per position of the parallel domain, with the price of their code."""
        is_early = self._has_early_sums(candidate)
        cost, code = self._with_early_sums(candidate) if is_early else self._sum(candidate)
        positions = math.prod(self._weighted.nest.parallel) * self._weighted.runs
        return cost + self._cpu.code * code / positions

    def choices_to_peel(self, candidate: Candidate) -> list[tuple[int, ...]]:
        """Return the dimensions whose positions that are in no block may get code of their own.

        These are the last one with few such positions that are a large part of all, those that vary
        and limit a loop without steps, and both. Where elements outside are filled instead, words
        stay whole.
        """
        constant = self._constant_to_peel(candidate)
        varying = tuple(
            dim
            for dim in sorted(self._weighted.varying if self._cpu.peeled else ())
            if self._borders[dim] and any(d in candidate.block for d in self._clamped[dim])
        )
        found = dict.fromkeys((constant, varying, tuple(sorted({*constant, *varying}))))
        return [dims for dims in found if dims]

    def _constant_to_peel(self, candidate: Candidate) -> tuple[int, ...]:
        weighted, block = self._weighted, candidate.block
        extents = weighted.nest.parallel
        for dim in reversed(range(len(extents))) if self._cpu.peeled else ():
            extent, borders = extents[dim], self._borders[dim]
            left_over = max(0, extent - borders) % block.get(dim, 1)
            is_free = extent > 1 and dim not in weighted.single and dim != candidate.word
            if not is_free or borders > _MOST_PEELED or self._fills_along(dim, candidate):
                continue
            if (borders + left_over) * self._cpu.peeled >= extent:
                return (dim,)
        return ()

    def _sum(self, candidate: Candidate) -> tuple[float, float]:
        dims = [
            d
            for d in range(len(self._weighted.nest.parallel))
            if candidate.block.get(d, 1) > 1 or self._borders[d]
        ]
        kinds = [list(self._kinds(d, candidate, d in candidate.peeled)) for d in dims]
        cost, code = 0.0, 0.0
        for chosen in product(*kinds):
            executed, body = self._of_kinds(candidate, dict(zip(dims, chosen, strict=True)))
            cost += math.prod(own.share for own in chosen) * executed
            code += math.prod(own.bodies for own in chosen) * body
        return cost, code

    def _fills_along(self, dim: int, candidate: Candidate) -> bool:
        """Return whether elements outside along a dimension are filled, since they cut words."""
        unit, word = candidate.unit, candidate.word
        if unit is None or word not in self._clamped[dim] or not (unit.fills or unit.sums > 1):
            return False
        return not self._are_whole(word, candidate.lanes)

    def _has_early_sums(self, candidate: Candidate) -> bool:
        """Return whether sums of the second factors are computed before the other loops."""
        unit = candidate.unit
        return self._weighted.hoists and unit is not None and unit.sums_factors

    def _with_early_sums(self, candidate: Candidate) -> tuple[float, float]:
        """Return the cost where only borders of the last dimension have loops of their own.

        There words outside are left out if they are whole ones, which takes the sums of the other
        factors at each position, and else filled. Other dimensions are split into blocks and single
        positions, or clamped at all positions. At clamped ones only the points inside are computed.
        """
        nest, block = self._weighted.nest, candidate.block
        dims, last = range(len(nest.parallel)), len(nest.parallel) - 1
        split = [d for d in dims if block.get(d, 1) > 1 or (d == last and self._borders[d])]
        inside = {d: self._share(d, block.get(d, 1), d == last) for d in split}
        cost, code = self._early_sums(candidate, inside)
        for blocked in product((True, False), repeat=len(split)):
            alone = {d for d, own in zip(split, blocked, strict=True) if not own}
            shares = {d: 1 - inside[d] if d in alone else inside[d] for d in split}
            if not (part := math.prod(shares.values())):
                continue
            border = self._border_of(candidate) if last in alone else None
            for d in dims:
                is_clamped = d in alone if d in inside else self._borders[d] > 0
                if is_clamped and (d != last or border == _CUT):
                    part *= _share_of_points(nest, d, shares.get(d, 1))
            kept = {d: n for d, n in block.items() if d not in alone or d == candidate.word}
            if border == _CUT and candidate.word is not None:
                kept[candidate.word] = candidate.lanes
            executed, body = self._of_block(candidate, kept, border)
            cost, code = cost + part * executed, code + body + _AROUND_EARLY - _AROUND
        return cost, code

    def _early_sums(self, candidate: Candidate, inside: Mapping[int, float]) -> tuple[float, float]:
        """Return the cost per position of sums of the second factors, and their code.

        They are computed for each position of the dimensions that are clamped at all positions, and
        again for single positions of one that is split.
        """
        weighted, unit, word = self._weighted, candidate.unit, candidate.word
        assert unit is not None and word is not None, "factors are summed in words"
        nest, block, last = weighted.nest, candidate.block, len(weighted.nest.parallel) - 1
        own = [d for d in range(last) if _uses(weighted.ins[-1], d)]
        others = [d for d in range(last) if d not in own and self._borders[d]]
        times = math.prod(
            1 + (1 - inside[d]) * nest.parallel[d] if d in inside else nest.parallel[d]
            for d in others
        )
        each = unit.load + unit.dot
        words = (
            math.prod(nest.reduction) / candidate.lanes * math.prod(nest.parallel[d] for d in own)
        )
        bodies = math.prod(2 if inside.get(d, 1) < 1 else 1 for d in (*own, *others))
        size = distinct(weighted.ins[-1], block, {word: candidate.lanes})
        return times * words * each / math.prod(nest.parallel), bodies * (
            size * each + _AROUND_EARLY
        )

    def _border_of(self, candidate: Candidate) -> str | None:
        """Return how words at borders of the last dimension are read."""
        last, word = len(self._weighted.nest.parallel) - 1, candidate.word
        if not self._borders[last] or word is None:
            return None
        is_whole = word in self._clamped[last] and self._are_whole(word, candidate.lanes)
        is_whole = is_whole and candidate.sums is None
        return _CUT if is_whole else _FILLED

    def _share(self, dim: int, size: int, has_border: bool) -> float:
        """Return the share of the positions of a dimension that are in whole blocks."""
        extent = self._weighted.nest.parallel[dim]
        is_split = size > 1 or has_border
        inside = max(0, extent - self._borders[dim]) if is_split else extent
        return inside // size * size / extent

    def _kinds(self, dim: int, candidate: Candidate, is_peeled: bool) -> Iterator[_Positions]:
        extent, size = self._weighted.nest.parallel[dim], candidate.block.get(dim, 1)
        borders = min(extent, self._borders[dim])
        has_steps = any(d in candidate.block for d in self._clamped[dim])
        if dim in self._weighted.varying and has_steps and not is_peeled:
            yield _Positions(1, blocked=False, clamped=self._clamped[dim])
            return
        if not is_peeled and size == 1 and not has_steps:
            yield _Positions(1, blocked=True)
            return
        whole = (extent - borders) // size * size
        if whole:
            yield _Positions(whole / extent, blocked=True)
        left_over = extent - borders - whole
        if is_peeled and dim not in self._weighted.varying:
            if left_over:
                yield _Positions(left_over / extent, blocked=False, longer=size)
            if borders:
                yield _Positions(borders / extent, blocked=False, bodies=borders)
        elif whole < extent:
            clamped = self._clamped[dim] if borders else frozenset[int]()
            yield _Positions(1 - whole / extent, blocked=False, clamped=clamped)

    def _of_kinds(
        self, candidate: Candidate, kinds: Mapping[int, _Positions]
    ) -> tuple[float, float]:
        clamped = frozenset[int]().union(*(own.clamped for own in kinds.values()))
        kept: dict[int, int] = {}
        for dim, size in candidate.block.items():
            own = kinds.get(dim)
            if dim in clamped:
                lanes = candidate.lanes if candidate.word == dim else 1
                kept[dim] = lanes if self._are_whole(dim, lanes) else 1
            elif own is None or own.blocked or dim == candidate.word:
                kept[dim] = size
        for dim, own in kinds.items():
            inner = next((d for d in sorted(kept) if d > dim and kept[d] > 1), -1)
            if own.longer > 1 and inner in kinds and inner != candidate.word:
                extent = self._weighted.nest.parallel[inner]
                longer = (kept[inner] * n for n in range(own.longer, 1, -1))
                kept[inner] = next((n for n in longer if extent % n == 0), kept[inner])
        return self._of_block(candidate, kept)

    def _are_whole(self, dim: int, lanes: int) -> bool:
        """Return whether limits of the loop over a dimension are multiples of a number."""
        numbers = [
            number
            for access in self._weighted.ins
            for expression in access.index
            for terms in [dict(expression.terms)]
            if access.clamped and dim in terms
            for number in [expression.constant, *(n for d, n in terms.items() if d != dim)]
        ]
        return all(number % lanes == 0 for number in numbers)

    def _of_block(
        self, candidate: Candidate, block: BlockSizes, border: str | None = None
    ) -> tuple[float, float]:
        """Return the cost per position and the code of a candidate with other sizes of blocks.

        Each is computed once.
        """
        key = (tuple(sorted(block.items())), candidate.word, candidate.lanes, candidate.unit)
        key = (*key, candidate.stored, candidate.sums, border)
        if key not in self._blocks:
            self._blocks[key] = self._computed(candidate, block, border)
        return self._blocks[key]

    def _computed(
        self, candidate: Candidate, block: BlockSizes, border: str | None
    ) -> tuple[float, float]:
        weighted, cpu = self._weighted, self._cpu
        nest, first = weighted.nest, len(weighted.nest.parallel)
        positions = math.prod(size for d, size in block.items() if d < first)
        steps = math.prod(block.values()) // positions
        points = math.prod(nest.reduction)
        has_loop = steps < points
        word, unit = candidate.word, candidate.unit
        if word is not None and block.get(word, 1) % candidate.lanes:
            word = None
        more_sums = 0
        if candidate.sums is not None:
            work, held, groups = _of_sums(weighted, block, candidate, candidate.sums), 0, 1
        elif word is None or unit is None:
            work, held = _of_elements(weighted, block)
            groups = steps
        else:
            has_sums = unit.sums_factors and weighted.hoists and border != _CUT
            word_sizes = {word: candidate.lanes}
            work, held = _of_words(weighted, block, word_sizes, unit, has_sums=has_sums)
            if border == _FILLED:
                work += _FILL * distinct(weighted.ins[0], block, word_sizes)
            groups = steps // candidate.lanes if word >= first else steps
            if unit.sums_factors and unit.most_sums is not None:
                more_sums = positions + held - unit.most_sums
        accumulators = positions if candidate.sums is None else 0
        unrolled = [d for d in weighted.rows if block.get(d, 1) > 1]
        more_rows = sum(block[d] - 1 for d in unrolled)
        live = accumulators + held + _addresses(weighted, candidate, block) + more_rows + has_loop
        spilled = max(0, live - cpu.registers, more_sums) * cpu.spill * groups
        loops = points / steps
        inner = loops * (work + spilled + (cpu.step if has_loop else 0))
        has_lanes = candidate.stored is not None and cpu.lanes is not None
        store = cpu.lanes.store if has_lanes and cpu.lanes is not None else cpu.store
        outer = cpu.step * (1 + len(nest.reduction)) + store * positions
        for dim in weighted.rows.difference(unrolled):
            around = range(first, dim + 1)
            outer += _ROW * math.prod(nest.reduction[d - first] / block.get(d, 1) for d in around)
        return (inner + outer) / positions, work + spilled + store * positions + _AROUND


def _clamped_by(nest: LoopNest, dim: int) -> frozenset[int]:
    """Return the reduction dimensions whose loops a parallel dimension may limit."""
    return frozenset(
        own
        for access in nest.inputs
        for expression in access.index
        if access.clamped and dim in expression.dimensions
        for own in expression.dimensions
        if own >= len(nest.parallel)
    )


def _uses(access: OperandAccess, dim: int) -> bool:
    return any(dim in expression.dimensions for expression in access.index)


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


def borders_of(nest: LoopNest, dim: int) -> int:
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


def _reach(expression: Affine, dim: int, nest: LoopNest) -> tuple[int, int]:
    """Return the least and the greatest index, as far as windows around `dim` reach."""
    extents = (*nest.parallel, *nest.reduction)
    ends = [(0, factor * (extents[d] - 1)) for d, factor in expression.terms]
    return (
        expression.constant + sum(min(own) for own in ends),
        expression.constant + sum(max(own) for own in ends),
    )


def _addresses(weighted: WeightedNest, candidate: Candidate, block: BlockSizes) -> int:
    """Return the registers of addresses: one per operand, or for all elements that it reaches."""
    unit, first = candidate.unit, len(weighted.nest.parallel)
    if unit is None or not unit.has_short_offsets:
        return len(weighted.ins)
    own = {d: size for d, size in block.items() if d < first}
    return sum(_addresses_of(access, own) for access in weighted.ins)


def _addresses_of(access: OperandAccess, block: BlockSizes) -> int:
    """Return how many addresses with short offsets reach the elements of all positions."""
    strides = [math.prod(access.shape[axis + 1 :]) for axis in range(len(access.shape))]
    factors = {
        d: sum(dict(own.terms).get(d, 0) * n for own, n in zip(access.index, strides, strict=True))
        for d in block
    }
    ranges = [range(0, abs(factors[d]) * size, abs(factors[d]) or 1) for d, size in block.items()]
    count, reached = 0, -1
    for offset in sorted({sum(at) for at in product(*ranges)}):
        if offset > reached:
            count, reached = count + 1, offset + _REACH
    return count


def _of_elements(weighted: WeightedNest, block: BlockSizes) -> tuple[int, int]:
    """Return the instructions of a step, and how many registers its elements need."""
    first = len(weighted.nest.parallel)
    one_step = {d: size for d, size in block.items() if d < first}
    elements = [distinct(access, block) for access in weighted.ins]
    work = sum(n * (1 + extra) for n, extra in zip(elements, weighted.offsets, strict=True))
    # All but the operand that the last dimensions select stay in registers during a step.
    held = sorted(distinct(access, one_step) for access in weighted.ins)
    return work + math.prod(block.values()), sum(held[:-1]) + 1


def _of_words(
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


def _of_sums(
    weighted: WeightedNest, block: BlockSizes, candidate: Candidate, unit: LaneUnit
) -> int:
    """Return the instructions of a step whose sums are vectors."""
    word = {} if candidate.stored is None else {candidate.stored: unit.sums}
    vectors = math.prod(block.values()) // unit.sums
    added = unit.add + (unit.offset if any(weighted.offsets) else 0)
    return unit.load * sum(distinct(own, block, word) for own in weighted.ins) + added * vectors


def distinct(
    access: OperandAccess, block: BlockSizes, word: BlockSizes = MappingProxyType({})
) -> int:
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
