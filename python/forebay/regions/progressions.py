"""Sets of integers as arithmetic progressions, and the numbers that several of them contain."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from forebay.regions.box import Span


class Progression(Struct, frozen=True):
    """The numbers `first, first + step, ...`, `count` of them; the count is positive."""

    first: int
    step: int
    count: int

    @property
    def span(self) -> Span:
        """The span from the least to the greatest number."""
        last = self.first + self.step * (self.count - 1)
        return Span(min(self.first, last), max(self.first, last) + 1)

    def part(self, steps: Span) -> Progression:
        """Return the numbers after `u` steps, for each `u` of a span that is not empty."""
        return Progression(self.first + self.step * steps.start, self.step, steps.size)

    def steps_inside(self, span: Span) -> Span:
        """Return the numbers of steps `u` in `[0, count)` with `first + step * u` in a span."""
        low, high = span.start - self.first, span.stop - self.first
        if not self.step:
            return Span(0, self.count) if low <= 0 < high else Span(0, 0)
        if self.step < 0:
            # low <= step * u < high  is  -high < -step * u <= -low
            low, high = 1 - high, 1 - low
        step = abs(self.step)
        return Span(max(0, -(-low // step)), min(self.count, -(-high // step)))


def hull_of(progressions: Iterable[Progression]) -> Span:
    """Return the smallest span around all numbers."""
    result = Span(0, 0)
    for progression in progressions:
        result = result.hull(progression.span)
    return result


def distinct_numbers(progressions: Iterable[Progression], hull: Span) -> int:
    """Return how many different numbers the progressions contain; `hull` is around all of them.

    Bit `i` of one large integer stands for the number `hull.start + i`.
    """
    seen = 0
    for progression in dict.fromkeys(progressions):
        span = progression.span
        step = abs(progression.step)
        count = progression.count if step else 1
        seen |= _bits(step or 1, count) << (span.start - hull.start)
    return seen.bit_count()


def _bits(step: int, count: int) -> int:
    """Return the integer with the bits `0, step, ...`, `count` of them, in log(count) shifts."""
    if step == 1:
        return (1 << count) - 1
    bits, done = 1, 1
    while done < count:
        more = min(done, count - done)
        bits |= (bits & ((1 << (more * step)) - 1)) << (done * step)
        done += more
    return bits
