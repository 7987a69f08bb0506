"""LoopLinear forms of loop counters, of which the address maps of `accel.reduce` consist."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mlir import ir


@dataclass(frozen=True)
class LoopLinear:
    """The form `constant + sum(coefficients[d] * counter[d])`."""

    coefficients: tuple[int, ...]
    constant: int = 0

    @staticmethod
    def of(expr: ir.AffineExpr, dims: int) -> LoopLinear:
        """Return the form of an expression; the op's verifier has checked that it is linear."""
        coefficients = [0] * dims
        constant = _accumulate(expr, 1, coefficients)
        return LoopLinear(tuple(coefficients), constant)

    def extremes(self, counters: Sequence[range]) -> tuple[int, int]:
        """Return the least and the greatest value with each counter in its range."""
        ends = [(c * r[0], c * r[-1]) for c, r in zip(self.coefficients, counters, strict=True)]
        return self.constant + sum(map(min, ends)), self.constant + sum(map(max, ends))

    def dims(self) -> list[int]:
        """Return the dimensions that the form depends on."""
        return [d for d, c in enumerate(self.coefficients) if c != 0]

    def up_to(self, dim: int) -> LoopLinear:
        """Return the part that is known inside the loop over `dim` and outside later loops."""
        kept = [c if d <= dim else 0 for d, c in enumerate(self.coefficients)]
        return replace(self, coefficients=tuple(kept))

    def without(self, dims: Sequence[int]) -> LoopLinear:
        """Return the form with the counters of `dims` set to zero."""
        return self.at(dict.fromkeys(dims, 0))

    def at(self, counters: Mapping[int, int]) -> LoopLinear:
        """Return the form with these values of some counters."""
        kept = tuple(0 if d in counters else c for d, c in enumerate(self.coefficients))
        known = sum(self.coefficients[d] * value for d, value in counters.items())
        return replace(self, coefficients=kept, constant=self.constant + known)


def _accumulate(expr: ir.AffineExpr, factor: int, coefficients: list[int]) -> int:
    """Add `factor * expr` to the coefficients and return the constant part."""
    if isinstance(expr, ir.AffineDimExpr):
        coefficients[expr.position] += factor
        return 0
    if isinstance(expr, ir.AffineConstantExpr):
        return factor * expr.value
    if isinstance(expr, ir.AffineAddExpr):
        left = _accumulate(expr.lhs, factor, coefficients)
        return left + _accumulate(expr.rhs, factor, coefficients)
    assert isinstance(expr, ir.AffineMulExpr)
    assert isinstance(expr.rhs, ir.AffineConstantExpr)
    return _accumulate(expr.lhs, factor * expr.rhs.value, coefficients)
