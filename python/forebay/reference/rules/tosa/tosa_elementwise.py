"""TOSA's elementwise ops; they broadcast operands of equal rank along dimensions of size 1."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import tosa

from forebay.reference import integers
from forebay.reference.floats import erf
from forebay.reference.registry import (
    Compute,
    Function,
    followed,
    function,
)
from forebay.reference.types import (
    Array,
    dtype_of,
    is_float,
    limits_of,
    unsigned,
    width_of,
    wrapped,
)


def _simple(class_: type[Any], compute: Compute) -> None:
    """Register an op whose result is NumPy's, converted to the type of the result."""

    @function(class_)
    def elementwise(op: Any) -> Function:
        type_ = op.results[0].type
        if is_float(type_):
            dtype = dtype_of(type_, op)
            return followed(compute, lambda value: np.asarray(value).astype(dtype, copy=False))
        return followed(compute, lambda value: wrapped(value, type_, op))


def _in_double(class_: type[Any], compute: Compute) -> None:
    """Register a function of real numbers, rounded once to the type of the result."""

    @function(class_)
    def real(op: Any) -> Function:
        dtype = dtype_of(op.results[0].type, op)

        def rounded(*values: Array) -> Array:
            return np.asarray(compute(*(v.astype(np.float64) for v in values))).astype(dtype)

        return rounded


_PLAIN: dict[type[Any], Function] = {
    tosa.AddOp: np.add,
    tosa.SubOp: np.subtract,
    tosa.IntDivOp: integers.divide_to_zero,
    tosa.AbsOp: np.abs,
    tosa.BitwiseAndOp: np.bitwise_and,
    tosa.BitwiseOrOp: np.bitwise_or,
    tosa.BitwiseXorOp: np.bitwise_xor,
    tosa.BitwiseNotOp: np.bitwise_not,
    tosa.LogicalAndOp: np.logical_and,
    tosa.LogicalOrOp: np.logical_or,
    tosa.LogicalXorOp: np.logical_xor,
    tosa.LogicalNotOp: np.logical_not,
    tosa.LogicalLeftShiftOp: np.left_shift,
    tosa.EqualOp: np.equal,
    tosa.GreaterOp: np.greater,
    tosa.GreaterEqualOp: np.greater_equal,
    tosa.SelectOp: np.where,
    tosa.IdentityOp: np.asarray,
    tosa.CeilOp: np.ceil,
    tosa.FloorOp: np.floor,
}

for _class, _compute in _PLAIN.items():
    _simple(_class, _compute)

_REAL: dict[type[Any], Function] = {
    tosa.CosOp: np.cos,
    tosa.SinOp: np.sin,
    tosa.ExpOp: np.exp,
    tosa.LogOp: np.log,
    tosa.PowOp: np.power,
    tosa.ReciprocalOp: lambda x: 1 / x,
    tosa.RsqrtOp: lambda x: 1 / np.sqrt(x),
    tosa.SigmoidOp: lambda x: 1 / (1 + np.exp(-x)),
    tosa.TanhOp: np.tanh,
    tosa.ErfOp: erf,
}

for _class, _compute in _REAL.items():
    _in_double(_class, _compute)


@function(tosa.MulOp)
def multiply(op: tosa.MulOp) -> Function:
    """Multiply; products of 32-bit integers are shifted right by up to 63 bits, rounded half up."""
    type_ = op.results[0].type
    if is_float(type_):
        return lambda a, b, shift: np.multiply(a, b)

    def product(a: Array, b: Array, shift: Array) -> Array:
        wide = np.multiply(a, b, dtype=np.int64)
        by = int(shift.flat[0])
        return wrapped((wide + (1 << (by - 1))) >> by if by > 0 else wide, type_, op)

    return product


@function(tosa.ArithmeticRightShiftOp)
def shift_right(op: tosa.ArithmeticRightShiftOp) -> Function:
    """Divide by powers of two, rounded down, or half up if `round` is set."""
    rounds = bool(ir.BoolAttr(op.operation.attributes["round"]).value)

    def shifted(a: Array, b: Array) -> Array:
        result = np.right_shift(a, b)
        if rounds:
            last = np.right_shift(a, np.maximum(b, 1) - 1) & 1
            result = result + np.where(b > 0, last, 0)
        return result.astype(a.dtype)

    return shifted


@function(tosa.LogicalRightShiftOp)
def shift_right_logical(op: tosa.LogicalRightShiftOp) -> Function:
    """Shift right and fill with zeros."""
    return lambda a, b: np.right_shift(unsigned(a), unsigned(b)).view(a.dtype)


@function(tosa.ClzOp)
def leading_zeros(op: tosa.ClzOp) -> Function:
    """Return the number of leading zeros."""
    bits = width_of(op.results[0].type)
    return lambda a: integers.leading_zeros(unsigned(a), bits).astype(a.dtype)


@function(tosa.MaximumOp, tosa.MinimumOp)
def extremum(op: Any) -> Function:
    """Return the larger or the smaller; a NaN is propagated unless `nan_mode` ignores it."""
    is_maximum = isinstance(op, tosa.MaximumOp)
    if not is_float(op.results[0].type):
        return np.maximum if is_maximum else np.minimum
    if ignores_nan(op):
        return np.fmax if is_maximum else np.fmin
    return np.maximum if is_maximum else np.minimum


@function(tosa.ClampOp)
def clamp(op: tosa.ClampOp) -> Function:
    """Clamp to `[min_val, max_val]`.

    A NaN is propagated, or becomes `min_val` if `nan_mode` ignores it.
    """
    type_ = op.results[0].type
    attributes = op.operation.attributes
    low, high = (
        np.array(attributes[name].value).astype(dtype_of(type_, op))
        for name in ("min_val", "max_val")
    )
    if is_float(type_) and ignores_nan(op):
        return lambda a: np.fmin(np.fmax(a, low), high)
    return lambda a: np.minimum(np.maximum(a, low), high)


@function(tosa.NegateOp)
def negate(op: tosa.NegateOp) -> Function:
    """Return `output_zp - (a - input_zp)`, saturated if a zero point is not 0."""
    type_ = op.results[0].type
    if is_float(type_):
        return lambda a, input_zp, output_zp: np.negative(a)
    low, high = limits_of(type_)

    def negated(a: Array, input_zp: Array, output_zp: Array) -> Array:
        zeros = int(input_zp.flat[0]), int(output_zp.flat[0])
        value = zeros[1] - (a.astype(np.int64) - zeros[0])
        return wrapped(np.clip(value, low, high) if any(zeros) else value, type_, op)

    return negated


def ignores_nan(op: Any) -> bool:
    """Return whether the op's `nan_mode` ignores NaNs."""
    mode = op.operation.attributes.get("nan_mode", None)
    return mode == ir.Attribute.parse("#tosa.nan_mode<IGNORE>", op.operation.context)
