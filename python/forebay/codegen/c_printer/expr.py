"""C expressions as text with just enough structure to place parentheses."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import IntEnum


class Precedence(IntEnum):
    """C's operator precedence, weakest first."""

    CONDITIONAL = 3
    LOGICAL_OR = 4
    LOGICAL_AND = 5
    BIT_OR = 6
    BIT_XOR = 7
    BIT_AND = 8
    EQUALITY = 9
    RELATIONAL = 10
    SHIFT = 11
    ADDITIVE = 12
    MULTIPLICATIVE = 13
    UNARY = 14
    ATOM = 15


OPERATORS = {
    "||": Precedence.LOGICAL_OR,
    "&&": Precedence.LOGICAL_AND,
    "|": Precedence.BIT_OR,
    "^": Precedence.BIT_XOR,
    "&": Precedence.BIT_AND,
    "==": Precedence.EQUALITY,
    "!=": Precedence.EQUALITY,
    "<": Precedence.RELATIONAL,
    "<=": Precedence.RELATIONAL,
    ">": Precedence.RELATIONAL,
    ">=": Precedence.RELATIONAL,
    "<<": Precedence.SHIFT,
    ">>": Precedence.SHIFT,
    "+": Precedence.ADDITIVE,
    "-": Precedence.ADDITIVE,
    "*": Precedence.MULTIPLICATIVE,
    "/": Precedence.MULTIPLICATIVE,
    "%": Precedence.MULTIPLICATIVE,
}
ATOM = re.compile(r"-?[\w.]+(e[+-]\d+f?)?|-?INT64_C\(\d+\)|\w+->\w+")
ASSOCIATIVE_CHAINS = {("+", "+"), ("-", "+"), ("+", "-"), ("-", "-"), ("*", "*")} | {
    (op, op) for op in ("&", "|", "^", "&&", "||")
}


@dataclass(frozen=True)
class Expr:
    """A C expression without side effects.

    `ctype` is the type that C gives it, before promotion; `literal` its value where it is a number;
    `operator` and `operands` its outermost binary operator or call. `reads_memory` and `variables`,
    the variables in it that change, say which statements it must not be moved across.
    """

    text: str
    ctype: str
    precedence: Precedence = Precedence.ATOM
    literal: int | None = None
    operator: str = ""
    operands: tuple[Expr, ...] = ()
    reads_memory: bool = False
    variables: frozenset[str] = frozenset()

    @property
    def is_atom(self) -> bool:
        """Whether it is a name or a number, which may be repeated."""
        return ATOM.fullmatch(self.text) is not None


def name(text: str, ctype: str, *, changes: bool = False) -> Expr:
    """Name a variable; `changes` where it is assigned after its declaration."""
    return Expr(text, ctype, variables=frozenset([text]) if changes else frozenset())


def integer(value: int, ctype: str = "int32_t") -> Expr:
    """Write an integer; limits by their names, since -2147483648 is no literal in C."""
    if value == -(2**31):
        return Expr("INT32_MIN", ctype, literal=value)
    if value == -(2**63):
        return Expr("INT64_MIN", ctype, literal=value)
    if abs(value) < 2**31:
        text, ctype = str(value), "int32_t"  # whatever MLIR calls it
    else:
        text = f"{'-' if value < 0 else ''}INT64_C({abs(value)})"
    return Expr(text, ctype, Precedence.UNARY if value < 0 else Precedence.ATOM, literal=value)


def binary(lhs: Expr, operator: str, rhs: Expr, ctype: str) -> Expr:
    """Write `lhs operator rhs` and parentheses where precedence or a reader needs them."""
    precedence = OPERATORS[operator]
    left = _parenthesise(lhs, operator, precedence, is_right=False)
    right = _parenthesise(rhs, operator, precedence, is_right=True)
    found = _combine(f"{left} {operator} {right}", ctype, precedence, (lhs, rhs))
    return replace(found, operator=operator, operands=(lhs, rhs))


def add(lhs: Expr, rhs: Expr, ctype: str) -> Expr:
    """`lhs + rhs`, as `lhs - 3` where rhs is -3."""
    if rhs.literal is not None and -(2**31) < rhs.literal < 0:
        return binary(lhs, "-", integer(-rhs.literal, rhs.ctype), ctype)
    return binary(lhs, "+", rhs, ctype)


def subtract(lhs: Expr, rhs: Expr, ctype: str) -> Expr:
    """`lhs - rhs`, as `lhs + 3` where rhs is -3."""
    if rhs.literal is not None and -(2**31) < rhs.literal < 0:
        return binary(lhs, "+", integer(-rhs.literal, rhs.ctype), ctype)
    return binary(lhs, "-", rhs, ctype)


def unary(operator: str, operand: Expr, ctype: str) -> Expr:
    """`-x`, `!x`; never `--x`."""
    text = operand.text
    if operand.precedence < Precedence.UNARY or text.startswith(operator):
        text = f"({text})"
    return _combine(f"{operator}{text}", ctype, Precedence.UNARY, (operand,))


def cast(ctype: str, operand: Expr) -> Expr:
    """`(int8_t)x`, or x itself where it has that type."""
    if operand.ctype == ctype and operand.literal is None:
        return operand
    text = operand.text if operand.precedence >= Precedence.UNARY else f"({operand.text})"
    return _combine(f"({ctype}){text}", ctype, Precedence.UNARY, (operand,))


def call(function: str, arguments: tuple[Expr, ...], ctype: str) -> Expr:
    """Call a function without side effects."""
    text = f"{function}({', '.join(a.text for a in arguments)})"
    found = _combine(text, ctype, Precedence.ATOM, arguments)
    return replace(found, operator=function, operands=arguments)


def conditional(condition: Expr, then: Expr, otherwise: Expr, ctype: str) -> Expr:
    """`condition ? then : otherwise`."""
    parts = [
        f"({e.text})" if e.precedence <= Precedence.CONDITIONAL else e.text
        for e in (condition, then, otherwise)
    ]
    text = f"{parts[0]} ? {parts[1]} : {parts[2]}"
    return _combine(text, ctype, Precedence.CONDITIONAL, (condition, then, otherwise))


def element(pointer: Expr, index: Expr, ctype: str) -> Expr:
    """`pointer[index]`, read from memory."""
    text = pointer.text if pointer.is_atom else f"({pointer.text})"
    variables = pointer.variables | index.variables
    return Expr(f"{text}[{index.text}]", ctype, reads_memory=True, variables=variables)


def _combine(text: str, ctype: str, precedence: Precedence, parts: tuple[Expr, ...]) -> Expr:
    return Expr(
        text,
        ctype,
        precedence,
        reads_memory=any(part.reads_memory for part in parts),
        variables=frozenset[str]().union(*(part.variables for part in parts)),
    )


def _parenthesise(child: Expr, operator: str, parent: Precedence, *, is_right: bool) -> str:
    if _needs_parentheses(child, operator, parent, is_right):
        return f"({child.text})"
    return child.text


def _needs_parentheses(child: Expr, operator: str, parent: Precedence, is_right: bool) -> bool:
    if child.precedence >= Precedence.UNARY or child.precedence < parent:
        return child.precedence < parent
    if child.precedence == parent:
        return is_right or (child.operator, operator) not in ASSOCIATIVE_CHAINS
    # What compilers warn about and readers stumble over: shifts, bits and && within ||.
    if Precedence.BIT_OR <= parent <= Precedence.BIT_AND or parent == Precedence.SHIFT:
        return True
    if parent == Precedence.EQUALITY and child.precedence == Precedence.RELATIONAL:
        return True
    return child.operator == "&&" or child.precedence == Precedence.SHIFT
