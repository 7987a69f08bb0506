"""Sums of the second factors, which are computed before the loops over the other positions.

With an offset `z` of the first operand, the sum over the points is

    sum((a + z) * w) = sum(a * w) + z * sum(w)

The last part is the same at all positions that select the same second factors, as long as no limit
of a loop differs there.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager

from mlir import ir
from mlir.dialects import arith

from forebay.ir.memory.linear import Linear
from forebay.lowering.blocks.blocked_op import BlockedOp
from forebay.lowering.blocks.cloned import cloned
from forebay.lowering.blocks.elements import LoadedValues, NestElements
from forebay.lowering.blocks.interior import interior_of
from forebay.lowering.blocks.operand import BlockOffsets
from forebay.lowering.blocks.reduction_loops import ReductionLoops
from forebay.lowering.blocks.scope import NestScope
from forebay.lowering.blocks.subdomain import Subdomain
from forebay.lowering.blocks.words import add_elements, no_sums, total_of, with_offset, words_of
from forebay.lowering.kernels import scalar
from forebay.lowering.loops.box_loops import all_equal, either
from forebay.lowering.loops.window_bounds import IndexClamp

_Starts = dict[tuple[int, ...], ir.Value]
"""Sums with the part of the offset, by the number of their second factors."""


class EarlySums:
    """What sums begin with where the part of the offset is known: `init` plus that part."""

    def __init__(self, blocked: BlockedOp, scope: NestScope, elements: NestElements) -> None:
        self._blocked, self._scope, self._elements = blocked, scope, elements
        self._sums = _FactorSums(blocked, scope, elements)
        self._starts: dict[tuple[range, ...], _Starts] = {}
        """By the points that are added to the sums."""

    def start(self, at: BlockOffsets) -> ir.Value:
        """Return what the sum of a position begins with, where `takes_all_points`."""
        return self._starts[self._scope.subdomain.points][self._blocked.key_of_factors(at)]

    @contextmanager
    def inside(self, dim: int) -> Generator[None]:
        """Compute the sums that are known inside of a parallel loop, whose counter is known."""
        starts, blocked, subdomain = self._starts, self._blocked, self._scope.subdomain
        level = blocked.dims if blocked.factor_dims is None else blocked.factor_dims[-1]
        if dim == level:
            clamping = self._axes_known_in(dim)
            self._starts = {subdomain.points: self._start_sums(clamping, subdomain.counters)}
            for borders_with_start in self._borders_with_starts():
                self._starts[borders_with_start.points] = self._start_sums(
                    clamping, borders_with_start.counters
                )
        elif dim > level and self._limits_starts(dim):
            self._starts = {subdomain.points: self._clamped_starts(dim, starts[subdomain.points])}
        yield
        self._starts = starts

    def takes_all_points(self) -> bool:
        """Return whether the points of the loops are those of the starts of the sums."""
        subdomain = self._scope.subdomain
        if subdomain.points not in self._starts or self._blocked.fill_dim is not None:
            return subdomain.points in self._starts
        x = self._blocked.border_dim
        if x is not None:
            return not any(clamp.base.factor(x) for clamp in subdomain.bounds.clamps)
        return all(map(self._is_known_outside, subdomain.bounds.clamps))

    def _is_known_outside(self, clamp: IndexClamp) -> bool:
        """Return whether a loop has the same limits at all positions of the nest."""
        return clamp.base.terms.keys() <= set(self._blocked.box.varying)

    def _borders_with_starts(self) -> Iterator[Subdomain]:
        """Yield the positions of peeled dimensions at borders, where all rows take them.

        In a box of one row the sums of the factors would cost more than they save.
        """
        subdomain = self._scope.subdomain
        found = {subdomain.points}
        for dim in () if self._blocked.box.varying else subdomain.peeled:
            interior = interior_of(dim, self._blocked.axes, subdomain.counters)
            for position in subdomain.counters[dim]:
                own = subdomain if position in interior else subdomain.at(dim, position)
                if own.points not in found:
                    found.add(own.points)
                    yield own

    def _limits_starts(self, dim: int) -> bool:
        """Return whether the starts of the sums have other limits inside of a loop."""
        border = self._blocked.border_dim
        is_limit = dim in self._blocked.box.varying if border is None else dim != border
        return is_limit and bool(self._clamped_in(dim))

    def _clamped_in(self, dim: int) -> list[int]:
        """Return the reduction dimensions whose limits are known from the loop over `dim` on."""
        clamps = self._scope.subdomain.clamps
        reduced = range(self._blocked.parallel, self._blocked.dims)
        return [
            d
            for d in reduced
            if any(max(clamp.base.terms, default=-1) == dim for clamp in clamps(d))
        ]

    def _clamped_starts(self, dim: int, whole: _Starts) -> _Starts:
        """Return what sums begin with in a loop that limits others: `whole` if it does not."""
        scope = self._scope
        lengths = [
            (scalar.subtract(*reversed(scope.limits.of_dim(d))), len(scope.subdomain.counters[d]))
            for d in self._clamped_in(dim)
        ]
        is_whole = all_equal(lengths)
        clamping, counters = self._axes_known_in(dim), scope.subdomain.counters
        found = either(
            is_whole,
            [scalar.i32()] * len(whole),
            lambda: [*whole.values()],
            lambda: [*self._start_sums(clamping, counters).values()],
        )
        return dict(zip(whole, found, strict=True))

    def _axes_known_in(self, dim: int) -> list[tuple[Linear[int], int]]:
        """Return the axes that clamp loops, and do so in the same way in the loop over `dim`.

        Without a dimension that is filled, these are those that the start of a box clamps.
        """
        reduced = range(self._blocked.parallel, self._blocked.dims)
        if self._blocked.border_dim is None:
            known = {*(d for d in self._blocked.box.varying if d <= dim), *reduced}
        else:
            known = {*range(dim + 1), *reduced} - {self._blocked.border_dim}
        return [(form, size) for form, size in self._blocked.axes if form.terms.keys() <= known]

    def _start_sums(
        self, clamping: list[tuple[Linear[int], int]], counters: Sequence[range]
    ) -> _Starts:
        """Return what the sums of this block begin with, where the axes clamp the loops.

        That is the value of `init`, plus the offset times the sum of the second factors.
        """
        blocked = self._blocked
        wanted, dims = blocked.op.blocks, blocked.factor_dims
        assert wanted is not None, "hoisted sums have blocks"
        assert dims is not None, "hoisted sums have dimensions"
        loaded, init = LoadedValues(), blocked.op.init.blocks[0]
        words = words_of(blocked.op)
        blocks = [
            wanted[d] if d >= blocked.parallel else block if d in dims else 1
            for d, block in enumerate(self._scope.subdomain.blocks)
        ]
        if words is not None and blocked.border_dim is not None and blocked.domain.bounds.clamps:
            blocks[words.dim] = words.lanes  # the loops are there once for each set of limits
        subdomain = Subdomain(
            [*blocked.factors.axes(), *clamping],
            counters,
            blocks,
            blocked.parallel,
            (),
            words=words,
        )
        found: _Starts = {}
        # The positions are not known here, so that indices computed here are not those of a block.
        scope = self._scope
        with scope.own_counters(), scope.narrowed(subdomain), scope.reading([blocked.factors]):
            positions = subdomain.positions()
            for at, total in zip(positions, self._sums.totals(positions), strict=True):
                (start,) = cloned(init, self._elements.params(init, 0, at, loaded))
                key = blocked.key_of_factors(at)
                found[key] = with_offset(start, total, blocked.offset)
        return found


class _FactorSums(ReductionLoops):
    """Adds the elements of the second operand, the only one that is read."""

    def totals(self, positions: Sequence[BlockOffsets]) -> list[ir.Value]:
        """Return the sum of the second factors of each position."""
        words, zero = self.scope.subdomain.words, scalar.scalar_constant(0, scalar.i32())
        is_partial = words is not None and words.sums > 1
        start = no_sums(words) if words is not None and is_partial else zero
        sums = self.loop(self.blocked.parallel, {}, [start] * len(positions), LoadedValues())
        return [total_of(own, zero) for own in sums] if is_partial else sums

    def add_words(
        self, step: BlockOffsets, sums: list[ir.Value], loaded: LoadedValues, lanes: int
    ) -> list[ir.Value]:
        """Add the elements of the second operand to the sum of each position."""
        found: list[ir.Value] = []
        for total, position in zip(sums, self.scope.subdomain.positions(), strict=True):
            word = self.elements.load(self.scope.ins[0], {**position, **step}, loaded, lanes)
            found.append(add_elements(total, word))
        return found

    def add_elements(
        self, step: BlockOffsets, sums: list[ir.Value], loaded: LoadedValues
    ) -> list[ir.Value]:
        """Add an element of the second operand to the sum of each position.

        Where words have been added, the body adds the offset to single elements.
        """
        if not self.blocked.has_elements:
            return sums
        factors, positions = self.blocked.factors, self.scope.subdomain.positions()
        return [
            arith.AddIOp(total, self.elements.widened(factors, {**position, **step}, loaded)).result
            for total, position in zip(sums, positions, strict=True)
        ]
