"""Emit the bounds of clamped loops, the conditions of guards, and the number of points inside."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith

from forebay.ir.memory.linear import Linear
from forebay.lowering.kernels import scalar
from forebay.lowering.loops.box_loops import BoxLoops
from forebay.lowering.loops.counters import Counters
from forebay.lowering.loops.window_bounds import Bounds, Guard, IndexClamp

_OUTSIDE = -1


class Limits:
    """Begin and end of each reduction loop, and the number of points in these loops.

    Each is emitted in the outermost loop where it is known; the number only if `counts` is set.
    """

    def __init__(
        self,
        bounds: Bounds,
        box: BoxLoops,
        counters: Counters,
        *,
        counts: bool,
        points: Sequence[range] | None = None,
    ) -> None:
        """Take the limits of a box, or of the `points` of each of its reduction dimensions."""
        self._bounds = bounds
        self._points = points
        self._box = box
        self._counters = counters
        self._counts = counts
        self._limits: dict[int, tuple[ir.Value, ir.Value]] = {}
        self._count: ir.Value | None = None
        self._levels = {
            dim: max(_level(clamp.base) for clamp in bounds.of_dim(dim))
            for dim in sorted({clamp.dim for clamp in bounds.clamps})
        }

    def enter(self, dim: int) -> None:
        """Emit what is known at the start of the loop over `dim`, or outside all loops for -1."""
        for clamped, level in self._levels.items():
            if level == dim:
                self._limits[clamped] = self._emit(clamped)
        if self._counts and dim == max(self._levels.values(), default=_OUTSIDE):
            self._count = self._emit_count()

    def with_counters(self, counters: Counters) -> Limits:
        """Return the limits for a loop, with what is emitted so far."""
        points = self._points
        result = Limits(self._bounds, self._box, counters, counts=self._counts, points=points)
        result._limits, result._count = dict(self._limits), self._count
        return result

    def narrowed(self, bounds: Bounds, points: Sequence[range]) -> Limits:
        """Return the limits where only a part of the clamps acts, with what is emitted so far."""
        counts = self._counts
        result = Limits(bounds, self._box, self._counters, counts=counts, points=points)
        result._limits = {dim: limit for dim, limit in self._limits.items() if bounds.of_dim(dim)}
        return result

    def of_dim(self, dim: int) -> tuple[ir.Value, ir.Value]:
        """Return begin and end of a loop."""
        if dim in self._limits:
            return self._limits[dim]
        return self._box.ends(dim)

    def count(self) -> ir.Value | None:
        """Return the number of points inside if there are no guards; None if it is not needed.

        It is emitted here unless all clamps were known further outside.
        """
        if self._counts and self._count is None:
            self._count = self._emit_count()
        return self._count

    def _emit_count(self) -> ir.Value:
        box = self._box
        sizes = [box.sizes[d] for d in box.reduction]
        if self._points is not None:
            sizes = [len(point) for point in self._points]
        pairs = zip(box.reduction, sizes, strict=True)
        free = math.prod(size for d, size in pairs if d not in self._limits)
        product: ir.Value | None = None
        for dim in self._limits:
            begin, end = self._limits[dim]
            length = scalar.subtract(end, begin)
            product = length if product is None else scalar.multiply(product, length)
        if product is None:
            return scalar.scalar_constant(free, scalar.i32())
        if free != 1:
            product = scalar.multiply(product, _index(free))
        return arith.IndexCastOp(scalar.i32(), product).result

    def _emit(self, dim: int) -> tuple[ir.Value, ir.Value]:
        clamps = self._bounds.of_dim(dim)
        begin, end = self._box.ends(dim)
        for clamp in clamps:
            base = self._counters.value(clamp.base)
            if clamp.cuts_begin:
                begin = scalar.at_least(_begin(clamp, base), begin)
            if clamp.cuts_end:
                end = scalar.at_most(_end(clamp, base), end)
        # A loop whose end is before its begin does not run, but then end - begin is not a count.
        may_cross = len(clamps) > 1 or any(clamp.may_leave_nothing for clamp in clamps)
        if self._counts and may_cross:
            end = scalar.at_least(end, begin)
        return begin, end


def emit_is_inside(guards: Sequence[Guard], counters: Counters) -> ir.Value:
    """Return whether all guarded indices are inside their operands."""
    conditions: list[ir.Value] = []
    for guard in guards:
        index = counters.value(guard.form)
        if guard.checks_low:
            conditions.append(arith.CmpIOp(arith.CmpIPredicate.sge, index, _index(0)).result)
        if guard.checks_high:
            size = _index(guard.size)
            conditions.append(arith.CmpIOp(arith.CmpIPredicate.slt, index, size).result)
    inside = conditions[0]
    for condition in conditions[1:]:
        inside = arith.AndIOp(inside, condition).result
    return inside


def _begin(clamp: IndexClamp, base: ir.Value) -> ir.Value:
    """Return the first `k` inside: `base + c * k >= 0`, or for negative `c`, `< size`."""
    if clamp.coefficient > 0:
        return _ceil_of(scalar.subtract(_index(0), base), clamp.coefficient)
    return _ceil_of(scalar.add_constant(base, 1 - clamp.size), -clamp.coefficient)


def _end(clamp: IndexClamp, base: ir.Value) -> ir.Value:
    """Return one more than the last `k` inside: `base + c * k < size`, or `>= 0` for `c < 0`."""
    if clamp.coefficient > 0:
        return _ceil_of(scalar.subtract(_index(clamp.size), base), clamp.coefficient)
    return _ceil_of(scalar.add_constant(base, 1), -clamp.coefficient)


def _ceil_of(value: ir.Value, divisor: int) -> ir.Value:
    """Return `ceil(value / divisor)` where that is positive, and else a value of at most zero.

    The division truncates, so a negative result may be one too large; no loop begins below zero.
    """
    if divisor == 1:
        return value
    return scalar.divide(scalar.add_constant(value, divisor - 1), _index(divisor))


def _level(form: Linear[int]) -> int:
    return max(form.terms, default=_OUTSIDE)


def _index(value: int) -> ir.Value:
    return scalar.scalar_constant(value, ir.IndexType.get())
