"""Integer and floating-point arithmetic.

MLIR integers have no sign and wrap; C's signed operators must not overflow. So a plain operator
is printed where the op says `nsw` or its range is known to fit, and unsigned arithmetic elsewhere.
"""

from __future__ import annotations

from typing import Any

from mlir.dialects import arith
from mlir.ir import Attribute, IndexType, Value

from ..literals import float_text
from . import expr
from .expr import Expr, Precedence
from .function import FunctionPrinter
from .registry import check, expression
from .types import integer_width, scalar_type, signed, unsigned

NSW = ("#arith.overflow<nsw>", "#arith.overflow<nsw, nuw>")


def width_of(value: Value) -> int:
    """Return the width of an integer value."""
    width = integer_width(value.type)
    if width is None:
        raise TypeError(f"{value.type} is no integer")
    return width


def has_no_signed_wrap(op: Any) -> bool:
    """Whether the op promises that it does not overflow."""
    return any(op.overflowFlags == Attribute.parse(flags, op.context) for flags in NSW)


def as_unsigned(value: Expr, width: int) -> Expr:
    """Read a value as unsigned."""
    if value.literal is not None and 0 <= value.literal < 2**31:
        text = f"{value.literal}u" if width < 64 else f"UINT64_C({value.literal})"
        return Expr(text, unsigned(width), literal=value.literal)
    return expr.cast(unsigned(width), value)


def narrowed(value: Expr, width: int) -> Expr:
    """Bring the int that C promotes to back to a narrow type."""
    return expr.cast(signed(width), value) if width < 32 else value


def widened(values: tuple[Expr, Expr], width: int) -> tuple[Expr, Expr]:
    """Give the first operand 64 bits where C would compute in fewer."""
    if width == 64 and all(value.ctype != signed(64) for value in values):
        return expr.cast(signed(64), values[0]), values[1]
    return values


@check(arith.ConstantOp)
def _check_constant(op: arith.ConstantOp) -> str | None:
    if isinstance(op.result.type, IndexType) and not -(2**31) <= op.value.value < 2**31:
        return f"index {op.value.value} does not fit an int32_t"
    return None


@expression(arith.ConstantOp)
def constant(op: arith.ConstantOp, _: FunctionPrinter) -> Expr:
    """Numbers; booleans as true and false."""
    ctype = scalar_type(op.result.type)
    if ctype == "bool":
        value = int(op.value.value != 0)
        return Expr("true" if value else "false", ctype, literal=value)
    if ctype in ("float", "double"):
        text = float_text(op.value.value, ctype)
        is_negative = text.startswith("-")
        return Expr(text, ctype, Precedence.UNARY if is_negative else Precedence.ATOM)
    return expr.integer(op.value.value, ctype)


@expression(arith.AddIOp, arith.SubIOp, arith.MulIOp)
def add_sub_mul(op: Any, f: FunctionPrinter) -> Expr:
    """`a + b`, or `(int32_t)((uint32_t)a + (uint32_t)b)` where it may wrap."""
    width = width_of(op.result)
    lhs, rhs = f.operands(op.lhs, op.rhs)
    if width == 1:
        operator = "&&" if isinstance(op, arith.MulIOp) else "!="
        return expr.binary(lhs, operator, rhs, "bool")
    if width >= 32 and not has_no_signed_wrap(op) and not f.ranges.fits(op.result):
        return expr.cast(signed(width), _wrapping(op, lhs, rhs, width))
    lhs, rhs = widened((lhs, rhs), width)
    return narrowed(_arithmetic(op, lhs, rhs, signed(max(width, 32))), width)


def _wrapping(op: Any, lhs: Expr, rhs: Expr, width: int) -> Expr:
    lhs = as_unsigned(lhs, width)
    is_negative = rhs.literal is not None and -(2**31) < rhs.literal < 0
    if is_negative and isinstance(op, arith.AddIOp | arith.SubIOp):
        operator = "-" if isinstance(op, arith.AddIOp) else "+"
        positive = as_unsigned(expr.integer(-(rhs.literal or 0)), width)
        return expr.binary(lhs, operator, positive, unsigned(width))
    return _arithmetic(op, lhs, as_unsigned(rhs, width), unsigned(width))


def _arithmetic(op: Any, lhs: Expr, rhs: Expr, ctype: str) -> Expr:
    if isinstance(op, arith.AddIOp):
        return expr.add(lhs, rhs, ctype)
    if isinstance(op, arith.SubIOp):
        return expr.subtract(lhs, rhs, ctype)
    return expr.binary(lhs, "*", rhs, ctype)


@expression(arith.AndIOp, arith.OrIOp, arith.XOrIOp)
def bits(op: Any, f: FunctionPrinter) -> Expr:
    """Bitwise; on booleans logical."""
    operators = {arith.AndIOp: ("&", "&&"), arith.OrIOp: ("|", "||"), arith.XOrIOp: ("^", "!=")}
    bitwise, logical = operators[type(op)]
    width = width_of(op.result)
    lhs, rhs = f.operands(op.lhs, op.rhs)
    if width > 1:
        lhs, rhs = widened((lhs, rhs), width)
        return narrowed(expr.binary(lhs, bitwise, rhs, signed(max(width, 32))), width)
    if logical == "!=" and rhs.literal == 1:
        return expr.unary("!", lhs, "bool")
    return expr.binary(lhs, logical, rhs, "bool")


@expression(arith.DivSIOp, arith.RemSIOp)
def divide(op: Any, f: FunctionPrinter) -> Expr:
    """Division towards zero; by zero and INT_MIN / -1 are undefined in MLIR as in C."""
    width = width_of(op.result)
    lhs, rhs = widened(f.operands(op.lhs, op.rhs), width)  # type: ignore[arg-type]
    operator = "/" if isinstance(op, arith.DivSIOp) else "%"
    return narrowed(expr.binary(lhs, operator, rhs, signed(max(width, 32))), width)


@expression(arith.DivUIOp, arith.RemUIOp)
def divide_unsigned(op: Any, f: FunctionPrinter) -> Expr:
    """Unsigned division; plain where no operand is negative."""
    width = width_of(op.result)
    operator = "/" if isinstance(op, arith.DivUIOp) else "%"
    lhs, rhs = f.operands(op.lhs, op.rhs)
    if f.ranges.is_non_negative(op.lhs, op.rhs):
        lhs, rhs = widened((lhs, rhs), width)
        return narrowed(expr.binary(lhs, operator, rhs, signed(max(width, 32))), width)
    lhs, rhs = as_unsigned(lhs, width), as_unsigned(rhs, width)
    return expr.cast(signed(width), expr.binary(lhs, operator, rhs, unsigned(width)))


@expression(arith.FloorDivSIOp, arith.CeilDivSIOp)
def divide_rounding(op: Any, f: FunctionPrinter) -> Expr:
    """Division with a rounding that C has no operator for."""
    name = "div_floor" if isinstance(op, arith.FloorDivSIOp) else "div_ceil"
    return signed_call(op, name, f.operands(op.lhs, op.rhs))


@expression(arith.CeilDivUIOp)
def divide_ceil_unsigned(op: arith.CeilDivUIOp, f: FunctionPrinter) -> Expr:
    """Unsigned division, rounded up."""
    return unsigned_call(op, "div_ceil", f.operands(op.lhs, op.rhs))


@expression(arith.MinSIOp, arith.MaxSIOp)
def min_max(op: Any, f: FunctionPrinter) -> Expr:
    """Signed minimum and maximum; both with numbers are a clamp."""
    name, inner = ("min", "max") if isinstance(op, arith.MinSIOp) else ("max", "min")
    operands = f.operands(op.lhs, op.rhs)
    clamped, bound = operands
    if clamped.operator == f"{inner}_i{max(width_of(op.result), 32)}" and bound.literal is not None:
        value, other = clamped.operands
        low, high = sorted((bound, other), key=lambda e: e.literal or 0)
        if other.literal is not None and (low is other) == (inner == "max"):
            return signed_call(op, "clamp", (value, low, high))
    return signed_call(op, name, operands)


@expression(arith.MinUIOp, arith.MaxUIOp)
def min_max_unsigned(op: Any, f: FunctionPrinter) -> Expr:
    """Unsigned minimum and maximum."""
    name = "min" if isinstance(op, arith.MinUIOp) else "max"
    return unsigned_call(op, name, f.operands(op.lhs, op.rhs))


def signed_call(op: Any, name: str, operands: tuple[Expr, ...]) -> Expr:
    """Call a helper that exists for 32 and 64 bits."""
    width = width_of(op.results[0])
    wide = max(width, 32)
    found = expr.call(f"{name}_i{wide}", operands, signed(wide))
    return narrowed(found, width)


def unsigned_call(op: Any, name: str, operands: tuple[Expr, ...]) -> Expr:
    """Call a helper on values read as unsigned."""
    width = width_of(op.results[0])
    wide = max(width, 32)
    arguments = tuple(as_unsigned(operand, width) for operand in operands)
    found = expr.call(f"{name}_u{wide}", arguments, unsigned(wide))
    return expr.cast(signed(width), found)


@check(
    arith.ShLIOp, arith.ShRSIOp, arith.ShRUIOp, arith.DivSIOp, arith.DivUIOp, arith.RemSIOp,
    arith.RemUIOp, arith.FloorDivSIOp, arith.CeilDivSIOp, arith.CeilDivUIOp, arith.MinSIOp,
    arith.MaxSIOp, arith.MinUIOp, arith.MaxUIOp,
)  # fmt: skip
def _check_no_boolean(op: Any) -> str | None:
    if width_of(op.results[0]) == 1:
        return f"'{op.operation.name}' on i1 has no C form; use and, or, xor or select"
    return None


@expression(arith.ShLIOp)
def shift_left(op: arith.ShLIOp, f: FunctionPrinter) -> Expr:
    """`a << b`; through unsigned where a bit may be shifted out or a is negative."""
    width = width_of(op.result)
    lhs, rhs = f.operands(op.lhs, op.rhs)
    if f.ranges.is_non_negative(op.lhs) and f.ranges.fits(op.result):
        if width == 64:
            lhs = expr.cast(signed(64), lhs)
        return narrowed(expr.binary(lhs, "<<", rhs, signed(max(width, 32))), width)
    wide = max(width, 32)
    shifted = expr.binary(as_unsigned(lhs, wide), "<<", rhs, unsigned(wide))
    return expr.cast(signed(width), shifted)


@expression(arith.ShRSIOp)
def shift_right(op: Any, f: FunctionPrinter) -> Expr:
    """Arithmetic shift; every compiler we know keeps the sign."""
    width = width_of(op.result)
    lhs, rhs = f.operands(op.lhs, op.rhs)
    if width == 64:
        lhs = expr.cast(signed(64), lhs)
    return narrowed(expr.binary(lhs, ">>", rhs, signed(max(width, 32))), width)


@expression(arith.ShRUIOp)
def shift_right_unsigned(op: arith.ShRUIOp, f: FunctionPrinter) -> Expr:
    """Logical shift; that of a number which is never negative needs no cast."""
    width = width_of(op.result)
    if f.ranges.is_non_negative(op.lhs):
        return shift_right(op, f)
    lhs, rhs = f.operands(op.lhs, op.rhs)
    shifted = expr.binary(as_unsigned(lhs, width), ">>", rhs, unsigned(width))
    return expr.cast(signed(width), shifted)


@expression(arith.SelectOp)
def select(op: arith.SelectOp, f: FunctionPrinter) -> Expr:
    """`c ? a : b`."""
    condition, then, otherwise = f.operands(op.condition, op.true_value, op.false_value)
    ctype = scalar_type(op.result.type)
    width = integer_width(op.result.type) or 0
    if width == 64:  # what C computes in, which numbers do not widen
        ctype = ctype if ctype in (then.ctype, otherwise.ctype) else signed(32)
    if width in (8, 16):  # C promotes both sides
        return narrowed(expr.conditional(condition, then, otherwise, signed(32)), width)
    return expr.conditional(condition, then, otherwise, ctype)


@check(arith.SelectOp)
def _check_select(op: arith.SelectOp) -> str | None:
    if integer_width(op.condition.type) != 1 or not _is_scalar(op.result):
        return "a select between buffers has no C form; copy the chosen buffer instead"
    return None


def _is_scalar(value: Value) -> bool:
    return not hasattr(value.type, "element_type")
