"""Affine expressions of the dimensions of an iteration domain, with division by constants.

An expression is `constant + sum(factor * dimension) + sum(factor * floor(numerator / divisor))`.
`e % k` is `e - k * floor(e / k)`, and `ceil(e / k)` is `-floor(-e / k)`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeVar

from msgspec import Struct


class Quotient(Struct, frozen=True, order=True):
    """The expression `floor(numerator / divisor)`; the divisor is positive."""

    numerator: Affine
    divisor: int


class Affine(Struct, frozen=True, order=True):
    """An expression in normal form: terms in ascending order and without factors of zero.

    `terms` are pairs of dimension and factor, `quotients` pairs of quotient and factor.
    """

    constant: int = 0
    terms: tuple[tuple[int, int], ...] = ()
    quotients: tuple[tuple[Quotient, int], ...] = ()

    @staticmethod
    def dimension(number: int) -> Affine:
        """Return the expression of one dimension."""
        return Affine(0, ((number, 1),))

    def __add__(self, other: Affine | int) -> Affine:
        """Return the sum."""
        if isinstance(other, int):
            return Affine(self.constant + other, self.terms, self.quotients)
        return Affine(
            self.constant + other.constant,
            _sum(self.terms, other.terms),
            _sum(self.quotients, other.quotients),
        )

    def __sub__(self, other: Affine | int) -> Affine:
        """Return the difference."""
        return self + other * -1

    def __neg__(self) -> Affine:
        """Return the negated expression."""
        return self * -1

    def __mul__(self, factor: int) -> Affine:
        """Return the product with a number."""
        if not factor:
            return Affine()
        return Affine(
            self.constant * factor,
            tuple((d, f * factor) for d, f in self.terms),
            tuple((q, f * factor) for q, f in self.quotients),
        )

    def __floordiv__(self, divisor: int) -> Affine:
        """Return the quotient, rounded towards minus infinity."""
        if divisor < 1:
            raise ValueError(f"an expression is divided by {divisor}; the divisor must be positive")
        # floor((k * whole + rest) / k) = whole + floor(rest / k)
        whole = Affine(
            self.constant // divisor,
            tuple((d, f // divisor) for d, f in self.terms if f % divisor == 0),
            tuple((q, f // divisor) for q, f in self.quotients if f % divisor == 0),
        )
        rest = self - whole * divisor
        if not rest.terms and not rest.quotients:
            return whole
        return whole + Affine(0, (), ((Quotient(rest, divisor), 1),))

    def __mod__(self, divisor: int) -> Affine:
        """Return the remainder, which is in `[0, divisor)`."""
        return self - self // divisor * divisor

    @property
    def dimensions(self) -> frozenset[int]:
        """The dimensions that the expression depends on."""
        inner = (q.numerator.dimensions for q, _ in self.quotients)
        return frozenset(d for d, _ in self.terms).union(*inner)

    @property
    def is_linear(self) -> bool:
        """Return whether the expression has no quotient."""
        return not self.quotients

    def at(self, point: Sequence[int]) -> int:
        """Return the value at a point, which has a number per dimension."""
        value = self.constant + sum(factor * point[d] for d, factor in self.terms)
        for quotient, factor in self.quotients:
            value += factor * (quotient.numerator.at(point) // quotient.divisor)
        return value

    def substitute(self, values: Mapping[int, Affine]) -> Affine:
        """Return the expression with other expressions in place of some dimensions."""
        result = Affine(self.constant)
        for d, factor in self.terms:
            result += values.get(d, Affine.dimension(d)) * factor
        for quotient, factor in self.quotients:
            result += quotient.numerator.substitute(values) // quotient.divisor * factor
        return result

    def period(self, dimension: int) -> int:
        """Return a `p` for which a step of `p` adds the same number at every point.

        It is 1 without quotients. `floor(3 * d / 4)` grows by 3 with every step of 4.
        """
        period = 1
        for quotient, _ in self.quotients:
            own = quotient.numerator.period(dimension)
            grows = quotient.numerator.growth(dimension, own)
            own *= quotient.divisor // math.gcd(quotient.divisor, grows)
            period = math.lcm(period, own)
        return period

    def growth(self, dimension: int, step: int) -> int:
        """Return what a step along a dimension adds; the step is a multiple of the period."""
        grows = sum(factor * step for d, factor in self.terms if d == dimension)
        for quotient, factor in self.quotients:
            grows += factor * (quotient.numerator.growth(dimension, step) // quotient.divisor)
        return grows


_Term = TypeVar("_Term", int, Quotient)


def _sum(
    one: tuple[tuple[_Term, int], ...], other: tuple[tuple[_Term, int], ...]
) -> tuple[tuple[_Term, int], ...]:
    factors = dict(one)
    for term, factor in other:
        factors[term] = factors.get(term, 0) + factor
    return tuple(sorted((term, factor) for term, factor in factors.items() if factor))
