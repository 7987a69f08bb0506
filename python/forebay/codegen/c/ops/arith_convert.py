"""Conversions between widths, between integers and floats, and between bit representations."""

from __future__ import annotations

from typing import Any

from mlir.dialects import arith

from forebay.codegen.c.function import FunctionPrinter
from forebay.codegen.c.registry import expression, printable_check, printable_types
from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.expr import Expr
from forebay.codegen.c.syntax.integers import as_unsigned, bit_width_of
from forebay.codegen.c.syntax.types import integer_width, scalar_type, signed_ctype


@expression(arith.ExtSIOp)
def extend_signed(op: arith.ExtSIOp, f: FunctionPrinter) -> Expr:
    """Return the operand, cast only to 64 bits, since C promotes narrower integers."""
    return _resized(f.operand(op.in_), bit_width_of(op.in_), bit_width_of(op.out))


@expression(arith.TruncIOp)
def truncate(op: arith.TruncIOp, f: FunctionPrinter) -> Expr:
    """Return `(int8_t)x`; for a boolean the lowest bit."""
    return _resized(f.operand(op.in_), bit_width_of(op.in_), bit_width_of(op.out))


@expression(arith.IndexCastOp)
def index_cast(op: arith.IndexCastOp, f: FunctionPrinter) -> Expr:
    """Return a cast in which an index is an int32_t."""
    return _resized(f.operand(op.in_), bit_width_of(op.in_), bit_width_of(op.out))


@expression(arith.ExtUIOp, arith.IndexCastUIOp)
def extend_unsigned(op: Any, f: FunctionPrinter) -> Expr:
    """Return `(uint8_t)x`, which C promotes."""
    source, result = bit_width_of(op.in_), bit_width_of(op.out)
    value = f.operand(op.in_)
    if result <= source:
        return _resized(value, source, result)
    if value.literal is not None:
        value = expr.integer_expr(value.literal % 2**source)
    elif source > 1 and not f.ranges.is_non_negative(op.in_):
        value = as_unsigned(value, source)
    return _as_wide(value, result)


def _resized(value: Expr, source: int, result: int) -> Expr:
    if source == result:
        return value
    if source == 1 and value.literal is not None:
        return expr.integer_expr(-value.literal)
    if source == 1:
        negated = expr.unary_expr("-", expr.cast_expr("int32_t", value), "int32_t")
        return (
            _as_wide(negated, result)
            if result >= 32
            else expr.cast_expr(signed_ctype(result), negated)
        )
    if result == 1:
        lowest = expr.binary_expr(value, "&", expr.integer_expr(1), signed_ctype(max(source, 32)))
        return expr.binary_expr(lowest, "!=", expr.integer_expr(0), "bool")
    return (
        expr.cast_expr(signed_ctype(result), value) if result < source else _as_wide(value, result)
    )


def _as_wide(value: Expr, width: int) -> Expr:
    return expr.cast_expr(signed_ctype(64), value) if width == 64 else value


@expression(arith.SIToFPOp)
def signed_to_float(op: arith.SIToFPOp, f: FunctionPrinter) -> Expr:
    """Return `(float)x`; an i1 that is true converts to -1."""
    width = bit_width_of(op.in_)
    value = _resized(f.operand(op.in_), width, 32) if width == 1 else f.operand(op.in_)
    return expr.cast_expr(scalar_type(op.out.type), value)


@expression(arith.UIToFPOp)
def unsigned_to_float(op: arith.UIToFPOp, f: FunctionPrinter) -> Expr:
    """Return `(float)(uint8_t)x`."""
    value = f.operand(op.in_)
    if not f.ranges.is_non_negative(op.in_):
        value = as_unsigned(value, bit_width_of(op.in_))
    return expr.cast_expr(scalar_type(op.out.type), value)


@expression(arith.FPToSIOp)
def float_to_signed(op: arith.FPToSIOp, f: FunctionPrinter) -> Expr:
    """Return `(int32_t)x`, which rounds towards zero; overflow is undefined in MLIR as in C."""
    return expr.cast_expr(scalar_type(op.out.type), f.operand(op.in_))


@expression(arith.FPToUIOp)
def float_to_unsigned(op: arith.FPToUIOp, f: FunctionPrinter) -> Expr:
    """Return `(int8_t)(uint8_t)x`."""
    width = bit_width_of(op.out)
    return expr.cast_expr(signed_ctype(width), expr.cast_expr(f"uint{width}_t", f.operand(op.in_)))


@printable_types(arith.FPToSIOp, arith.FPToUIOp)
def _check_float_to_integer(op: Any) -> str | None:
    return "a float has no C conversion to i1; compare it" if bit_width_of(op.out) == 1 else None


@expression(arith.ExtFOp, arith.TruncFOp)
def resize_float(op: Any, f: FunctionPrinter) -> Expr:
    """Return `(double)x` or `(float)x`."""
    return expr.cast_expr(scalar_type(op.out.type), f.operand(op.in_))


@printable_check(arith.TruncFOp)
def _check_truncate(op: arith.TruncFOp) -> str | None:
    return None if op.roundingmode is None else "C rounds floats to nearest even only"


@expression(arith.BitcastOp)
def bitcast(op: arith.BitcastOp, f: FunctionPrinter) -> Expr:
    """Return the same bits as another type, through memcpy."""
    value = f.operand(op.in_)
    source, result = scalar_type(op.in_.type), scalar_type(op.out.type)
    if integer_width(op.in_.type) == integer_width(op.out.type):
        return value
    if result in ("float", "double"):
        return expr.call_expr(
            "f32_of_bits" if result == "float" else "f64_of_bits", (value,), result
        )
    name = "bits_of_f32" if source == "float" else "bits_of_f64"
    return expr.call_expr(name, (value,), result)
