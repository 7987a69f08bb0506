"""Powers and roots of the magnitude of floats, for norms."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import math as mathlib

from forebay.lowering.kernels import scalar


def magnitude_power(value: ir.Value, exponent: int) -> ir.Value:
    """Build `|value|^exponent` as a product."""
    magnitude = mathlib.AbsFOp(value).result
    power = magnitude
    for _ in range(exponent - 1):
        power = scalar.multiply(power, magnitude)
    return power


def power_root(value: ir.Value, exponent: int) -> ir.Value:
    """Build the root of a value that is not negative."""
    if exponent == 1:
        return value
    if exponent == 2:
        return mathlib.SqrtOp(value).result
    return mathlib.PowFOp(value, scalar.scalar_constant(1 / exponent, value.type)).result
