"""The loops over the box of its domain that an `accel.reduce` runs on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import arith, scf

from forebay.ir.structured.reduce_box import ReduceBox
from forebay.lowering.kernels import scalar

_Emit = Callable[[], list[ir.Value]]
"""Emits ops and returns values."""


class BoxLoops:
    """Begin and end of each loop, before any clamping; a dimension of one position has no loop.

    `counters` are the values that each counter may have, `fixed` the constant counters of
    dimensions without loop, and `varying` the dimensions whose start is known at run time only.
    """

    def __init__(self, box: ReduceBox) -> None:
        self.sizes = box.sizes
        self.reduction = range(box.parallel, len(box.sizes))
        self.counters = [range(span.start, span.stop) for span in box.bounds.spans]
        self.varying = [d for d, start in enumerate(box.starts) if isinstance(start, ir.Value)]
        self.fixed = {
            d: start
            for d, (start, size) in enumerate(zip(box.starts, box.sizes, strict=True))
            if size == 1 and isinstance(start, int)
        }
        self._box = box
        self._ends: dict[int, tuple[ir.Value, ir.Value]] = {}
        self._first: bool | ir.Value = True
        self._last: bool | ir.Value = True

    def enter_nest(self) -> None:
        """Compute what depends on the starts only, outside all loops."""
        for dim in self.varying:
            start = self._box.starts[dim]
            assert isinstance(start, ir.Value)
            self._ends[dim] = (start, scalar.add_constant(start, self.sizes[dim]))
        self._first, self._last = all_equal(self._box.first), all_equal(self._box.last)

    def ends(self, dim: int) -> tuple[ir.Value, ir.Value]:
        """Return begin and end of the loop over a dimension."""
        if dim in self._ends:
            return self._ends[dim]
        start = self.counters[dim].start
        return _index(start), _index(start + self.sizes[dim])

    @property
    def is_first(self) -> bool | ir.Value:
        """Return whether `init` runs."""
        return self._first

    @property
    def is_last(self) -> bool | ir.Value:
        """Return whether `finish` runs."""
        return self._last

    def in_box(self, dim: int, counter: ir.Value) -> ir.Value:
        """Return a counter as a position in the box."""
        start = self._box.starts[dim]
        if isinstance(start, ir.Value):
            return scalar.subtract(counter, start)
        return scalar.add_constant(counter, -start)


def either(
    condition: bool | ir.Value, types: Sequence[ir.Type], then: _Emit, otherwise: _Emit
) -> list[ir.Value]:
    """Emit one of two alternatives, or both in an `scf.if`, and return its values."""
    if isinstance(condition, bool):
        return then() if condition else otherwise()
    branch = scf.IfOp(condition, types, has_else=True)
    for region, emit in zip(branch.operation.regions, (then, otherwise), strict=True):
        with ir.InsertionPoint(region.blocks[0]):
            scf.YieldOp(emit())
    return list(branch.results)


def is_between(value: ir.Value, inside: range, among: range) -> bool | ir.Value:
    """Emit whether a value, which is one of a range, is in a part of that range."""
    result: bool | ir.Value = True
    for side, limit, is_needed in (
        (arith.CmpIPredicate.sge, inside.start, inside.start > among.start),
        (arith.CmpIPredicate.slt, inside.stop, inside.stop < among.stop),
    ):
        if is_needed:
            own = arith.CmpIOp(side, value, _index(limit)).result
            result = arith.AndIOp(result, own).result if isinstance(result, ir.Value) else own
    return result


def all_equal(conditions: Sequence[tuple[ir.Value, int]] | None) -> bool | ir.Value:
    """Return whether all values equal their numbers."""
    if conditions is None:
        return False
    result: bool | ir.Value = True
    for value, number in conditions:
        own = arith.CmpIOp(arith.CmpIPredicate.eq, value, _index(number)).result
        result = arith.AndIOp(result, own).result if isinstance(result, ir.Value) else own
    return result


def _index(value: int) -> ir.Value:
    return scalar.scalar_constant(value, ir.IndexType.get())
