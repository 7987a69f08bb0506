"""Affine expressions of MLIR as data."""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir

from forebay.regions import Affine


def affine_of(expression: ir.AffineExpr) -> Affine:
    """Return an expression of dimensions as data; raises `TypeError` for symbols."""
    if isinstance(expression, ir.AffineDimExpr):
        return Affine.dimension(expression.position)
    if isinstance(expression, ir.AffineConstantExpr):
        return Affine(expression.value)
    if not isinstance(expression, ir.AffineBinaryExpr):
        raise TypeError(f"'{expression}' is no expression of dimensions")
    one, other = affine_of(expression.lhs), affine_of(expression.rhs)
    if isinstance(expression, ir.AffineAddExpr):
        return one + other
    # MLIR puts the number, without which an expression is not affine, to the right.
    by_number = next(rule for kind, rule in _BY_NUMBER.items() if isinstance(expression, kind))
    return by_number(one, other.constant)


_BY_NUMBER: dict[type[ir.AffineExpr], Callable[[Affine, int], Affine]] = {
    ir.AffineMulExpr: lambda one, number: one * number,
    ir.AffineFloorDivExpr: lambda one, number: one // number,
    ir.AffineCeilDivExpr: lambda one, number: -(-one // number),
    ir.AffineModExpr: lambda one, number: one % number,
}
