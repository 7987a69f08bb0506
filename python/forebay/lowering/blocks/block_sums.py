"""The sums of a block: one accumulator per position, partial sums of words, or vectors of sums."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith
from msgspec import structs

from forebay.lowering.blocks.blocked_op import BlockedOp
from forebay.lowering.blocks.cloned import cloned
from forebay.lowering.blocks.early_sums import EarlySums
from forebay.lowering.blocks.elements import LoadedValues, NestElements
from forebay.lowering.blocks.lanes import (
    Lanes,
    add_float_product,
    load_extended,
    multiply_add,
    splat,
)
from forebay.lowering.blocks.operand import BlockOffsets, BlockOperand
from forebay.lowering.blocks.reduction_loops import ReductionLoops
from forebay.lowering.blocks.scope import NestScope
from forebay.lowering.blocks.words import (
    Words,
    add_elements,
    add_products,
    dot_each,
    no_sums,
    total_of,
    with_offset,
)
from forebay.lowering.kernels import scalar


class BlockSums(ReductionLoops):
    """Adds products, or what the op's body adds, to the sums of all positions of a block."""

    def __init__(
        self, blocked: BlockedOp, scope: NestScope, elements: NestElements, early: EarlySums
    ) -> None:
        super().__init__(blocked, scope, elements)
        self._early = early

    def before_totals(
        self, positions: Sequence[BlockOffsets], loaded: LoadedValues
    ) -> list[ir.Value]:
        """Return the accumulators of each position after the reduction, or its partial sums."""
        if (partial := self.partial_words()) is not None:
            sums = [no_sums(partial)] * len(positions)
            return self.loop(self.blocked.parallel, {}, sums, loaded)
        if (starts := self.early_starts(positions)) is not None:
            return self.loop(self.blocked.parallel, {}, starts, loaded)
        init = self.blocked.op.init.blocks[0]
        sums = [
            v for at in positions for v in cloned(init, self.elements.params(init, 0, at, loaded))
        ]
        groups = self._groups(positions)
        sums += [scalar.scalar_constant(0, scalar.i32()) for _ in {*groups}]
        sums = self.loop(self.blocked.parallel, {}, sums, loaded)
        if groups:
            factors = sums[len(positions) :]
            sums = [
                with_offset(v, factors[g], self.blocked.offset)
                for v, g in zip(sums, groups, strict=False)
            ]
        return sums

    def partial_words(self) -> Words | None:
        """Return the words whose products are added to partial sums, if there are any."""
        words = self.scope.subdomain.words
        return words if words is not None and words.sums > 1 else None

    def totals(
        self, positions: Sequence[BlockOffsets], sums: list[ir.Value], loaded: LoadedValues
    ) -> list[ir.Value]:
        """Return the accumulators of each position, of its partial sums if it has some."""
        if self.partial_words() is None:
            return sums
        starts = self.early_starts(positions)
        if starts is None:
            init = self.blocked.op.init.blocks[0]
            params = [self.elements.params(init, 0, at, loaded) for at in positions]
            starts = [value for param in params for value in cloned(init, param)]
        return [total_of(own, start) for own, start in zip(sums, starts, strict=True)]

    def early_starts(self, positions: Sequence[BlockOffsets]) -> list[ir.Value] | None:
        """Return what the sums begin with where the part of the offset is known, or None."""
        if not self._early.takes_all_points():
            return None
        return [self._early.start(at) for at in positions]

    # What a step adds

    def add_words(
        self, step: BlockOffsets, sums: list[ir.Value], loaded: LoadedValues, lanes: int
    ) -> list[ir.Value]:
        """Add the products of words of some elements to the sum of each position.

        Along a parallel dimension a position has a lane of the word that contains it.
        """
        words = self.scope.subdomain.words
        assert words is not None, "the subdomain has words"
        if words.dot_length > 1:
            return self._dot_each(words, step, sums, loaded)
        if words.sums > 1 and self._early.takes_all_points():
            words = structs.replace(words, offset=0)
        found: list[ir.Value] = []
        positions = self.scope.subdomain.positions()
        factors = {g: sums[len(positions) + g] for g in self._groups(positions)}
        for total, position in zip(sums, positions, strict=False):
            at, lane = {**position, **step}, None
            if words.dim < self.blocked.parallel:
                lane = at[words.dim] % words.lanes
                at[words.dim] -= lane
            one, other = (
                self.elements.word(access, at, loaded, lanes) for access in self.scope.ins
            )
            found.append(add_products(total, one, other, words, lane))
        for group, position in zip(self._groups(positions), positions, strict=False):
            if group in factors:
                word = self.elements.load(self.scope.ins[1], {**position, **step}, loaded, lanes)
                found.append(add_elements(factors.pop(group), word))
        return found

    def add_elements(
        self, step: BlockOffsets, sums: list[ir.Value], loaded: LoadedValues
    ) -> list[ir.Value]:
        """Add what the op's body, or its form on words or vectors, adds at one step."""
        words, vectors = self.scope.subdomain.words, self.scope.subdomain.lanes
        if vectors is not None and vectors.has_sums:
            return self._multiply_add(vectors, step, sums, loaded)
        if words is not None and words.dim < self.blocked.parallel:
            return self.add_words(step, sums, loaded, words.lanes)
        if self.blocked.has_elements and self._early.takes_all_points():
            return self._add_single_products(step, sums, loaded)
        body = self.blocked.op.body.blocks[0]
        arguments = list(body.arguments)[self.blocked.sums :]
        found: list[ir.Value] = []
        for number, position in enumerate(self.scope.subdomain.positions()):
            own = sums[number * self.blocked.sums : (number + 1) * self.blocked.sums]
            elements = self.elements.used(self.scope.ins, arguments, {**position, **step}, loaded)
            found += cloned(body, [*own, *elements])
        return [*found, *sums[len(found) :]]

    def _add_single_products(
        self, step: BlockOffsets, sums: list[ir.Value], loaded: LoadedValues
    ) -> list[ir.Value]:
        """Add a product to the sum of each position, without the offset, which its start has."""
        found: list[ir.Value] = []
        for total, position in zip(sums, self.scope.subdomain.positions(), strict=True):
            at = {**position, **step}
            one, other = (self.elements.widened(access, at, loaded) for access in self.scope.ins)
            # With the start, a sum of some products may wrap around; that of all does not.
            found.append(arith.AddIOp(total, scalar.multiply(one, other)).result)
        return found

    def _multiply_add(
        self, lanes: Lanes, step: BlockOffsets, sums: list[ir.Value], loaded: LoadedValues
    ) -> list[ir.Value]:
        """Add one product per lane to each vector of sums."""
        words = self.scope.subdomain.words
        assert words is not None, "vectors of sums have words"
        found: list[ir.Value] = []
        for total, position in zip(sums, self.scope.subdomain.positions(), strict=True):
            at = {**position, **step}
            one, other = (self._factors(access, lanes, at, loaded) for access in self.scope.ins)
            if lanes.requantisation is None:
                found.append(add_float_product(total, one, other))
            else:
                found.append(multiply_add(total, one, other, words.offset))
        return found

    def _dot_each(
        self, words: Words, step: BlockOffsets, sums: list[ir.Value], loaded: LoadedValues
    ) -> list[ir.Value]:
        """Add the products of a word to each sum of each vector."""
        found: list[ir.Value] = []
        count = words.lanes * words.dot_length
        for total, position in zip(sums, self.scope.subdomain.positions(), strict=True):
            at = {**position, **step}
            word = self.elements.word(self.scope.ins[0], at, loaded, words.dot_length)
            factors = self.elements.load(self.scope.ins[1], at, loaded, count)
            found.append(dot_each(total, word, factors, words.offset))
        return found

    def _factors(
        self, access: BlockOperand, lanes: Lanes, at: BlockOffsets, loaded: LoadedValues
    ) -> ir.Value:
        """Return the factor of each lane, a float or one of 16 bits."""
        if lanes.requantisation is None:
            return self.elements.floats(access, (lanes.dim, lanes.count), at, loaded)
        count = lanes.count
        if all(form.factor(lanes.dim) == 0 for form in access.index):
            return splat(self.elements.load(access, at, loaded), count, 16)
        return self.elements.load_by(
            access, at, loaded, f"{count} factors", lambda m, i: load_extended(m, i, count, 16)
        )

    def _groups(self, positions: Sequence[BlockOffsets]) -> list[int]:
        """Return for each position the number of its second factors, whose sums are needed.

        Empty if no sums of second factors are needed.
        """
        words = self.scope.subdomain.words
        if words is None or words.dim < self.blocked.parallel or not words.sums_factors:
            return []
        if self._early.takes_all_points():
            return []
        numbers: dict[tuple[int, ...], int] = {}
        keys = [self.blocked.key_of_factors(at) for at in positions]
        return [numbers.setdefault(key, len(numbers)) for key in keys]
