"""Positions of tiles: known numbers, and what the variables of the loops around add to them.

for i in 0..14:                  rows of the image  1 + 2 * i .. 4 + 2 * i
  tile i                         TilePosition(1, ((i, 2),))
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from mlir import ir
from mlir.dialects import arith

from forebay.regions import Box, OperandRegion, Span


@dataclass(frozen=True, eq=False)
class LoopVariable:
    """A loop over tiles: its number, the dimension that it cuts, its step, and the op's variable.

    The variable counts iterations; each adds `step` to the position in the dimension.
    """

    number: int
    dimension: int
    step: int
    value: ir.Value


@dataclass(frozen=True)
class TilePosition:
    """A number, and factors of the variables of loops."""

    first: int
    terms: tuple[tuple[LoopVariable, int], ...] = ()

    def __sub__(self, other: TilePosition) -> TilePosition:
        """Return the difference; terms of the same loop cancel each other."""
        return self.plus(other.scaled(-1))

    def plus(self, other: TilePosition) -> TilePosition:
        """Return the sum; terms of the same loop are added."""
        factors = {loop.number: (loop, factor) for loop, factor in self.terms}
        for loop, factor in other.terms:
            _, own = factors.get(loop.number, (loop, 0))
            factors[loop.number] = (loop, own + factor)
        terms = tuple((loop, factor) for loop, factor in factors.values() if factor)
        return TilePosition(self.first + other.first, terms)

    def __add__(self, constant: int) -> TilePosition:
        """Return the position after a number of elements."""
        return TilePosition(self.first + constant, self.terms)

    def __floordiv__(self, size: int) -> TilePosition:
        """Return the position in blocks of `size` elements.

        Raises `ValueError` where a tile does not begin at a block.
        """
        if self.first % size or any(factor % size for _, factor in self.terms):
            raise ValueError(f"a tile does not begin at a block of {size} elements")
        terms = tuple((loop, factor // size) for loop, factor in self.terms)
        return TilePosition(self.first // size, terms)

    def scaled(self, factor: int) -> TilePosition:
        """Return the position in units of which each of this one's is a number."""
        terms = tuple((loop, term_factor * factor) for loop, term_factor in self.terms)
        return TilePosition(self.first * factor, terms)

    def value(self) -> int | ir.Value:
        """Return the number, or build the operations that compute it."""
        if not self.terms:
            return self.first
        index = ir.IndexType.get()
        total: ir.Value | None = None
        for loop, factor in self.terms:
            scaled = loop.value
            if factor != 1:
                scaled = arith.MulIOp(loop.value, arith.ConstantOp(index, factor).result).result
            total = scaled if total is None else arith.AddIOp(total, scaled).result
        assert total is not None
        if self.first:
            total = arith.AddIOp(total, arith.ConstantOp(index, self.first).result).result
        return total


@dataclass(frozen=True, eq=False)
class TileBox:
    """A tile's box in the domain, in the first iteration of the loops around it."""

    box: Box
    loops: tuple[LoopVariable, ...] = ()

    def at(self, dimension: int, span: Span, loop: LoopVariable | None = None) -> TileBox:
        """Return the box with another span in a dimension, the first one of a loop if given."""
        loops = self.loops if loop is None else (*self.loops, loop)
        return replace(self, box=self.box.with_span(dimension, span), loops=loops)

    def positions(self, region: OperandRegion) -> tuple[TilePosition, ...]:
        """Return where the window of a region begins in its operand."""
        found: list[TilePosition] = []
        for index, span in zip(region.access.index, region.window.spans, strict=True):
            growths = ((loop, index.growth(loop.dimension, loop.step)) for loop in self.loops)
            terms = tuple((loop, growth) for loop, growth in growths if growth)
            found.append(TilePosition(span.start, terms))
        return tuple(found)
