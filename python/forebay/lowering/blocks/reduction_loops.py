"""The loops over the reduction dimensions of a block, and the steps that they unroll."""

from __future__ import annotations

from abc import ABC, abstractmethod

from mlir import ir
from mlir.dialects import memref, scf

from forebay.ir.memory.linear import Linear
from forebay.lowering.blocks.blocked_op import BlockedOp
from forebay.lowering.blocks.elements import LoadedValues, NestElements
from forebay.lowering.blocks.operand import BlockOffsets, BlockOperand
from forebay.lowering.blocks.scope import NestScope
from forebay.lowering.kernels import scalar


class ReductionLoops(ABC):
    """Emits loops that change sums; a subclass says what a step adds to them."""

    def __init__(self, blocked: BlockedOp, scope: NestScope, elements: NestElements) -> None:
        self.blocked, self.scope, self.elements = blocked, scope, elements

    @abstractmethod
    def add_words(
        self, step: BlockOffsets, sums: list[ir.Value], loaded: LoadedValues, lanes: int
    ) -> list[ir.Value]:
        """Return the sums with what `lanes` elements from a step on add to each."""

    @abstractmethod
    def add_elements(
        self, step: BlockOffsets, sums: list[ir.Value], loaded: LoadedValues
    ) -> list[ir.Value]:
        """Return the sums with what one step adds to each."""

    def loop(
        self, dim: int, at: BlockOffsets, sums: list[ir.Value], loaded: LoadedValues
    ) -> list[ir.Value]:
        """Emit the loops over the reduction dimensions from `dim` on; return the sums after them.

        `at` are the steps within the blocks of the dimensions before.
        """
        if dim == self.blocked.dims:
            return self.add_elements(at, sums, loaded)
        if dim in self.blocked.box.fixed:
            return self.loop(dim + 1, at, sums, loaded)
        if dim == self.blocked.innermost and not self.scope.is_clamped(dim):
            ins = [self._windowed(access, at) for access in self.scope.ins]
            with self.scope.reading(ins):
                return self._steps_or_loop(dim, at, sums, loaded)
        return self._steps_or_loop(dim, at, sums, loaded)

    def _windowed(self, access: BlockOperand, at: BlockOffsets) -> BlockOperand:
        """Return an operand from the first element of the innermost loop on, for points `at`.

        So in C the loop has one pointer per operand and row, and constant distances.
        """
        forms, inner = access.inside, self.blocked.innermost
        subdomain, counters = self.scope.subdomain, self.scope.counters
        if self.blocked.fill_dim is not None and access.number == 0 and subdomain.bounds.clamps:
            return access
        negative = any(factor < 0 for form in forms for factor in form.terms.values())
        if negative or any(form.factor(inner) for form in access.row):
            return access
        first, is_outside = subdomain.counters[inner].start, self.blocked.is_outside
        bases = [(counters.value(f.kept(is_outside)), f.factor(inner)) for f in forms]
        offsets = [scalar.add_constant(base, factor * first) for base, factor in bases]
        sizes = [self._reach(form) for form in forms]
        keys = dict.fromkeys(
            access.distances({**position, **at}) for position in subdomain.positions()
        )
        memories = self.scope.memories[access.number]
        windows = {
            key: memref.subview(memories[key], offsets, sizes, [1] * len(sizes)) for key in keys
        }
        return access.with_windows(windows, first)

    def _reach(self, form: Linear[int]) -> int:
        """Return how many elements of an axis one block reads in the innermost loop."""
        subdomain, inner = self.scope.subdomain, self.blocked.innermost
        spans = [
            factor * ((len(subdomain.counters[d]) if d == inner else subdomain.blocks[d]) - 1)
            for d, factor in form.terms.items()
        ]
        return 1 + sum(spans)

    def _steps_or_loop(
        self, dim: int, at: BlockOffsets, sums: list[ir.Value], loaded: LoadedValues
    ) -> list[ir.Value]:
        if self.scope.is_clamped(dim):
            return self._loop_of_steps(dim, self.scope.limits.of_dim(dim), at, sums, loaded)
        subdomain = self.scope.subdomain
        block, points = subdomain.blocks[dim], subdomain.counters[dim]
        size, begin = len(points), _index(points.start)
        if size // block == 1:
            self.scope.enter(dim, begin)
            return self._steps(dim, size, at, sums, loaded)
        whole = points.start + size // block * block
        sums = self._loop_of_steps(dim, (begin, _index(whole)), at, sums, loaded)
        if whole == points.stop:
            return sums
        with self.scope.own_counters():
            self.scope.counters.enter(dim, _index(whole))
            return self._steps(dim, points.stop - whole, at, sums, dict(loaded))

    def _loop_of_steps(
        self,
        dim: int,
        ends: tuple[ir.Value, ir.Value],
        at: BlockOffsets,
        sums: list[ir.Value],
        loaded: LoadedValues,
    ) -> list[ir.Value]:
        block, (begin, end) = self.scope.subdomain.blocks[dim], ends
        loop = scf.ForOp(begin, end, _index(block), sums)
        inside = self.scope.reduction_loop(dim, loop.induction_variable)
        with ir.InsertionPoint(loop.body), inside:
            inner = list(loop.inner_iter_args)
            scf.YieldOp(self._steps(dim, block, at, inner, dict(loaded)))
        return list(loop.results)

    def _steps(
        self, dim: int, count: int, at: BlockOffsets, sums: list[ir.Value], loaded: LoadedValues
    ) -> list[ir.Value]:
        words = self.scope.subdomain.words
        lanes = 1 if words is None else words.along(dim, self.blocked.dims - 1)
        whole = count // lanes * lanes if lanes > 1 else 0
        for step in range(0, whole, lanes):
            sums = self.add_words({**at, dim: step}, sums, loaded, lanes)
        if lanes > 1 and words is not None and count - whole >= words.fewest:
            sums = self.add_words({**at, dim: whole}, sums, loaded, count - whole)
            whole = count
        for step in range(whole, count):
            sums = self.loop(dim + 1, {**at, dim: step}, sums, loaded)
        return sums


def _index(value: int) -> ir.Value:
    return scalar.scalar_constant(value, ir.IndexType.get())
