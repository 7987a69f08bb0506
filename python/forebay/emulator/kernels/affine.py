"""Affine expressions as functions of the dimensions, for numbers and for arrays."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from mlir import ir

Evaluator = Callable[[Any], Any]
"""A function of the dimension values by their positions."""


def dims_of(expr: ir.AffineExpr) -> frozenset[int]:
    """Return the dimensions that an expression depends on."""
    if isinstance(expr, ir.AffineDimExpr):
        return frozenset({expr.position})
    if isinstance(expr, ir.AffineBinaryExpr):
        return dims_of(expr.lhs) | dims_of(expr.rhs)
    return frozenset()


def evaluator(expr: ir.AffineExpr) -> Evaluator:
    """Return the expression as a function; raises `TypeError` for symbols."""
    if isinstance(expr, ir.AffineDimExpr):
        return operator.itemgetter(expr.position)
    if isinstance(expr, ir.AffineConstantExpr):
        constant = expr.value
        return lambda _: constant
    if not isinstance(expr, ir.AffineBinaryExpr):
        raise TypeError(f"'{expr}' is no expression of dimensions")
    left, right = evaluator(expr.lhs), evaluator(expr.rhs)
    combine = next(function for kind, function in _BINARY.items() if isinstance(expr, kind))
    return lambda dims: combine(left(dims), right(dims))


def _ceil_divide(left: Any, right: Any) -> Any:
    return -(-left // right)


_BINARY: dict[type[ir.AffineExpr], Callable[[Any, Any], Any]] = {
    ir.AffineAddExpr: operator.add,
    ir.AffineMulExpr: operator.mul,
    ir.AffineModExpr: operator.mod,
    ir.AffineFloorDivExpr: operator.floordiv,
    ir.AffineCeilDivExpr: _ceil_divide,
}
