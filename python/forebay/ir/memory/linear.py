"""Linear forms over the points of a domain: `sum(factor * dimension) + constant`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith


@dataclass(frozen=True)
class Linear:
    """A linear form: a factor per dimension of the domain, and a constant."""

    factors: tuple[int, ...]
    constant: int = 0

    @staticmethod
    def of(dimension: int, count: int) -> Linear:
        """Return the form of one dimension: factor 1 for it, 0 for the others."""
        return Linear(tuple(int(d == dimension) for d in range(count)))

    def plus(self, other: Linear) -> Linear:
        """Return the sum."""
        factors = tuple(a + b for a, b in zip(self.factors, other.factors, strict=True))
        return Linear(factors, self.constant + other.constant)

    def times(self, other: Linear) -> Linear | None:
        """Return the product, or None where neither factor is constant."""
        if any(other.factors):
            return None if any(self.factors) else other.times(self)
        by = other.constant
        return Linear(tuple(factor * by for factor in self.factors), self.constant * by)


@dataclass(frozen=True)
class Counter:
    """A loop counter, whose values in the iterations are `start`, `start + step`, ..."""

    value: ir.Value
    start: int
    step: int


def linear_in(value: ir.Value, counters: Sequence[Counter]) -> Linear | None:
    """Return the form of an index in iteration numbers of loops, or None if it is not linear."""
    for number, counter in enumerate(counters):
        if value == counter.value:
            scaled = Linear.of(number, len(counters)).times(_constant(counter.step, counters))
            return None if scaled is None else scaled.plus(_constant(counter.start, counters))
    constant = constant_index(value)
    if constant is not None:
        return _constant(constant, counters)
    op = None if isinstance(value, ir.BlockArgument) else value.owner.opview
    if not isinstance(op, (arith.AddIOp, arith.MulIOp)):
        return None
    one, other = linear_in(op.lhs, counters), linear_in(op.rhs, counters)
    if one is None or other is None:
        return None
    return one.plus(other) if isinstance(op, arith.AddIOp) else one.times(other)


def constant_index(value: ir.Value) -> int | None:
    """Return the constant that a value is, or None for any other value."""
    op = None if isinstance(value.owner, ir.Block) else value.owner.opview
    return ir.IntegerAttr(op.value).value if isinstance(op, arith.ConstantOp) else None


def linear_of_map(map_: ir.AffineMap) -> list[Linear | None]:
    """Return the form of each result of a map without symbols, or None where it is not linear."""
    return [_of_expression(expression, map_.n_dims) for expression in map_.results]


def _of_expression(expression: ir.AffineExpr, count: int) -> Linear | None:
    if isinstance(expression, ir.AffineDimExpr):
        return Linear.of(expression.position, count)
    if isinstance(expression, ir.AffineConstantExpr):
        return Linear((0,) * count, expression.value)
    if not isinstance(expression, (ir.AffineAddExpr, ir.AffineMulExpr)):
        return None
    one, other = _of_expression(expression.lhs, count), _of_expression(expression.rhs, count)
    if one is None or other is None:
        return None
    return one.plus(other) if isinstance(expression, ir.AffineAddExpr) else one.times(other)


def _constant(value: int, counters: Sequence[Counter]) -> Linear:
    return Linear((0,) * len(counters), value)
