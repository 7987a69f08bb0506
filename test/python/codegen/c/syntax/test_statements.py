"""Statements as trees: what is unused disappears, and the text of every kind."""

from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.statement_text import statements_text
from forebay.codegen.c.syntax.statements import (
    Assign,
    Block,
    Break,
    Comment,
    Declare,
    DeclareArray,
    Evaluate,
    For,
    If,
    Return,
    While,
    assignment,
)

A, B = expr.name_expr("a", "int32_t"), expr.name_expr("b", "int32_t")
ZERO, ONE = expr.integer_expr(0), expr.integer_expr(1)


def constant(name: str, value: expr.Expr) -> Declare:
    return Declare("const int32_t", name, value, "int32_t", if_used=True)


def test_the_text_of_every_statement() -> None:
    loop = For("int32_t", "i", ZERO, expr.integer_expr(8), expr.integer_expr(2))
    loop.body.add(assignment(A, expr.add_expr(A, B, "int32_t")))
    block = Block(
        [
            Comment("/* sum */"),
            Declare("const int8_t *", "in", A, "pointer", comment="[4]"),
            Declare("int32_t", "acc", None, "int32_t"),
            loop,
            While(A, Block([Evaluate(expr.call_expr("step", (A,), "void"))])),
            While(None, Block([If(A, Block([Break()]), Block([Assign(A, B)]))])),
            Evaluate(expr.call_expr("memcpy", (A, B), "void *"), discards=True),
            Return(A),
        ]
    )
    assert statements_text(block) == [
        "    /* sum */",
        "    const int8_t *in = a; /* [4] */",
        "    int32_t acc;",
        "    for (int32_t i = 0; i < 8; i += 2) {",
        "        a += b;",
        "    }",
        "    while (a) {",
        "        step(a);",
        "    }",
        "    for (;;) {",
        "        if (a) {",
        "            break;",
        "        } else {",
        "            a = b;",
        "        }",
        "    }",
        "    (void)memcpy(a, b);",
        "    return a;",
    ]
    assert block.slots == ("pointer", "int32_t", "int32_t")
    calls = set[str]()
    block.drop_unused(calls)
    assert calls == {"step", "memcpy"}


def test_a_step_of_one_is_an_increment() -> None:
    block = Block([For("int32_t", "i", ZERO, A, ONE)])
    assert statements_text(block) == ["    for (int32_t i = 0; i < a; ++i) {", "    }"]


def test_what_only_unused_constants_use_is_unused() -> None:
    called = expr.call_expr("f", (A,), "int32_t")
    first, second = constant("x", called), constant("y", expr.name_expr("x", "int32_t"))
    block = Block([first, second, Return(B)])
    calls = set[str]()
    assert block.drop_unused(calls) == {"b"}
    assert not calls
    assert block.statements == [Return(B)]


def test_a_use_inside_of_a_later_loop_counts() -> None:
    used, unused = constant("x", A), constant("y", A)
    loop = For("int32_t", "i", ZERO, B, ONE)
    loop.body.add(unused)
    loop.body.add(Assign(B, expr.name_expr("x", "int32_t")))
    block = Block([used, loop])
    block.drop_unused(set())
    assert block.statements == [used, loop]
    assert loop.body.statements == [Assign(B, expr.name_expr("x", "int32_t"))]


def test_a_use_before_the_declaration_does_not_count() -> None:
    block = Block([Assign(B, expr.name_expr("x", "int32_t")), constant("x", A)])
    block.drop_unused(set())
    assert len(block.statements) == 1


def test_the_slots_of_an_array_hold_its_elements() -> None:
    assert statements_text(Block([DeclareArray("int16_t", "sums", 5, 16)])) == [
        "    int16_t sums[5];"
    ]
    assert len(DeclareArray("int16_t", "sums", 5, 16).slots) == 3
    assert len(DeclareArray("double", "sums", 2, 64).slots) == 4
