"""Partially known integers: linear forms over unknowns, with bounds.

::

    4 * u0 - u1 + x,  x in {lo, lo + step, ..., hi}      u0, u1 unknowns with ranges of their own

An unknown stands for one number at a time, so it cancels against itself. The rest `x` does not.
Besides its range, an unknown has facts: forms that are never negative and in which it is the newest
unknown. For example, `m = min(16, n - i)` has the facts `16 - m` and `n - i - m`. Knows no IR.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

_Bound = int | float
"""An integer, or an infinity."""


class LinearForm(NamedTuple):
    """A sum of unknowns (by number, each with a factor) and a rest between two bounds."""

    terms: tuple[tuple[int, int], ...]
    low: _Bound
    high: _Bound
    step: int
    """Any two values of the rest differ by a multiple of this; 0 if there is only one value."""
    is_data: bool = False
    """Whether it depends on input data, or on a computation that the analysis does not know."""

    @property
    def constant(self) -> int | None:
        """Return the number if there is only one, else None."""
        return None if self.terms or self.low != self.high else int(self.low)

    def plus(self, other: LinearForm) -> LinearForm:
        """Return the sum."""
        if other is ZERO:
            return self
        if not self.terms and not other.terms and self.step == 0 == other.step:
            is_data = self.is_data or other.is_data
            return LinearForm((), low := self.low + other.low, low, 0, is_data)
        terms = _sum_of(self.terms, other.terms)
        step = math.gcd(self.step, other.step)
        is_data = self.is_data or other.is_data
        return LinearForm(terms, self.low + other.low, self.high + other.high, step, is_data)

    def times(self, factor: int) -> LinearForm:
        """Return the product with a number."""
        if factor == 1:
            return self
        if factor == 0:
            return ZERO
        low, high = self.low * factor, self.high * factor
        terms = tuple((unknown, f * factor) for unknown, f in self.terms)
        step = self.step * abs(factor)
        return LinearForm(terms, min(low, high), max(low, high), step, self.is_data)

    def minus(self, other: LinearForm) -> LinearForm:
        """Return the difference."""
        return self.plus(other.times(-1))

    def is_multiple_of(self, divisor: int) -> bool:
        """Return whether every value of the form is a multiple of `divisor`."""
        if divisor == 1:
            return True
        is_bounded = not math.isinf(self.low) and self.low % divisor == 0
        return (
            is_bounded
            and self.step % divisor == 0
            and all(factor % divisor == 0 for _, factor in self.terms)
        )


def _sum_of(
    one: tuple[tuple[int, int], ...], other: tuple[tuple[int, int], ...]
) -> tuple[tuple[int, int], ...]:
    """Return the terms of a sum, in the order of the unknowns."""
    if not one or not other:
        return one or other
    factors = dict(one)
    for unknown, factor in other:
        factors[unknown] = factors.get(unknown, 0) + factor
    return tuple(sorted((u, f) for u, f in factors.items() if f))


def number(value: int) -> LinearForm:
    """Return the form of a known integer."""
    return LinearForm((), value, value, 0)


def anything(
    low: _Bound = -math.inf, high: _Bound = math.inf, step: int = 1, *, is_data: bool = True
) -> LinearForm:
    """Return any integer between the bounds, in steps of `step` where the lower one is finite."""
    if low == high:
        return number(int(low))
    return LinearForm((), low, high, 1 if math.isinf(low) else step, is_data)


ZERO = number(0)


class Numbers:
    """The unknowns of a run, in the order of their creation."""

    def __init__(self) -> None:
        self._ranges: list[tuple[_Bound, _Bound]] = []
        self._facts: list[tuple[LinearForm, ...]] = []
        self._dividends: dict[int, tuple[LinearForm, int]] = {}
        """By unknown that is a quotient rounded towards zero: dividend of any sign, and divisor."""

    @property
    def count(self) -> int:
        """Return the number of unknowns."""
        return len(self._ranges)

    def unknown(
        self, low: _Bound = -math.inf, high: _Bound = math.inf, *, is_data: bool = True
    ) -> LinearForm:
        """Create an unknown."""
        self._ranges.append((low, high))
        self._facts.append(())
        return LinearForm(((self.count - 1, 1),), 0, 0, 0, is_data)

    def learn(self, unknown: LinearForm, facts: Iterable[LinearForm]) -> None:
        """Add facts: forms that are never negative and in which the unknown is the newest."""
        self._facts[unknown.terms[0][0]] += tuple(facts)

    def upper(self, form: LinearForm) -> _Bound:
        """Return an upper bound of the form."""
        if not form.terms:
            return form.high
        youngest, factor = form.terms[-1]
        rest = LinearForm(form.terms[:-1], form.low, form.high, form.step)
        low, high = self._ranges[youngest]
        edge = (high if factor > 0 else low) * factor
        best = math.inf if math.isinf(edge) else self.upper(rest) + edge
        for fact in self._facts[youngest]:
            (_, own) = fact.terms[-1]
            times, left = divmod(-factor, own)
            if left == 0 and times > 0:
                best = min(best, self.upper(form.plus(fact.times(times))))
        return best

    def lower(self, form: LinearForm) -> _Bound:
        """Return a lower bound of the form."""
        if not form.terms:
            return form.low
        return -self.upper(form.times(-1))

    def values_of(self, form: LinearForm, most: int) -> list[int] | None:
        """Return all values of a form of unknowns, or None if there may be more than `most`."""
        values = [0]
        for unknown, factor in form.terms:
            low, high = self._ranges[unknown]
            if math.isinf(low) or math.isinf(high) or (high - low + 1) * len(values) > most:
                return None
            steps = range(int(low), int(high) + 1)
            values = [value + factor * step for value in values for step in steps]
        return values

    def forget(self, form: LinearForm, youngest: int, but: int = -1) -> LinearForm:
        """Return the form after unknowns from `youngest` on, except `but`, got new values."""
        if not form.terms or form.terms[-1][0] < youngest:
            return form
        old = tuple(term for term in form.terms if term[0] < youngest or term[0] == but)
        left = tuple(term for term in form.terms if term not in old)
        new = LinearForm(left, form.low, form.high, form.step)
        low, high = self.lower(new), self.upper(new)
        step = math.gcd(form.step, *(factor for _, factor in new.terms))
        if not math.isinf(low) and not math.isinf(form.low):
            step = math.gcd(step, int(low - form.low))
        return anything(low, high, step, is_data=form.is_data).plus(LinearForm(old, 0, 0, 0))

    def either(self, one: LinearForm, other: LinearForm) -> LinearForm:
        """Return a form that includes the values of both."""
        if one == other:
            return one
        if one.terms == other.terms:
            step = math.gcd(one.step, other.step)
            if not math.isinf(one.low) and not math.isinf(other.low):
                step = math.gcd(step, int(one.low - other.low))
            low, high = min(one.low, other.low), max(one.high, other.high)
            rest = anything(low, high, step, is_data=one.is_data or other.is_data)
            return rest.plus(LinearForm(one.terms, 0, 0, 0))
        return self.either(self.forget(one, 0), self.forget(other, 0))

    def product(self, one: LinearForm, other: LinearForm) -> LinearForm:
        """Return the product."""
        if not one.terms and not other.terms and one.step == 0 == other.step:
            return number(int(one.low * other.low))
        for factor, form in ((one.constant, other), (other.constant, one)):
            if factor is not None:
                return form.times(factor)
        edges = [
            0 if 0 in {a, b} else a * b
            for a in (self.lower(one), self.upper(one))
            for b in (self.lower(other), self.upper(other))
        ]
        return self.unknown(min(edges), max(edges), is_data=one.is_data or other.is_data)

    def least(self, forms: Sequence[LinearForm]) -> LinearForm:
        """Return the smallest of several forms."""
        low = min(map(self.lower, forms))
        high = min(map(self.upper, forms))
        if low == high and not math.isinf(low):
            return number(int(low))
        found = self.unknown(low, high, is_data=any(form.is_data for form in forms))
        self.learn(found, [form.minus(found) for form in forms])
        return found

    def greatest(self, forms: Sequence[LinearForm]) -> LinearForm:
        """Return the largest of several forms."""
        return self.least([form.times(-1) for form in forms]).times(-1)

    def within(self, form: LinearForm, low: _Bound, high: _Bound) -> LinearForm:
        """Return the form where it is from `low` to `high`, which some of its values are."""
        least, most = self.lower(form), self.upper(form)
        if low <= least and most <= high:
            return form
        found = self.unknown(max(low, least), min(high, most), is_data=form.is_data)
        self.learn(found, [form.minus(found), found.minus(form)])
        return found

    def quotient(self, form: LinearForm, divisor: LinearForm) -> LinearForm:
        """Return the quotient by a positive number, rounded down."""
        by = divisor.constant
        if by is None or by <= 0:
            return self.unknown()
        if form.is_multiple_of(by):
            return _divided(form, by)
        low, high = self.lower(form) // by, self.upper(form) // by
        found = self.unknown(low, high, is_data=form.is_data)
        most = form.minus(found.times(by))
        self.learn(found, [most, number(by - 1).minus(most)])
        return found

    def truncated(self, form: LinearForm, divisor: LinearForm) -> LinearForm:
        """Return the quotient by a positive number, rounded towards zero."""
        by = divisor.constant
        low, high = self.lower(form), self.upper(form)
        if low >= 0 or by is None or by <= 0:
            return self.quotient(form, divisor) if low >= 0 else self.unknown()
        if high <= 0:
            return self.quotient(form.times(-1), divisor).times(-1)
        if form.is_multiple_of(by):
            return _divided(form, by)
        found = self.unknown(-(-low // by), high // by, is_data=form.is_data)
        rest = form.minus(found.times(by))
        self.learn(found, [number(by - 1).plus(rest), number(by - 1).minus(rest)])
        self._dividends[found.terms[0][0]] = (form, by)
        return found

    def remainder(self, form: LinearForm, divisor: LinearForm) -> LinearForm:
        """Return the remainder, which has the sign of `form`."""
        by = divisor.constant
        if self.lower(form) >= 0 and by is not None and by > 0 and self.upper(form) < by:
            return form
        most = self.upper(divisor) - 1
        if self.lower(divisor) <= 0 or math.isinf(most):
            return self.unknown()
        low = 0 if self.lower(form) >= 0 else -most
        return self.unknown(low, most, is_data=form.is_data or divisor.is_data)

    def counter(
        self, first: LinearForm, end: LinearForm, step: LinearForm
    ) -> tuple[LinearForm, int]:
        """Return the counter of a loop that runs at least once, and its unknown.

        The loop runs from `first` up to `end`. The unknown is the number of earlier iterations. If
        the step is not a known positive number, it is the counter itself.
        """
        room = end.minus(first)
        is_data = room.is_data or step.is_data
        by = step.constant
        if by is None or by <= 0:
            found = self.unknown(self.lower(first), self.upper(end) - 1, is_data=is_data)
            facts = [found.minus(first), end.minus(found).plus(number(-1))]
            self.learn(found, facts if self.lower(step) > 0 else ())
            return found, self.count - 1
        first = self.named(first)
        trips = self.unknown(0, 0, is_data=is_data)
        found = first.plus(trips.times(by))
        behind = found.plus(number(1))
        self.learn(trips, [end.minus(behind), *self._below_dividends(first, behind, end)])
        return found, self.count - 1

    def _below_dividends(
        self, first: LinearForm, behind: LinearForm, end: LinearForm
    ) -> Iterator[LinearForm]:
        """Yield facts of `behind`, with `first < behind <= end`, for ends that are quotients.

        A quotient that is rounded towards zero is rounded down where it is positive::

            0 <= i < x / 2 + c, 0 >= c:      2 * (i + 1 - c) <= x      also where x may be negative
        """
        for limit in self._limits(end):
            if len(limit.terms) != 1 or limit.terms[0][1] != 1 or limit.low != limit.high:
                continue
            known = self._dividends.get(limit.terms[0][0])
            ahead = LinearForm((), limit.low, limit.low, 0)
            if known is not None and self.lower(first.minus(ahead)) >= 0:
                dividend, by = known
                yield dividend.minus(behind.minus(ahead).times(by))

    def _limits(self, form: LinearForm) -> Iterator[LinearForm]:
        """Yield forms that a form does not exceed: itself, and those of which it is the least."""
        yield form
        if len(form.terms) == 1 and form.terms[0][1] == 1:
            for fact in self._facts[form.terms[0][0]]:
                if fact.terms[-1] == (form.terms[0][0], -1):
                    yield from self._limits(fact.plus(form))

    def named(self, form: LinearForm) -> LinearForm:
        """Return the form with an unknown for its rest, which then cancels against itself."""
        if form.low == form.high or math.isinf(form.low) or math.isinf(form.high):
            return form
        steps = self.unknown(0, (form.high - form.low) // form.step, is_data=form.is_data)
        return LinearForm(form.terms, form.low, form.low, 0, form.is_data).plus(
            steps.times(form.step)
        )

    def trips(self, first: LinearForm, end: LinearForm, step: LinearForm) -> tuple[_Bound, _Bound]:
        """Return the fewest and the most iterations of a loop."""
        by = max(step.constant or 1, 1)
        room = end.minus(first)
        fewest, most = (
            bound if math.isinf(bound) else max(0, -(-bound // by))
            for bound in (self.lower(room), self.upper(room))
        )
        return (fewest if step.constant else min(fewest, 1)), most

    def limit(self, unknown: int, low: _Bound, high: _Bound) -> None:
        """Set the range of the unknown from now on."""
        self._ranges[unknown] = (low, high)

    def settle(self, unknown: int, low: _Bound, high: _Bound) -> None:
        """Set the range of the unknown and remove all its facts."""
        self._ranges[unknown] = (low, high)
        self._facts[unknown] = ()


def shifted(form: LinearForm, unknown: int, by: int) -> LinearForm:
    """Return the form after the unknown was replaced by itself plus `by`."""
    factor = dict(form.terms).get(unknown, 0)
    return form.plus(number(factor * by)) if factor else form


def _divided(form: LinearForm, by: int) -> LinearForm:
    """Divide a form of which each part is a multiple of `by`."""
    terms = tuple((unknown, factor // by) for unknown, factor in form.terms)
    return LinearForm(terms, form.low // by, form.high // by, form.step // by, form.is_data)
