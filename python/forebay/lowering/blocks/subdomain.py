"""A part of the domain of a blocked nest: positions, block sizes and clamps of its loops."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import product

from forebay.ir.memory.linear import Linear
from forebay.lowering.blocks.interior import points_inside
from forebay.lowering.blocks.lanes import Lanes
from forebay.lowering.blocks.words import Words
from forebay.lowering.loops.window_bounds import Bounds, IndexClamp, find_bounds

_Axes = Sequence[tuple[Linear[int], int]]


class Subdomain:
    """The positions of each dimension, the blocks of each, and the clamps that these need.

    A clamped loop takes single steps, or single words where it begins and ends at whole ones. If
    `fill_dim` is given, elements outside along this parallel dimension are filled instead. If
    `has_starts` is set, sums begin with the part of the offset where all points are inside. The
    positions of the dimensions in `varying` are known at run time only. Those of the dimensions in
    `peeled` that are in no block have code of their own.
    """

    def __init__(
        self,
        axes: _Axes,
        counters: Sequence[range],
        wanted: Sequence[int],
        parallel: int,
        varying: Collection[int],
        *,
        words: Words | None = None,
        lanes: Lanes | None = None,
        fill_dim: int | None = None,
        border_dim: int | None = None,
        has_starts: bool = False,
        peeled: Collection[int] = (),
    ) -> None:
        self.peeled = peeled
        self._words, self._lanes = words, lanes
        self._fill_dim, self._border_dim, self._has_starts = fill_dim, border_dim, has_starts
        self._axes, self._wanted, self._parallel = axes, tuple(wanted), parallel
        self._varying = varying
        self.counters = tuple(counters)
        self.bounds: Bounds = find_bounds(axes, counters, parallel, varying)
        self.blocks = tuple(self._block(d) for d in range(len(wanted)))

    def _block(self, dim: int) -> int:
        clamps = self.clamps(dim)
        lanes = self._words.lanes if self._words is not None and self._words.dim == dim else 1
        if not clamps:
            block = min(self._wanted[dim], len(self.counters[dim]))
            return max(1, block // lanes * lanes) if dim >= self._parallel else self._wanted[dim]
        is_whole = len(self.counters[dim]) % lanes == 0
        is_whole = is_whole and all(is_multiple(clamp, lanes) for clamp in clamps)
        return min(lanes, self._wanted[dim]) if is_whole else 1

    def clamps(self, dim: int) -> tuple[IndexClamp, ...]:
        """Return the clamps of a loop, without those along which elements are filled."""
        clamps, filled = self.bounds.of_dim(dim), self._fill_dim
        return tuple(c for c in clamps if filled is None or not c.base.factor(filled))

    def is_unrolled(self, dim: int) -> bool:
        """Return whether a reduction dimension has no loop: all of its points are in one block."""
        is_whole = dim >= self._parallel and self.blocks[dim] == len(self.counters[dim])
        return is_whole and not self.clamps(dim)

    @property
    def points(self) -> tuple[range, ...]:
        """Return the points of each reduction dimension, before any clamping."""
        return self.counters[self._parallel :]

    @property
    def words(self) -> Words | None:
        """Return the words in which operands are read; None if elements are read one by one."""
        words = self._words
        return words if words is not None and self.blocks[words.dim] % words.lanes == 0 else None

    @property
    def lanes(self) -> Lanes | None:
        """Return the lanes in which results are stored; None if they are stored one by one."""
        lanes = self._lanes
        return lanes if lanes is not None and self.blocks[lanes.dim] % lanes.count == 0 else None

    def positions(self) -> list[dict[int, int]]:
        """Return the positions of the block; those of the first dimensions change fastest.

        So the elements that only the last dimensions select, such as weights, are loaded one after
        the other and need one register.
        """
        blocks, lanes = self.blocks, self.lanes
        blocked = [d for d in range(self._parallel) if blocks[d] > 1]
        steps = {lanes.dim: lanes.count} if lanes is not None and lanes.has_sums else {}
        ranges = [range(0, blocks[d], steps.get(d, 1)) for d in reversed(blocked)]
        return [dict(zip(reversed(blocked), at, strict=True)) for at in product(*ranges)]

    def splits(self, dim: int) -> bool:
        """Return whether the inside of a parallel dimension has other loops than its borders."""
        clamps = [clamp for clamp in self.bounds.clamps if clamp.base.factor(dim)]
        if dim in self.peeled or ((dim == self._border_dim or self._has_starts) and clamps):
            return True
        return self.blocks[dim] > 1 or any(
            self._wanted[clamp.dim] > self.blocks[clamp.dim] for clamp in clamps
        )

    def inside(self, dim: int, positions: range) -> Subdomain:
        """Return the subdomain of some positions of a parallel dimension, in blocks."""
        counters = [*self.counters[:dim], positions, *self.counters[dim + 1 :]]
        return self._with(counters, self._wanted)

    def at(self, dim: int, position: int) -> Subdomain:
        """Return the subdomain of one position of a dimension, whose windows have constant limits.

        A window that the dimension limits together with others, or that is wholly outside, stays
        clamped.
        """
        counters = list(self.counters)
        counters[dim] = range(position, position + 1)
        for form, size in self._axes:
            reduced = [d for d in form.terms if d >= self._parallel]
            others = [d for d in form.terms if d < self._parallel]
            is_known = all(len(counters[d]) == 1 and d not in self._varying for d in others)
            if form.factor(dim) and is_known and len(reduced) == 1:
                (own,) = reduced
                counters[own] = points_inside(form, size, own, counters) or counters[own]
        wanted = [1 if d == dim else block for d, block in enumerate(self._wanted)]
        return self._with(counters, wanted)

    def left_over(self, dim: int, positions: range) -> Subdomain:
        """Return the subdomain of single positions after the blocks of a dimension.

        The next dimension with blocks has longer ones, of at most as many positions in all, if they
        divide it.
        """
        counters = [*self.counters[:dim], positions, *self.counters[dim + 1 :]]
        wanted = list(self._wanted)
        wanted[dim] = 1
        for other in range(dim + 1, self._parallel):
            block, count = wanted[other], len(counters[other])
            if block > 1 and (self._words is None or self._words.dim != other):
                longer = (block * n for n in range(self._wanted[dim], 1, -1))
                wanted[other] = next((size for size in longer if count % size == 0), block)
                break
        return self._with(counters, wanted)

    def one_by_one(self, dim: int) -> Subdomain:
        """Return the subdomain of single positions of a dimension, whose windows may be clamped."""
        wanted = [1 if d == dim else block for d, block in enumerate(self._wanted)]
        clamped = {clamp.dim for clamp in self.bounds.clamps if clamp.base.factor(dim)}
        wanted = [self.blocks[d] if d in clamped else block for d, block in enumerate(wanted)]
        return self._with(self.counters, wanted, has_starts=False)

    def _with(
        self, counters: Sequence[range], wanted: Sequence[int], *, has_starts: bool = True
    ) -> Subdomain:
        return Subdomain(
            self._axes,
            counters,
            wanted,
            self._parallel,
            self._varying,
            words=self._words,
            lanes=self._lanes,
            fill_dim=self._fill_dim,
            border_dim=self._border_dim,
            has_starts=self._has_starts and has_starts,
            peeled=self.peeled,
        )


def is_multiple(clamp: IndexClamp, lanes: int) -> bool:
    """Return whether a clamped loop begins and ends at multiples of a number."""
    base = (clamp.base.constant, clamp.size, *clamp.base.terms.values())
    return clamp.coefficient == 1 and all(number % lanes == 0 for number in base)
