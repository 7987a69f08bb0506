"""The lines of C statements: heads of loops, braces, indentation, comments."""

from __future__ import annotations

from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.expr import Expr
from forebay.codegen.c.syntax.statement_text import statements_text
from forebay.codegen.c.syntax.statements import (
    Assign,
    Block,
    Break,
    Comment,
    Declare,
    Evaluate,
    For,
    If,
    Return,
    Statement,
    While,
)


def name(text: str) -> Expr:
    return expr.name_expr(text, "int32_t")


def number(value: int) -> Expr:
    return expr.integer_expr(value)


def lines(*statements: Statement) -> list[str]:
    return statements_text(Block(list(statements)))


def test_a_loop_counts_by_one_or_by_its_step() -> None:
    body = Block([Assign(name("a"), name("i"), "+=")])
    first = For("int32_t", "i", number(0), name("n"), number(1), body)
    second = For("int32_t", "i", number(0), name("n"), number(4), body)
    assert lines(first) == [
        "    for (int32_t i = 0; i < n; ++i) {",
        "        a += i;",
        "    }",
    ]
    assert lines(second)[0] == "    for (int32_t i = 0; i < n; i += 4) {"


def test_a_loop_without_a_condition_ends_by_a_break() -> None:
    body = Block([If(name("done"), Block([Break()]), None)])
    assert lines(While(None, body)) == [
        "    for (;;) {",
        "        if (done) {",
        "            break;",
        "        }",
        "    }",
    ]
    assert lines(While(name("on"), Block([])))[0] == "    while (on) {"


def test_both_branches_are_in_braces() -> None:
    then, otherwise = Block([Return(number(1))]), Block([Return(number(2))])
    assert lines(If(name("c"), then, otherwise)) == [
        "    if (c) {",
        "        return 1;",
        "    } else {",
        "        return 2;",
        "    }",
    ]


def test_a_declaration_has_its_value_and_its_comment() -> None:
    assert lines(Declare("const int32_t", "x", number(3), "int32_t", comment="three")) == [
        "    const int32_t x = 3; /* three */"
    ]
    assert lines(Declare("int8_t *", "p", None, "pointer")) == ["    int8_t *p;"]


def test_a_discarded_result_is_cast_to_void() -> None:
    call = expr.call_expr("f", (name("a"),), "int32_t")
    assert lines(Comment("/* c */"), Evaluate(call), Evaluate(call, discards=True)) == [
        "    /* c */",
        "    f(a);",
        "    (void)f(a);",
    ]


def test_a_long_line_is_broken() -> None:
    call = expr.call_expr("function", tuple(name(f"argument_{n}") for n in range(12)), "void")
    found = lines(Evaluate(call))
    assert len(found) > 1
    assert all(len(line) <= 100 for line in found)
