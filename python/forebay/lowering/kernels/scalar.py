"""Arithmetic on scalars at the current insertion point, each function one op or a few.

Integer arithmetic is marked `nsw`: TFLite's kernels accumulate in `int32_t` and have undefined
behaviour where the sum leaves it, so a network that runs there does not overflow here.
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith

_NSW = arith.IntegerOverflowFlags.nsw


def i32() -> ir.Type:
    """The type of accumulators."""
    return ir.IntegerType.get_signless(32)


def constant(value: float, type_: ir.Type) -> ir.Value:
    """A number of an integer, index or floating-point type."""
    return arith.ConstantOp(
        type_, float(value) if isinstance(type_, ir.FloatType) else int(value)
    ).result


def add(a: ir.Value, b: ir.Value) -> ir.Value:
    """Sum of integers or floats."""
    if isinstance(a.type, ir.FloatType):
        return arith.AddFOp(a, b).result
    return arith.AddIOp(a, b, overflowFlags=_NSW).result


def add_constant(a: ir.Value, b: int) -> ir.Value:
    """Sum of an integer and a number; no op for zero."""
    return a if b == 0 else add(a, constant(b, a.type))


def subtract(a: ir.Value, b: ir.Value) -> ir.Value:
    """Difference of integers or floats."""
    if isinstance(a.type, ir.FloatType):
        return arith.SubFOp(a, b).result
    return arith.SubIOp(a, b, overflowFlags=_NSW).result


def multiply(a: ir.Value, b: ir.Value) -> ir.Value:
    """Product of integers or floats."""
    if isinstance(a.type, ir.FloatType):
        return arith.MulFOp(a, b).result
    return arith.MulIOp(a, b, overflowFlags=_NSW).result


def scaled(value: ir.Value, factor: int) -> ir.Value:
    """Product of an integer and a number; no op for one."""
    return value if factor == 1 else multiply(value, constant(factor, value.type))


def divide(a: ir.Value, b: ir.Value) -> ir.Value:
    """Quotient of integers, rounded towards zero, or of floats."""
    if isinstance(a.type, ir.FloatType):
        return arith.DivFOp(a, b).result
    return arith.DivSIOp(a, b).result


def widen(value: ir.Value, *, unsigned: bool = False) -> ir.Value:
    """An integer as i32."""
    if value.type == i32():
        return value
    extend = arith.ExtUIOp if unsigned else arith.ExtSIOp
    return extend(i32(), value).result


def narrow(value: ir.Value, to: ir.Type) -> ir.Value:
    """The low bits of an integer."""
    return value if value.type == to else arith.TruncIOp(to, value).result


def at_least(value: ir.Value, bound: ir.Value, *, ignores_nan: bool = False) -> ir.Value:
    """The larger one."""
    if isinstance(value.type, ir.FloatType):
        larger = arith.MaxNumFOp if ignores_nan else arith.MaximumFOp
        return larger(value, bound).result
    return arith.MaxSIOp(value, bound).result


def at_most(value: ir.Value, bound: ir.Value, *, ignores_nan: bool = False) -> ir.Value:
    """The smaller one."""
    if isinstance(value.type, ir.FloatType):
        smaller = arith.MinNumFOp if ignores_nan else arith.MinimumFOp
        return smaller(value, bound).result
    return arith.MinSIOp(value, bound).result


def clamp(value: ir.Value, low: float, high: float, *, ignores_nan: bool = False) -> ir.Value:
    """The value, or the bound that it exceeds."""
    raised = at_least(value, constant(low, value.type), ignores_nan=ignores_nan)
    return at_most(raised, constant(high, value.type), ignores_nan=ignores_nan)
