"""Begin and end of reduction loops such that no index leaves its operand; uses no IR.

columns            0 1 2 3 4        base = x * stride - before, coefficient = dilation
window at x = 0  [-1 0 1]           begins at k = ceil(-base / coefficient) = 1
window at x = 4        [3 4 5]      ends before k = ceil((size - base) / coefficient) = 2
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct

from forebay.ir.memory.linear import Linear


class IndexClamp(Struct, frozen=True):
    """A limit of the loop over `dim` to the `k` with `base + coefficient * k` in `[0, size)`."""

    dim: int
    coefficient: int
    base: Linear[int]
    size: int
    cuts_begin: bool
    cuts_end: bool
    may_leave_nothing: bool


class Guard(Struct, frozen=True):
    """A condition at each point: points at which `form` is not in `[0, size)` are skipped."""

    form: Linear[int]
    size: int
    checks_low: bool
    checks_high: bool


class Bounds(Struct, frozen=True):
    """The clamps and guards that keep a nest inside its operands; empty if none are needed."""

    clamps: tuple[IndexClamp, ...]
    guards: tuple[Guard, ...]

    def of_dim(self, dim: int) -> tuple[IndexClamp, ...]:
        """Return the clamps of one loop."""
        return tuple(clamp for clamp in self.clamps if clamp.dim == dim)


def find_bounds(
    axes: Sequence[tuple[Linear[int], int]],
    counters: Sequence[range],
    parallel: int,
    varying: Collection[int] = (),
) -> Bounds:
    """Return bounds for the axes, as index and size, of operands read at every point of the domain.

    An axis that depends on exactly one reduction dimension clamps the loop of that dimension. Any
    other axis needs a guard. `counters` has the values of each counter; the loops of `varying` run
    over a part of them that is known at run time only.
    """
    clamps: list[IndexClamp] = []
    guards: list[Guard] = []
    for form, size in dict.fromkeys(axes):
        low, high = _extremes(form, counters)
        if low >= 0 and high < size:
            continue
        reduced = [d for d in sorted(form.terms) if d >= parallel]
        if len(reduced) == 1:
            clamps.append(_clamp(form, size, counters, reduced[0], reduced[0] in varying))
        else:
            guards.append(Guard(form, size, low < 0, high >= size))
    return Bounds(tuple(clamps), tuple(guards))


def _clamp(
    form: Linear[int], size: int, counters: Sequence[range], dim: int, varies: bool
) -> IndexClamp:
    coefficient, base = form.factor(dim), form.kept(lambda d: d != dim)
    low, high = _extremes(form, counters)
    leaves_low, leaves_high = low < 0, high >= size
    cuts_begin, cuts_end = (
        (leaves_low, leaves_high) if coefficient > 0 else (leaves_high, leaves_low)
    )
    empty = varies or _may_be_empty(base, coefficient, size, counters, dim)
    return IndexClamp(dim, coefficient, base, size, cuts_begin, cuts_end, empty)


def _may_be_empty(
    base: Linear[int], coefficient: int, size: int, counters: Sequence[range], dim: int
) -> bool:
    """Return whether a window could lie completely before or after the axis.

    A window that steps over the axis, from before it to after it, has begin equal to end.
    """
    lowest, highest = _extremes(base, counters)
    ends = (coefficient * counters[dim][0], coefficient * counters[dim][-1])
    return lowest + max(ends) < 0 or highest + min(ends) >= size


def _extremes(form: Linear[int], counters: Sequence[range]) -> tuple[int, int]:
    return form.extremes(lambda d: (counters[d][0], counters[d][-1]))
