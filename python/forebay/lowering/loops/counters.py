"""Values of linear forms in a loop nest; each partial sum is computed in its outermost loop."""

from __future__ import annotations

from collections.abc import Iterable

from mlir import ir

from forebay.ir.memory.linear import Linear
from forebay.lowering.kernels import scalar


class Counters:
    """The loop counters known at the insertion point, and the values computed from them."""

    def __init__(self, forms: Iterable[Linear[int]]) -> None:
        self._forms = list(dict.fromkeys(forms))
        self._values: dict[Linear[int], ir.Value] = {}

    def copy(self) -> Counters:
        """Return the counters for a loop, whose values end with it."""
        result = Counters(self._forms)
        result._values = dict(self._values)
        return result

    def enter_nest(self) -> None:
        """Compute the constant forms, outside all loops."""
        for form in self._forms:
            if not form.terms:
                self._values[form] = scalar.scalar_constant(form.constant, ir.IndexType.get())

    def enter(self, dim: int, counter: ir.Value) -> None:
        """Extend the forms that depend on the counter of `dim`, at the beginning of its loop."""
        for form in self._forms:
            part = form.kept(lambda d: d <= dim)
            if form.factor(dim) != 0 and part not in self._values:
                self._values[part] = self._extended(part, dim, counter)

    def value(self, form: Linear[int]) -> ir.Value:
        """Return the value of a form whose counters are all known."""
        return self._values[form]

    def _extended(self, part: Linear[int], dim: int, counter: ir.Value) -> ir.Value:
        """Extend a partial sum by a counter.

        The outermost counter includes the constant, so that the base of a window is a value.
        """
        factor = part.factor(dim)
        before = part.kept(lambda d: d != dim)
        known = self._values.get(before) if before.terms else None
        if factor < 0 and known is not None:
            return scalar.subtract(known, scalar.scaled(counter, -factor))
        term = scalar.scaled(counter, factor)
        if known is not None:
            return scalar.add(known, term)
        return scalar.add_constant(term, part.constant)
