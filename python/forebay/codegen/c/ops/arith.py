"""Constants, sums, products and selections.

MLIR integers have no sign and wrap; C's signed operators must not overflow. So the printer writes a
plain operator if the op says `nsw` or its range is known to fit, and unsigned arithmetic elsewhere.
"""

from __future__ import annotations

import math
from typing import Any

from mlir.dialects import arith
from mlir.ir import DenseElementsAttr, FloatAttr, IndexType, IntegerAttr, Value, VectorType

from forebay.codegen.c.function import FunctionPrinter
from forebay.codegen.c.registry import expression, printable_check, printable_types
from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.expr import Expr
from forebay.codegen.c.syntax.integers import (
    as_unsigned,
    bit_width_of,
    narrowed,
    widened,
)
from forebay.codegen.c.syntax.literals import float_text
from forebay.codegen.c.syntax.types import (
    SUMS,
    integer_width,
    scalar_type,
    signed_ctype,
    unsigned_ctype,
    vector_suffix,
)

_OF_LANES = {arith.AddIOp: "add", arith.SubIOp: "subtract", arith.MulIOp: "multiply"}
"""The functions of vectors of sums, by the class of the op."""
NSW = ("#arith.overflow<nsw>", "#arith.overflow<nsw, nuw>")


@printable_check(arith.ConstantOp)
def _check_constant(op: arith.ConstantOp) -> str | None:
    if isinstance(op.result.type, VectorType):
        is_known = DenseElementsAttr(op.value).is_splat
        return None if is_known else "the elements of a constant vector must be equal in C"
    if isinstance(op.result.type, IndexType) and not -(2**31) <= op.value.value < 2**31:
        return f"index {op.value.value} does not fit an int32_t"
    return None


def _splat(op: arith.ConstantOp) -> Expr:
    """Return the element of all lanes."""
    value = DenseElementsAttr(op.value).get_splat_value()
    if isinstance(value, FloatAttr):
        return _float(value.value, "float")
    return expr.integer_expr(IntegerAttr(value).value)


@expression(arith.ConstantOp)
def constant(op: arith.ConstantOp, _: FunctionPrinter) -> Expr:
    """Return numbers as literals, and booleans as true and false."""
    ctype = scalar_type(op.result.type)
    if isinstance(op.result.type, VectorType):
        name = f"forebay_splat_{vector_suffix(op.result.type)}"
        return expr.call_expr(name, (_splat(op),), ctype)
    if ctype == "bool":
        return expr.boolean_expr(op.value.value != 0)
    if ctype in ("float", "double"):
        return _float(op.value.value, ctype)
    return expr.integer_expr(op.value.value, ctype)


def _float(value: float, ctype: str) -> Expr:
    """Return a literal, or the macro of an infinity or NaN."""
    if math.isnan(value):
        return expr.name_expr("NAN", ctype)
    if math.isinf(value):
        infinity = expr.name_expr("INFINITY", ctype)
        return expr.unary_expr("-", infinity, ctype) if value < 0 else infinity
    return expr.literal_expr(float_text(value, ctype), ctype)


def _has_no_signed_wrap(op: Any, f: FunctionPrinter) -> bool:
    """Return whether the op has the flag `nsw`; few attributes of flags have many ops."""
    flags = op.overflowFlags
    found = f.no_signed_wrap.get(flags)
    if found is None:
        found = f.no_signed_wrap[flags] = str(flags) in NSW
    return found


@expression(arith.AddIOp, arith.SubIOp, arith.MulIOp)
def add_sub_mul(op: Any, f: FunctionPrinter) -> Expr:
    """Return `a + b`, or `(int32_t)((uint32_t)a + (uint32_t)b)` where it may wrap.

    Vectors have functions, such as `forebay_add_i32x4(a, b)` and `forebay_add_each_i32x4(a, 5)`.
    """
    return _of_lanes(op, f) if isinstance(op.result.type, VectorType) else _of_numbers(op, f)


def _of_numbers(op: Any, f: FunctionPrinter) -> Expr:
    width = bit_width_of(op.result)
    lhs, rhs = f.operands(op.lhs, op.rhs)
    if op.lhs in f.with_addend:
        return lhs
    if isinstance(op.result.type, IndexType) and 0 in (lhs.literal, rhs.literal):
        if isinstance(op, arith.MulIOp):
            return expr.integer_expr(0, scalar_type(op.result.type))
        if lhs.literal == 0 and isinstance(op, arith.AddIOp):
            return rhs
    if width == 1:
        operator = "&&" if isinstance(op, arith.MulIOp) else "!="
        return expr.binary_expr(lhs, operator, rhs, "bool")
    if width >= 32 and not _has_no_signed_wrap(op, f) and not f.ranges.fits(op.result):
        return expr.cast_expr(signed_ctype(width), _wrapping(op, lhs, rhs, width))
    lhs, rhs = widened((lhs, rhs), width)
    return narrowed(_arithmetic(op, lhs, rhs, signed_ctype(max(width, 32))), width)


def _of_lanes(op: Any, f: FunctionPrinter) -> Expr:
    """Return a call of the function of two vectors, or of a vector and one number for all lanes."""
    lhs, rhs = f.operands(op.lhs, op.rhs)
    numbers = f.ranges.of(op.rhs)
    name = _OF_LANES[type(op)]
    if numbers.low == numbers.high > -(2**31):
        is_difference = isinstance(op, arith.SubIOp)
        name = "add_each" if is_difference else f"{name}_each"
        rhs = expr.integer_expr(-numbers.low if is_difference else numbers.low)
    suffix = vector_suffix(op.result.type)
    return expr.call_expr(f"forebay_{name}_{suffix}", (lhs, rhs), scalar_type(op.result.type))


@printable_types(arith.AddIOp, arith.SubIOp, arith.MulIOp)
def _check_add_sub_mul(op: Any) -> str | None:
    type_ = op.result.type
    is_known = not isinstance(type_, VectorType) or str(type_) in SUMS
    return None if is_known else f"sums and products of {type_} have no C form"


def _wrapping(op: Any, lhs: Expr, rhs: Expr, width: int) -> Expr:
    lhs = as_unsigned(lhs, width)
    is_negative = rhs.literal is not None and -(2**31) < rhs.literal < 0
    if is_negative and isinstance(op, arith.AddIOp | arith.SubIOp):
        operator = "-" if isinstance(op, arith.AddIOp) else "+"
        positive = as_unsigned(expr.integer_expr(-(rhs.literal or 0)), width)
        return expr.binary_expr(lhs, operator, positive, unsigned_ctype(width))
    return _arithmetic(op, lhs, as_unsigned(rhs, width), unsigned_ctype(width))


def _arithmetic(op: Any, lhs: Expr, rhs: Expr, ctype: str) -> Expr:
    if isinstance(op, arith.AddIOp):
        return expr.add_expr(lhs, rhs, ctype)
    if isinstance(op, arith.SubIOp):
        return expr.subtract_expr(lhs, rhs, ctype)
    return expr.binary_expr(lhs, "*", rhs, ctype)


@expression(arith.SelectOp)
def select(op: arith.SelectOp, f: FunctionPrinter) -> Expr:
    """Return `c ? a : b`."""
    condition, then, otherwise = f.operands(op.condition, op.true_value, op.false_value)
    ctype = scalar_type(op.result.type)
    width = integer_width(op.result.type) or 0
    if width == 64:  # the type in which C computes; literals do not widen it
        ctype = ctype if ctype in (then.ctype, otherwise.ctype) else signed_ctype(32)
    if width in (8, 16):  # C promotes both sides
        return narrowed(expr.conditional_expr(condition, then, otherwise, signed_ctype(32)), width)
    return expr.conditional_expr(condition, then, otherwise, ctype)


@printable_types(arith.SelectOp)
def _check_select(op: arith.SelectOp) -> str | None:
    if integer_width(op.condition.type) != 1 or not _is_scalar(op.result):
        return "a select between buffers has no C form; copy the chosen buffer instead"
    return None


def _is_scalar(value: Value) -> bool:
    return not hasattr(value.type, "element_type")
