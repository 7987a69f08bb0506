"""Comparisons of integers and floats."""

from __future__ import annotations

from mlir.dialects import arith

from forebay.codegen.c.function import FunctionPrinter
from forebay.codegen.c.registry import expression, printable_check
from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.expr import Expr
from forebay.codegen.c.syntax.integers import as_unsigned, bit_width_of

# In the order of arith.CmpIPredicate: eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge.
INTEGER = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")
FIRST_UNSIGNED = 6
FIRST_ORDERING = 2

# In the order of arith.CmpFPredicate. C's operators are false for NaN, except !=.
FALSE, ORDERED, UNORDERED, TRUE = 0, range(1, 7), range(8, 14), 15
OEQ, ONE, ORD, UEQ, UNE, UNO = 1, 6, 7, 8, 13, 14
FLOAT_ORDERED = {1: "==", 2: ">", 3: ">=", 4: "<", 5: "<="}
FLOAT_NEGATED = {9: "<=", 10: "<", 11: ">=", 12: ">"}  # ugt is not ole, and so on


@expression(arith.CmpIOp)
def compare_integers(op: arith.CmpIOp, f: FunctionPrinter) -> Expr:
    """Return `a < b`; read as unsigned if the predicate is unsigned and a sign is possible."""
    predicate = op.predicate.value
    lhs, rhs = f.operands(op.lhs, op.rhs)
    if predicate >= FIRST_UNSIGNED and not f.ranges.is_non_negative(op.lhs, op.rhs):
        width = bit_width_of(op.lhs)
        lhs, rhs = as_unsigned(lhs, width), as_unsigned(rhs, width)
    return expr.binary_expr(lhs, INTEGER[predicate], rhs, "bool")


@printable_check(arith.CmpIOp)
def _check_compare(op: arith.CmpIOp) -> str | None:
    if bit_width_of(op.lhs) == 1 and op.predicate.value >= FIRST_ORDERING:
        return "booleans have no order in C; use and, or, xor or select"
    return None


@expression(arith.CmpFOp)
def compare_floats(op: arith.CmpFOp, f: FunctionPrinter) -> Expr:
    """Return ordered and unordered comparisons by C's operators and the macros of math.h."""
    predicate = op.predicate.value
    lhs, rhs = f.operands(op.lhs, op.rhs)
    if predicate in (FALSE, TRUE):
        return expr.boolean_expr(predicate != 0)
    if predicate in FLOAT_ORDERED:
        return expr.binary_expr(lhs, FLOAT_ORDERED[predicate], rhs, "bool")
    if predicate in FLOAT_NEGATED:
        return expr.unary_expr(
            "!", expr.binary_expr(lhs, FLOAT_NEGATED[predicate], rhs, "bool"), "bool"
        )
    if predicate == UNE:
        return expr.binary_expr(lhs, "!=", rhs, "bool")
    macro = "islessgreater" if predicate in (ONE, UEQ) else "isunordered"
    found = expr.call_expr(macro, (lhs, rhs), "bool")
    return expr.unary_expr("!", found, "bool") if predicate in (UEQ, ORD) else found
