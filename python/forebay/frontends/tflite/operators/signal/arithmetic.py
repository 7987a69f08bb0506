"""Scalars of the signal operators: unsigned numbers of 32 bits in 64, and rounded products."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith
from mlir.dialects import math as mathlib

from forebay.frontends.tflite.lowering import emit
from forebay.lowering.kernels import scalar

_WORD = (1 << 32) - 1


def i64(value: int) -> ir.Value:
    """Return a constant of 64 bits."""
    return scalar.scalar_constant(value, emit.signless(64))


def i32_constant(value: int) -> ir.Value:
    """Return a constant of 32 bits."""
    return scalar.scalar_constant(value, scalar.i32())


def extended_word(value: ir.Value) -> ir.Value:
    """Return the 32 bits as a number of 64 bits that is not negative."""
    return arith.AndIOp(arith.ExtSIOp(emit.signless(64), value).result, i64(_WORD)).result


def word(value: ir.Value) -> ir.Value:
    """Return the lower 32 bits of a number of 64 bits, as one that is not negative."""
    return arith.AndIOp(value, i64(_WORD)).result


def stored(value: ir.Value) -> ir.Value:
    """Return the lower 32 bits of a number of 64 bits."""
    return scalar.narrow(value, scalar.i32())


def shifted_right(value: ir.Value, bits: int) -> ir.Value:
    """Return the value divided by a power of two, rounded down."""
    return arith.ShRSIOp(value, scalar.scalar_constant(bits, value.type)).result


def times_power_of_two(value: ir.Value, bits: int) -> ir.Value:
    """Return the value times a power of two."""
    return arith.ShLIOp(value, scalar.scalar_constant(bits, value.type)).result


def is_above(a: ir.Value, b: ir.Value) -> ir.Value:
    """Return whether `a` is above `b`."""
    return arith.CmpIOp(arith.CmpIPredicate.sgt, a, b).result


def chosen(condition: ir.Value, a: ir.Value, b: ir.Value) -> ir.Value:
    """Return `a` where the condition holds, else `b`."""
    return arith.SelectOp(condition, a, b).result


def most_significant_bit(value: ir.Value) -> ir.Value:
    """Return the number of bits of a 32-bit number; 32 for 0, as in TFLite Micro."""
    used = scalar.subtract(i32_constant(32), mathlib.CountLeadingZerosOp(value).result)
    is_zero = arith.CmpIOp(arith.CmpIPredicate.eq, value, i32_constant(0)).result
    return chosen(is_zero, i32_constant(32), used)
