"""Parentheses where precedence or a reader needs them; line breaks where a reader would."""

from __future__ import annotations

import pytest

from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.expr import Expr
from forebay.codegen.c.syntax.wrap import wrap_line

A, B, C = (expr.name_expr(letter, "int32_t") for letter in "abc")


def op(lhs: Expr, operator: str, rhs: Expr) -> Expr:
    return expr.binary_expr(lhs, operator, rhs, "int32_t")


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (op(op(A, "+", B), "+", C), "a + b + c"),
        (op(A, "+", op(B, "+", C)), "a + (b + c)"),
        (op(A, "-", op(B, "-", C)), "a - (b - c)"),
        (op(op(A, "*", B), "+", C), "a * b + c"),
        (op(op(A, "+", B), "*", C), "(a + b) * c"),
        (op(op(A, "/", B), "*", C), "(a / b) * c"),
        (op(op(A, "+", B), "<<", C), "(a + b) << c"),
        (op(op(A, "<<", B), "+", C), "(a << b) + c"),
        (op(op(A, "&", B), "==", C), "(a & b) == c"),
        (op(op(A, "==", B), "&", C), "(a == b) & c"),
        (op(op(A, "<", B), "==", C), "(a < b) == c"),
        (op(op(A, "&&", B), "||", C), "(a && b) || c"),
        (op(op(A, "<", B), "&&", C), "a < b && c"),
        (expr.unary_expr("-", expr.unary_expr("-", A, "int32_t"), "int32_t"), "-(-a)"),
        (expr.unary_expr("!", op(A, "<", B), "bool"), "!(a < b)"),
        (expr.cast_expr("int8_t", op(A, "+", B)), "(int8_t)(a + b)"),
        (expr.cast_expr("int8_t", expr.cast_expr("uint8_t", A)), "(int8_t)(uint8_t)a"),
        (expr.add_expr(A, expr.integer_expr(-3), "int32_t"), "a - 3"),
        (expr.subtract_expr(A, expr.integer_expr(-3), "int32_t"), "a + 3"),
        (op(A, "*", expr.integer_expr(-3)), "a * -3"),
        (expr.conditional_expr(op(A, "<", B), A, B, "int32_t"), "a < b ? a : b"),
        (op(expr.conditional_expr(A, B, C, "int32_t"), "+", A), "(a ? b : c) + a"),
        (expr.conditional_expr(A, B, expr.conditional_expr(B, C, A, "int32_t"), "int32_t"),
         "a ? b : (b ? c : a)"),
    ],
)  # fmt: skip
def test_parentheses(found: Expr, text: str) -> None:
    assert found.text == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5, "5"),
        (-5, "-5"),
        (-(2**31), "INT32_MIN"),
        (2**31, "INT64_C(2147483648)"),
        (-(2**40), "-INT64_C(1099511627776)"),
        (-(2**63), "INT64_MIN"),
    ],
)
def test_integers(value: int, text: str) -> None:
    assert expr.integer_expr(value).text == text


def test_atoms_are_names_and_numbers() -> None:
    minus_a = expr.unary_expr("-", A, "int32_t")
    bias = expr.member_expr(expr.name_expr("weights", "net_weights *"), "bias", "int8_t *")
    atoms = [A, minus_a, expr.integer_expr(-5), expr.literal_expr("-1e+10f", "float"), bias]
    assert all(found.is_atom for found in [*atoms, expr.integer_expr(2**40)])
    others = [
        op(A, "+", B),
        expr.call_expr("f", (A,), "int32_t"),
        expr.element_expr(A, B, "int32_t"),
    ]
    assert not any(found.is_atom for found in [*others, expr.cast_expr("int8_t", A)])
    assert not expr.unary_expr("-", minus_a, "int32_t").is_atom


def test_a_tree_knows_its_names_and_calls() -> None:
    changing = expr.name_expr("acc", "int32_t", changes=True)
    found = op(expr.call_expr("min_i32", (A, expr.integer_expr(3)), "int32_t"), "+", changing)
    names, calls = set[str](), set[str]()
    found.add_symbols(names, calls)
    assert names == {"a", "acc"}
    assert calls == {"min_i32"}
    assert found.variables == {"acc"}
    assert not found.reads_memory
    assert op(found, "-", expr.element_expr(B, C, "int8_t")).reads_memory


def test_short_lines_stay_whole() -> None:
    assert wrap_line("    a = b + c;") == ["    a = b + c;"]


def test_long_lines_break_at_the_outermost_operator() -> None:
    line = (
        "    acc += (in[(y * 32 + x) * 16 + c] + 128) * weights[((c * 3 + ky) * 3 + kx) * 3 + k];"
    )
    assert wrap_line(line, 60) == [
        "    acc += (in[(y * 32 + x) * 16 + c] + 128) *",
        "            weights[((c * 3 + ky) * 3 + kx) * 3 + k];",
    ]


def test_an_assignment_breaks_before_its_right_side() -> None:
    line = "    out[(y * 32 + x) * 16 + c] = (int8_t)clamp_i32(scaled - 128, -128, 127);"
    assert wrap_line(line, 50) == [
        "    out[(y * 32 + x) * 16 + c] =",
        "            (int8_t)clamp_i32(scaled - 128, -128,",
        "            127);",
    ]


def test_parameters_break_behind_commas() -> None:
    assert wrap_line("static void f(const int8_t *in, int8_t *out)", 34) == [
        "static void f(const int8_t *in,",
        "        int8_t *out)",
    ]
