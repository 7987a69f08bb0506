"""The instructions of a loop nest with blocks, per position, by a model.

A step of the innermost loop costs what `steps` counts. Values without a register are stored and
loaded at each point; addresses and the counter of loops without words once per step.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import product

from msgspec import Struct, structs

from forebay.cpus.costs.borders import borders_of, clamped_by, share_of_points, uses
from forebay.cpus.costs.steps import (
    addresses,
    carried,
    distances_of,
    distinct,
    work_of_elements,
    work_of_sums,
    work_of_words,
)
from forebay.cpus.costs.weighted_nest import BlockSizes, Candidate, WeightedNest
from forebay.cpus.cpu import Cpu, FloatUnit

_MOST_PEELED = 2
"""Positions at borders that may get code of their own."""
_AROUND, _AROUND_EARLY = 8, 40
"""Instructions of code around the body of a loop nest, and around one with early sums."""
_ROW = 3
"""Instructions that find a row in a table."""
_FILL = 8
"""Instructions that find which elements of a word are outside, and fill these."""
_CUT, _FILLED = "cut", "filled"
"""How words are read at a border of the last dimension."""


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


class BlockCost(Struct, frozen=True):
    """Instructions executed per position of the parallel domain, and those of the code.

    An instruction of code has the price of `price` executed ones per position.
    """

    executed: float
    code: float
    price: float

    @property
    def priced(self) -> float:
        """The executed instructions per position, with the price of the code."""
        return self.executed + self.code * self.price


class BlockCosts:
    """The costs of the candidates for one nest on one processor."""

    def __init__(self, weighted: WeightedNest, cpu: Cpu) -> None:
        self._weighted, self._cpu = weighted, cpu
        nest = weighted.nest
        dims = range(len(nest.parallel))
        self._borders = [borders_of(nest, dim) for dim in dims]
        self._clamped = [clamped_by(nest, dim) for dim in dims]
        count = len(nest.parallel) + len(nest.reduction)
        self._distances = [distances_of(access, count) for access in weighted.ins]
        self._blocks: dict[tuple[object, ...], tuple[float, float]] = {}

    def of(self, candidate: Candidate) -> BlockCost:
        """Return the instructions of a candidate."""
        is_early = self._has_early_sums(candidate)
        cost, code = self._with_early_sums(candidate) if is_early else self._sum(candidate)
        positions = math.prod(self._weighted.nest.parallel) * self._weighted.runs
        return BlockCost(cost, code, self._cpu.code / positions)

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
            cost += math.prod(positions.share for positions in chosen) * executed
            code += math.prod(positions.bodies for positions in chosen) * body
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
            alone = {d for d, is_blocked in zip(split, blocked, strict=True) if not is_blocked}
            shares = {d: 1 - inside[d] if d in alone else inside[d] for d in split}
            if not (part := math.prod(shares.values())):
                continue
            border = self._border_of(candidate) if last in alone else None
            for d in dims:
                is_clamped = d in alone if d in inside else self._borders[d] > 0
                if is_clamped and (d != last or border == _CUT):
                    part *= share_of_points(nest, d, shares.get(d, 1))
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
        used = [d for d in range(last) if uses(weighted.ins[-1], d)]
        others = [d for d in range(last) if d not in used and self._borders[d]]
        times = math.prod(
            1 + (1 - inside[d]) * nest.parallel[d] if d in inside else nest.parallel[d]
            for d in others
        )
        each = unit.load + unit.dot
        words = (
            math.prod(nest.reduction) / candidate.lanes * math.prod(nest.parallel[d] for d in used)
        )
        bodies = math.prod(2 if inside.get(d, 1) < 1 else 1 for d in (*used, *others))
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
        clamped = frozenset[int]().union(*(kind.clamped for kind in kinds.values()))
        positions = None if candidate.word is None else kinds.get(candidate.word)
        if candidate.sums is not None and positions is not None and not positions.blocked:
            # Positions that are no whole vector of sums are computed one by one.
            candidate = structs.replace(candidate, word=None, lanes=1, stored=None, sums=None)
        kept: dict[int, int] = {}
        for dim, size in candidate.block.items():
            positions = kinds.get(dim)
            if dim in clamped:
                lanes = candidate.lanes if candidate.word == dim else 1
                kept[dim] = lanes if self._are_whole(dim, lanes) else 1
            elif positions is None or positions.blocked or dim == candidate.word:
                kept[dim] = size
        for dim, positions in kinds.items():
            inner = next((d for d in sorted(kept) if d > dim and kept[d] > 1), -1)
            if positions.longer > 1 and inner in kinds and inner != candidate.word:
                extent = self._weighted.nest.parallel[inner]
                longer = (kept[inner] * n for n in range(positions.longer, 1, -1))
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
        if cpu.floats is not None and weighted.is_float and candidate.sums is None:
            work = self._step_of_floats(cpu.floats, candidate, block)
        else:
            work = self._step(candidate, block, border)
        inner = points / steps * (work + (cpu.step if has_loop else 0))
        store = self._store(candidate)
        params = nest.inputs[len(weighted.ins) :]
        read = sum(distinct(own, block) for own in params)
        outer = cpu.step * (1 + len(nest.reduction)) + store * positions + read
        for dim in weighted.rows.difference(self._unrolled_rows(block)):
            around = range(first, dim + 1)
            outer += _ROW * math.prod(nest.reduction[d - first] / block.get(d, 1) for d in around)
        return (inner + outer) / positions, work + store * positions + _AROUND

    def _store(self, candidate: Candidate) -> float:
        """Return the cost of one result."""
        cpu, lanes = self._cpu, candidate.sums or self._cpu.lanes
        if candidate.stored is not None and lanes is not None:
            return lanes.store
        is_float = self._weighted.is_float and cpu.floats is not None
        return cpu.floats.store if is_float and cpu.floats is not None else cpu.store

    def _unrolled_rows(self, block: BlockSizes) -> list[int]:
        """Return the dimensions whose rows are all found outside of the loops."""
        return [d for d in self._weighted.rows if block.get(d, 1) > 1]

    def _addresses(self, candidate: Candidate, block: BlockSizes, steps: int) -> int:
        """Return the registers of addresses, rows and the counter of the innermost loop."""
        has_loop = steps < math.prod(self._weighted.nest.reduction)
        rows = sum(block[d] - 1 for d in self._unrolled_rows(block))
        return addresses(self._weighted, candidate, block, self._cpu) + has_loop + rows

    def _step_of_floats(self, unit: FloatUnit, candidate: Candidate, block: BlockSizes) -> float:
        """Return the instructions of a step on single-precision numbers, which have registers."""
        weighted, cpu, first = self._weighted, self._cpu, len(self._weighted.nest.parallel)
        positions = math.prod(size for d, size in block.items() if d < first)
        products = math.prod(block.values())
        work, held = work_of_elements(weighted, self._distances, block, 1)
        kept = carried(weighted, self._distances, block, cpu)
        of_loop = self._addresses(candidate, block, products // positions)
        excess = max(0, positions + held + kept + 1 - unit.registers)
        once = min(excess, kept) + max(0, of_loop - cpu.registers)
        excess -= min(excess, kept)
        moved = max(0, of_loop - len(weighted.ins) - 1) if unit.reach else 0
        work += (unit.multiply_add - 1) * products + moved
        return work + cpu.spill * (once + excess * (products // positions))

    def _step(self, candidate: Candidate, block: BlockSizes, border: str | None) -> float:
        """Return the instructions of a step on integers."""
        weighted, cpu = self._weighted, self._cpu
        first = len(weighted.nest.parallel)
        positions = math.prod(size for d, size in block.items() if d < first)
        steps = math.prod(block.values()) // positions
        word, unit = candidate.word, candidate.unit
        if word is not None and block.get(word, 1) % candidate.lanes:
            word = None
        more_sums = kept = 0
        if candidate.sums is not None:
            work = work_of_sums(weighted, block, candidate, cpu.cache)
            held, groups = 0, 1
            if candidate.stored is not None and not self._distances[0][candidate.stored]:
                kept = carried(weighted, self._distances[:1], block, cpu)
        elif word is None or unit is None:
            work, held = work_of_elements(weighted, self._distances, block, cpu.loaded_ahead)
            kept = carried(weighted, self._distances, block, cpu)
            groups = steps
        else:
            has_sums = unit.sums_factors and weighted.hoists and border != _CUT
            word_sizes = {word: candidate.lanes}
            work, held = work_of_words(weighted, block, word_sizes, unit, has_sums=has_sums)
            if border == _FILLED:
                work += _FILL * distinct(weighted.ins[0], block, word_sizes)
            groups = steps // candidate.lanes if word >= first else steps
            if unit.sums_factors and unit.most_sums is not None:
                more_sums = positions + held - unit.most_sums
        accumulators = positions if candidate.sums is None else 0
        more_rows = sum(block[d] - 1 for d in self._unrolled_rows(block))
        of_loop = self._addresses(candidate, block, steps) - more_rows
        live = accumulators + held + kept + of_loop + more_rows
        excess = max(0, live - cpu.registers, more_sums)
        # Compilers choose values for the stack that a step uses once, of single elements.
        once = min(excess, of_loop - 1 + kept) if groups == steps else 0
        return work + cpu.spill * (once + (excess - once) * groups)
