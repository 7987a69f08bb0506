"""Arithmetic on scalars at the current insertion point; each function builds one op or a few.

Integer arithmetic is marked `nsw`. The kernels of TFLite accumulate in `int32_t`, where overflow is
undefined behaviour, so a network that runs there does not overflow here.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith

_NSW = arith.IntegerOverflowFlags.nsw


def i32() -> ir.Type:
    """Return the type of accumulators."""
    return ir.IntegerType.get_signless(32)


def scalar_constant(value: float, type_: ir.Type) -> ir.Value:
    """Build a constant of an integer, index or floating-point type."""
    return arith.ConstantOp(
        type_, float(value) if isinstance(type_, ir.FloatType) else int(value)
    ).result


def add(a: ir.Value, b: ir.Value) -> ir.Value:
    """Add integers or floats."""
    if isinstance(a.type, ir.FloatType):
        return arith.AddFOp(a, b).result
    return arith.AddIOp(a, b, overflowFlags=_NSW).result


def add_constant(a: ir.Value, b: int) -> ir.Value:
    """Add a number to an integer; builds no op for 0."""
    return a if b == 0 else add(a, scalar_constant(b, a.type))


def subtract(a: ir.Value, b: ir.Value) -> ir.Value:
    """Subtract integers or floats."""
    if isinstance(a.type, ir.FloatType):
        return arith.SubFOp(a, b).result
    return arith.SubIOp(a, b, overflowFlags=_NSW).result


def multiply(a: ir.Value, b: ir.Value) -> ir.Value:
    """Multiply integers or floats."""
    if isinstance(a.type, ir.FloatType):
        return arith.MulFOp(a, b).result
    return arith.MulIOp(a, b, overflowFlags=_NSW).result


def scaled(value: ir.Value, factor: int) -> ir.Value:
    """Multiply an integer by a number; builds no op for 1."""
    return value if factor == 1 else multiply(value, scalar_constant(factor, value.type))


def divide(a: ir.Value, b: ir.Value) -> ir.Value:
    """Divide integers, rounding towards zero, or floats."""
    if isinstance(a.type, ir.FloatType):
        return arith.DivFOp(a, b).result
    return arith.DivSIOp(a, b).result


def widen(value: ir.Value, *, unsigned: bool = False) -> ir.Value:
    """Extend an integer to i32."""
    if value.type == i32():
        return value
    extend = arith.ExtUIOp if unsigned else arith.ExtSIOp
    return extend(i32(), value).result


def narrow(value: ir.Value, to: ir.Type) -> ir.Value:
    """Truncate an integer to its low bits."""
    return value if value.type == to else arith.TruncIOp(to, value).result


def at_least(value: ir.Value, bound: ir.Value, *, ignores_nan: bool = False) -> ir.Value:
    """Return the larger of two numbers."""
    if isinstance(value.type, ir.FloatType):
        larger = arith.MaxNumFOp if ignores_nan else arith.MaximumFOp
        return larger(value, bound).result
    return arith.MaxSIOp(value, bound).result


def at_most(value: ir.Value, bound: ir.Value, *, ignores_nan: bool = False) -> ir.Value:
    """Return the smaller of two numbers."""
    if isinstance(value.type, ir.FloatType):
        smaller = arith.MinNumFOp if ignores_nan else arith.MinimumFOp
        return smaller(value, bound).result
    return arith.MinSIOp(value, bound).result


def clamp(value: ir.Value, low: float, high: float, *, ignores_nan: bool = False) -> ir.Value:
    """Return the value limited to `[low, high]`, both included."""
    raised = at_least(value, scalar_constant(low, value.type), ignores_nan=ignores_nan)
    return at_most(raised, scalar_constant(high, value.type), ignores_nan=ignores_nan)
