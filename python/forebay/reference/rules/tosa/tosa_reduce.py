"""Reductions along an axis, which keeps size 1; ARGMAX drops the axis."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import tosa

from forebay.reference.registry import Function, function
from forebay.reference.rules.tosa.tosa_elementwise import ignores_nan
from forebay.reference.types import (
    Array,
    dtype_of,
    is_float,
    wrapped,
)


def axis_of(op: Any) -> int:
    """Return the axis of the op."""
    return ir.IntegerAttr(op.operation.attributes["axis"]).value


@function(tosa.ReduceSumOp, tosa.ReduceProductOp)
def total(op: Any) -> Function:
    """Return sums or products, those of floats in double precision."""
    axis, type_ = axis_of(op), op.results[0].type
    add = np.sum if isinstance(op, tosa.ReduceSumOp) else np.prod
    if is_float(type_):
        dtype = dtype_of(type_, op)
        return lambda x: add(x.astype(np.float64), axis=axis, keepdims=True).astype(dtype)
    return lambda x: wrapped(add(x, axis=axis, keepdims=True, dtype=np.int64), type_, op)


@function(tosa.ReduceMaxOp, tosa.ReduceMinOp)
def extremum(op: Any) -> Function:
    """Return the largest or the smallest; a NaN is propagated unless `nan_mode` ignores it."""
    axis, largest = axis_of(op), isinstance(op, tosa.ReduceMaxOp)
    if ignores_nan(op):
        choose: Any = np.fmax if largest else np.fmin
    else:
        choose = np.maximum if largest else np.minimum
    return lambda x: choose.reduce(x, axis=axis, keepdims=True)


@function(tosa.ReduceAllOp, tosa.ReduceAnyOp)
def logical(op: Any) -> Function:
    """Return whether all, or any, elements are true."""
    axis = axis_of(op)
    test = np.all if isinstance(op, tosa.ReduceAllOp) else np.any
    return lambda x: test(x, axis=axis, keepdims=True)


@function(tosa.ArgMaxOp)
def argmax(op: tosa.ArgMaxOp) -> Function:
    """Return the index of the first largest element; `nan_mode` ignores or propagates NaNs."""
    axis, dtype, ignores = axis_of(op), dtype_of(op.results[0].type, op), ignores_nan(op)

    def position(x: Array) -> Array:
        known = np.where(np.isnan(x), -np.inf, x) if ignores and x.dtype.kind == "f" else x
        return np.argmax(known, axis=axis).astype(dtype)

    return position
