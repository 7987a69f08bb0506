"""Functions of floats: exact ones as IEEE defines them, others as NumPy rounds them."""

from __future__ import annotations

import math as reals
from collections.abc import Callable
from typing import Any

import numpy as np
from mlir.dialects import math

from forebay.emulator.interpreter.floats import float_of
from forebay.emulator.interpreter.registry import Function, scalar


def _half_away(value: Any) -> Any:
    whole = np.trunc(value)
    return whole + np.copysign(1, value) if abs(value - whole) >= 0.5 else whole


def _fused(a: Any, b: Any, c: Any) -> Any:
    """Compute `a * b + c`; exact for products of 32-bit floats, which fit 64 mantissa bits."""
    return np.longdouble(a) * np.longdouble(b) + np.longdouble(c)


def _reciprocal_root(value: Any) -> Any:
    return type(value)(1) / np.sqrt(value)


_FUNCTIONS: dict[type[Any], Callable[..., Any]] = {
    math.AbsFOp: np.abs,
    math.AcosOp: np.arccos,
    math.AcoshOp: np.arccosh,
    math.AsinOp: np.arcsin,
    math.AsinhOp: np.arcsinh,
    math.AtanOp: np.arctan,
    math.AtanhOp: np.arctanh,
    math.CeilOp: np.ceil,
    math.CosOp: np.cos,
    math.CopySignOp: np.copysign,
    math.CoshOp: np.cosh,
    math.ErfOp: reals.erf,
    math.ExpOp: np.exp,
    math.Exp2Op: np.exp2,
    math.ExpM1Op: np.expm1,
    math.FloorOp: np.floor,
    math.FmaOp: _fused,
    math.LogOp: np.log,
    math.Log1pOp: np.log1p,
    math.Log2Op: np.log2,
    math.Log10Op: np.log10,
    math.PowFOp: np.power,
    math.RoundEvenOp: np.round,
    math.RoundOp: _half_away,
    math.RsqrtOp: _reciprocal_root,
    math.SinOp: np.sin,
    math.SinhOp: np.sinh,
    math.SqrtOp: np.sqrt,
    math.TanOp: np.tan,
    math.TanhOp: np.tanh,
    math.TruncOp: np.trunc,
}


def _prepared(compute: Callable[..., Any]) -> Callable[[Any], Function]:
    def prepare(op: Any) -> Function:
        kind = float_of(op.results[0].type)

        def quiet(*operands: Any) -> Any:
            with np.errstate(all="ignore"):
                return kind(compute(*operands))

        return quiet

    return prepare


for _class, _compute in _FUNCTIONS.items():
    scalar(_class)(_prepared(_compute))
