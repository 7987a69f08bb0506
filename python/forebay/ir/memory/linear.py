"""Linear forms: `sum(factor * key) + constant`.

The keys are the dimensions of a domain, as numbers, or index values of the IR::

    affine_map<(y, k) -> (y * 2 + k - 1)>       {0: 2, 1: 1}, constant -1
    arith.addi %i, %c8                          {%i: 1}, constant 8
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from mlir import ir
from mlir.dialects import arith
from msgspec import Struct, field

from forebay.ir.nested import defining_op

Key = TypeVar("Key", bound=Hashable)


class Linear(Struct, Generic[Key], frozen=True):
    """A linear form; `terms` has the factor of each key, and no factor is 0."""

    terms: Mapping[Key, int] = field(default_factory=dict[Key, int])
    constant: int = 0

    def __hash__(self) -> int:
        return hash((frozenset(self.terms.items()), self.constant))

    @staticmethod
    def of(key: Key) -> Linear[Key]:
        """Return the form of one key."""
        return Linear({key: 1})

    def factor(self, key: Key) -> int:
        """Return the factor of a key, which is 0 if the form does not depend on it."""
        return self.terms.get(key, 0)

    def plus(self, other: Linear[Key]) -> Linear[Key]:
        """Return the sum, without keys that cancel."""
        return _sum([*self.terms.items(), *other.terms.items()], self.constant + other.constant)

    def minus(self, other: Linear[Key]) -> Linear[Key]:
        """Return the difference, without keys that cancel."""
        return self.plus(other.times(-1))

    def times(self, factor: int) -> Linear[Key]:
        """Return the product with a number."""
        terms = {key: term * factor for key, term in self.terms.items() if factor}
        return Linear(terms, self.constant * factor)

    def times_form(self, other: Linear[Key]) -> Linear[Key] | None:
        """Return the product, or None where neither form is constant."""
        if not other.terms:
            return self.times(other.constant)
        return None if self.terms else other.times(self.constant)

    def kept(self, keep: Callable[[Key], bool]) -> Linear[Key]:
        """Return the form with all other keys set to zero."""
        terms = {key: factor for key, factor in self.terms.items() if keep(key)}
        return Linear(terms, self.constant)

    def at(self, values: Mapping[Key, int]) -> Linear[Key]:
        """Return the form with these values of some keys."""
        known = sum(self.factor(key) * value for key, value in values.items())
        rest = self.kept(lambda key: key not in values)
        return Linear(rest.terms, self.constant + known)

    def extremes(self, bounds: Callable[[Key], tuple[int, int]]) -> tuple[int, int]:
        """Return the least and the greatest value, given the inclusive bounds of each key."""
        ends = [[f * end for end in bounds(key)] for key, f in self.terms.items()]
        return self.constant + sum(map(min, ends)), self.constant + sum(map(max, ends))


def _sum(terms: Iterable[tuple[Key, int]], constant: int) -> Linear[Key]:
    found: dict[Key, int] = {}
    for key, factor in terms:
        found[key] = found.get(key, 0) + factor
    return Linear({key: factor for key, factor in found.items() if factor}, constant)


class Counter(Struct, frozen=True):
    """A loop counter, whose values in the iterations are `start`, `start + step`, ..."""

    value: ir.Value
    start: int
    step: int


def linear_in(value: ir.Value, counters: Sequence[Counter]) -> Linear[int] | None:
    """Return the form of an index in iteration numbers of loops, or None if it is not linear."""
    numbers = {counter.value: number for number, counter in enumerate(counters)}
    form = linear_of_value(value)
    if not numbers.keys() >= form.terms.keys():
        return None
    total = Linear[int](constant=form.constant)
    for key, factor in form.terms.items():
        counter = counters[numbers[key]]
        own = Linear({numbers[key]: counter.step}, counter.start)
        total = total.plus(own.times(factor))
    return total


def linear_of_value(value: ir.Value) -> Linear[ir.Value]:
    """Return the form of an index; an opaque value is its own form."""
    constant = constant_index(value)
    if constant is not None:
        return Linear({}, constant)
    op: Any = defining_op(value)
    if isinstance(op, (arith.AddIOp, arith.SubIOp, arith.MulIOp)):
        one, two = linear_of_value(op.lhs), linear_of_value(op.rhs)
        if isinstance(op, arith.MulIOp):
            return one.times_form(two) or Linear.of(value)
        return one.plus(two) if isinstance(op, arith.AddIOp) else one.minus(two)
    return Linear.of(value)


def constant_index(value: ir.Value) -> int | None:
    """Return the constant that a value is, or None for any other value."""
    op = defining_op(value)
    return ir.IntegerAttr(op.value).value if isinstance(op, arith.ConstantOp) else None


def linear_of_map(map_: ir.AffineMap) -> list[Linear[int] | None]:
    """Return the form of each result of a map without symbols, or None where it is not linear."""
    return [_of_expression(expression) for expression in map_.results]


def _of_expression(expression: ir.AffineExpr) -> Linear[int] | None:
    if isinstance(expression, ir.AffineDimExpr):
        return Linear.of(expression.position)
    if isinstance(expression, ir.AffineConstantExpr):
        return Linear({}, expression.value)
    if not isinstance(expression, (ir.AffineAddExpr, ir.AffineMulExpr)):
        return None
    one, other = _of_expression(expression.lhs), _of_expression(expression.rhs)
    if one is None or other is None:
        return None
    return one.plus(other) if isinstance(expression, ir.AffineAddExpr) else one.times_form(other)
