"""Evaluate affine expressions on numbers or arrays, and convert them to linear form."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from mlir import ir
from msgspec import Struct

_BINARY: dict[type[Any], Callable[[Any, Any], Any]] = {
    ir.AffineAddExpr: np.add,
    ir.AffineMulExpr: np.multiply,
    ir.AffineModExpr: np.remainder,
    ir.AffineFloorDivExpr: np.floor_divide,
    ir.AffineCeilDivExpr: lambda a, b: -np.floor_divide(-a, b),
}


class _Linear(Struct, frozen=True):
    """`sum of factor * dimension, + constant`; no factor is zero."""

    factors: Mapping[int, int]
    constant: int


def evaluate(expr: ir.AffineExpr, dims: Sequence[Any], symbols: Sequence[Any] = ()) -> Any:
    """Return the value of an expression for these dimensions and symbols."""
    if isinstance(expr, ir.AffineConstantExpr):
        return np.int64(expr.value)
    if isinstance(expr, ir.AffineDimExpr):
        return dims[expr.position]
    if isinstance(expr, ir.AffineSymbolExpr):
        return symbols[expr.position]
    binary: Any = expr
    return _BINARY[type(expr)](
        evaluate(binary.lhs, dims, symbols), evaluate(binary.rhs, dims, symbols)
    )


def linear(expr: ir.AffineExpr, dims: int) -> _Linear | None:
    """Return the expression in linear form, or None if it contains a division or a modulo."""
    if any(isinstance(part, _DIVIDING) for part in _parts(expr)):
        return None
    constant = int(evaluate(expr, [0] * dims))
    factors = {dim: int(evaluate(expr, _unit(dim, dims))) - constant for dim in range(dims)}
    return _Linear({dim: factor for dim, factor in factors.items() if factor}, constant)


def _unit(dim: int, dims: int) -> list[int]:
    return [int(other == dim) for other in range(dims)]


def dims_of(expr: ir.AffineExpr) -> set[int]:
    """Return the dimensions that the expression uses."""
    return {part.position for part in _parts(expr) if isinstance(part, ir.AffineDimExpr)}


_DIVIDING = (ir.AffineModExpr, ir.AffineFloorDivExpr, ir.AffineCeilDivExpr)


def _parts(expr: ir.AffineExpr) -> list[ir.AffineExpr]:
    if type(expr) not in _BINARY:
        return [expr]
    binary: Any = expr
    return [expr, *_parts(binary.lhs), *_parts(binary.rhs)]
