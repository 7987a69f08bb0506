"""`math`: float functions in double precision, rounded once, and a few integer functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir.dialects import math

from forebay.reference.floats import erf, erfc
from forebay.reference.integers import leading_zeros
from forebay.reference.registry import Compute, Function, function
from forebay.reference.types import (
    Array,
    dtype_of,
    unsigned,
    width_of,
)


def _real(class_: type[Any], compute: Compute) -> None:
    @function(class_)
    def rounded(op: Any) -> Function:
        dtype = dtype_of(op.results[0].type, op)

        def compute_in_double(*values: Any) -> Array:
            wide = (np.asarray(value).astype(np.float64) for value in values)
            return np.asarray(compute(*wide)).astype(dtype)

        return compute_in_double


def _half_away(x: Array) -> Array:
    """Round halves away from zero: `floor(x + 0.5)` is 1 for the largest number below one half."""
    whole = np.trunc(x)
    return whole + np.copysign(np.abs(x - whole) >= 0.5, x)


_REAL: dict[type[Any], Function] = {
    math.AbsFOp: np.abs,
    math.AcosOp: np.arccos,
    math.AcoshOp: np.arccosh,
    math.AsinOp: np.arcsin,
    math.AsinhOp: np.arcsinh,
    math.Atan2Op: np.arctan2,
    math.AtanOp: np.arctan,
    math.AtanhOp: np.arctanh,
    math.CbrtOp: np.cbrt,
    math.CeilOp: np.ceil,
    math.ClampFOp: lambda x, low, high: np.minimum(np.maximum(x, low), high),
    math.CopySignOp: np.copysign,
    math.CosOp: np.cos,
    math.CoshOp: np.cosh,
    math.ErfOp: erf,
    math.ErfcOp: erfc,
    math.Exp2Op: np.exp2,
    math.ExpM1Op: np.expm1,
    math.ExpOp: np.exp,
    math.FPowIOp: np.power,
    math.FloorOp: np.floor,
    math.Log10Op: np.log10,
    math.Log1pOp: np.log1p,
    math.Log2Op: np.log2,
    math.LogOp: np.log,
    math.PowFOp: np.power,
    math.RoundEvenOp: np.rint,
    math.RoundOp: _half_away,
    math.RsqrtOp: lambda x: 1 / np.sqrt(x),
    math.SinOp: np.sin,
    math.SinhOp: np.sinh,
    math.SqrtOp: np.sqrt,
    math.TanOp: np.tan,
    math.TanhOp: np.tanh,
    math.TruncOp: np.trunc,
}

for _class, _compute in _REAL.items():
    _real(_class, _compute)


@function(math.FmaOp)
def fused(op: math.FmaOp) -> Function:
    """Compute `a * b + c`; products of floats of 32 bits or fewer are exact in double precision."""
    dtype = dtype_of(op.results[0].type, op)

    def compute(a: Array, b: Array, c: Array) -> Array:
        return np.asarray(np.multiply(a, b, dtype=np.float64) + c).astype(dtype)

    return compute


@function(math.AbsIOp)
def absolute(op: math.AbsIOp) -> Function:
    """Return the absolute value; that of the lowest integer is the integer itself."""
    return np.abs


@function(math.CountLeadingZerosOp)
def count_leading_zeros(op: math.CountLeadingZerosOp) -> Function:
    """Return the number of leading zeros."""
    bits, dtype = width_of(op.results[0].type), dtype_of(op.results[0].type, op)
    return lambda a: leading_zeros(unsigned(a), bits).astype(dtype)


_TESTS: dict[type[Any], Function] = {
    math.IsNaNOp: np.isnan,
    math.IsInfOp: np.isinf,
    math.IsFiniteOp: np.isfinite,
}

for _class, _compute in _TESTS.items():

    @function(_class)
    def _test(op: Any, compute: Function = _compute) -> Function:
        return compute
