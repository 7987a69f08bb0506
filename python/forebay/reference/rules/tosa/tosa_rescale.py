"""RESCALE and APPLY_SCALE: fixed-point factors, rounding and zero points."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import tosa

from forebay.reference.errors import UnsupportedError
from forebay.reference.integers import apply_scale_16, apply_scale_32
from forebay.reference.registry import Function, function
from forebay.reference.types import (
    Array,
    dtype_of,
    limits_of,
    unsigned,
    width_of,
    wrapped,
)


@function(tosa.RescaleOp)
def rescale(op: tosa.RescaleOp) -> Function:
    """Return `(input - input_zp) * multiplier / 2**shift + output_zp`, saturated.

    With `per_channel`, each element of the last dimension has its own factor.
    """
    attributes = op.operation.attributes
    reads_unsigned, gives_unsigned, is_32 = (
        bool(ir.BoolAttr(attributes[name]).value)
        for name in ("input_unsigned", "output_unsigned", "scale32")
    )
    doubles = _doubles(op)
    type_ = op.results[0].type
    low, high = limits_of(type_, unsigned=gives_unsigned)
    dtype = dtype_of(type_, op)

    def rescaled(
        values: Array, multiplier: Array, shift: Array, input_zp: Array, output_zp: Array
    ) -> Array:
        if reads_unsigned:
            values, input_zp = unsigned(values), unsigned(input_zp)
        if gives_unsigned:
            output_zp = unsigned(output_zp)
        centred = np.subtract(values, np.int64(input_zp.flat[0]), dtype=np.int64)
        if is_32:
            scaled = apply_scale_32(centred, multiplier, shift, double_round=doubles)
        else:
            scaled = apply_scale_16(centred, multiplier, shift)
        scaled = scaled + np.int64(output_zp.flat[0])
        return np.clip(scaled, low, high).astype(dtype)

    return rescaled


@function(tosa.ApplyScaleOp)
def apply_scale(op: tosa.ApplyScaleOp) -> Function:
    """Scale scalars without zero points; the result is the low bits."""
    doubles, type_ = _doubles(op), op.results[0].type
    if width_of(op.operands[0].type) > 32:
        raise UnsupportedError(op, "scales values of more than 32 bits")

    def scaled(values: Array, multiplier: Array, shift: Array) -> Array:
        return wrapped(
            apply_scale_32(np.asarray(values), multiplier, shift, double_round=doubles), type_, op
        )

    return scaled


def _doubles(op: Any) -> bool:
    """Return whether the op rounds twice; INEXACT_ROUND, which allows both, rounds once."""
    double = ir.Attribute.parse("#tosa.rounding_mode<DOUBLE_ROUND>", op.operation.context)
    return op.operation.attributes["rounding_mode"] == double
