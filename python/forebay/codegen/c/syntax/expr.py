"""C expressions as trees, with parentheses where C or readability needs them.

Build nodes by the functions below, which apply C's rules: `add(x, integer(-3))` is `x - 3`.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, IntEnum, auto

from msgspec import Struct

from forebay.support.lazy import lazy


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


_OPERATORS = {
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
ASSOCIATIVE_CHAINS = {("+", "+"), ("-", "+"), ("+", "-"), ("-", "-"), ("*", "*")} | {
    (op, op) for op in ("&", "|", "^", "&&", "||")
}


class Form(Enum):
    """The kind of an expression node, which defines its `symbol` and `operands`."""

    NAME = auto()
    """A variable or macro; `symbol` is its name."""
    LITERAL = auto()
    """A number as it is printed; `symbol` is its text."""
    MEMBER = auto()
    """`operand->symbol`."""
    UNARY = auto()
    """`symbol` is the operator."""
    BINARY = auto()
    """`symbol` is the operator."""
    CAST = auto()
    """The type is `ctype`."""
    CALL = auto()
    """`symbol` is the function."""
    CONDITIONAL = auto()
    """The condition, the value if it is true, the value if it is false."""
    ELEMENT = auto()
    """Pointer and index."""


class Expr(Struct, frozen=True, dict=True):
    """A C expression without side effects.

    `ctype` is its C type before promotion; `literal` is its value if it is a number. `changes` is
    set for a variable that statements assign after its declaration. `comment` follows the text.
    """

    form: Form
    symbol: str
    ctype: str
    operands: tuple[Expr, ...] = ()
    literal: int | None = None
    changes: bool = False
    comment: str = ""

    @lazy
    def text(self) -> str:
        """Return the text of the expression."""
        printed = _PRINTERS[self.form](self)
        return f"{printed} /* {self.comment} */" if self.comment else printed

    @lazy
    def names(self) -> frozenset[str]:
        """Return the variables and macros in the expression."""
        if self.form is Form.NAME:
            return frozenset((self.symbol,))
        return _union([operand.names for operand in self.operands])

    @lazy
    def calls(self) -> frozenset[str]:
        """Return the functions and function-like macros that the expression calls."""
        inside = _union([operand.calls for operand in self.operands])
        return inside | {self.symbol} if self.form is Form.CALL else inside

    @lazy
    def variables(self) -> frozenset[str]:
        """Return the mutable variables in it; it must not be moved across their assignments."""
        if self.changes:
            return frozenset((self.symbol,))
        return _union([operand.variables for operand in self.operands])

    @lazy
    def reads_memory(self) -> bool:
        """Return whether it reads memory, so that it must not be moved across a store."""
        return self.form is Form.ELEMENT or any(o.reads_memory for o in self.operands)

    @lazy
    def precedence(self) -> Precedence:
        """Return the precedence of its outermost operator."""
        if self.form is Form.BINARY:
            return _OPERATORS[self.symbol]
        if self.form is Form.CONDITIONAL:
            return Precedence.CONDITIONAL
        is_negative = self.form is Form.LITERAL and self.symbol[0] == "-"
        if self.form in (Form.UNARY, Form.CAST) or is_negative:
            return Precedence.UNARY
        return Precedence.ATOM

    @property
    def is_atom(self) -> bool:
        """Return whether it is a name, a member or a number, which may be repeated."""
        if self.form is Form.UNARY and self.symbol == "-":
            (operand,) = self.operands
            return operand.form in (Form.NAME, Form.LITERAL) and operand.symbol[0] != "-"
        return self.form in (Form.NAME, Form.MEMBER, Form.LITERAL) and not self.comment


_NOTHING = frozenset[str]()


def _union(sets: list[frozenset[str]]) -> frozenset[str]:
    found = _NOTHING
    for own in sets:
        if own:
            found = found | own if found else own
    return found


def name_expr(symbol: str, ctype: str, *, changes: bool = False) -> Expr:
    """Return a variable; `changes` if it is assigned after its declaration."""
    return Expr(Form.NAME, symbol, ctype, changes=changes)


def member_expr(pointer: Expr, symbol: str, ctype: str) -> Expr:
    """Return `pointer->symbol`."""
    return Expr(Form.MEMBER, symbol, ctype, (pointer,))


def literal_expr(text: str, ctype: str, value: int | None = None, comment: str = "") -> Expr:
    """Return a number spelled as `text`."""
    return Expr(Form.LITERAL, text, ctype, literal=value, comment=comment)


def boolean_expr(value: bool) -> Expr:
    """Return `true` or `false`."""
    return Expr(Form.NAME, "true" if value else "false", "bool", literal=int(value))


def integer_expr(value: int, ctype: str = "int32_t") -> Expr:
    """Return an integer; INT32_MIN and INT64_MIN by name, since -2147483648 is no literal in C."""
    if value == -(2**31):
        return Expr(Form.NAME, "INT32_MIN", ctype, literal=value)
    if value == -(2**63):
        return Expr(Form.NAME, "INT64_MIN", ctype, literal=value)
    if abs(value) < 2**31:
        return literal_expr(str(value), "int32_t", value)  # C's type of the literal is int
    return literal_expr(f"{'-' if value < 0 else ''}INT64_C({abs(value)})", ctype, value)


def binary_expr(lhs: Expr, operator: str, rhs: Expr, ctype: str) -> Expr:
    """Return `lhs operator rhs`."""
    return Expr(Form.BINARY, operator, ctype, (lhs, rhs))


def add_expr(lhs: Expr, rhs: Expr, ctype: str) -> Expr:
    """Return `lhs + rhs`, or `lhs - 3` if rhs is -3."""
    if rhs.literal is not None and -(2**31) < rhs.literal < 0:
        return binary_expr(lhs, "-", integer_expr(-rhs.literal, rhs.ctype), ctype)
    return binary_expr(lhs, "+", rhs, ctype)


def subtract_expr(lhs: Expr, rhs: Expr, ctype: str) -> Expr:
    """Return `lhs - rhs`, or `lhs + 3` if rhs is -3."""
    if rhs.literal is not None and -(2**31) < rhs.literal < 0:
        return binary_expr(lhs, "+", integer_expr(-rhs.literal, rhs.ctype), ctype)
    return binary_expr(lhs, "-", rhs, ctype)


def unary_expr(operator: str, operand: Expr, ctype: str) -> Expr:
    """Return `-x` or `!x`, but never `--x`."""
    return Expr(Form.UNARY, operator, ctype, (operand,))


def cast_expr(ctype: str, operand: Expr) -> Expr:
    """Return `(int8_t)x`, or x itself if it has that type and is not a literal."""
    if operand.ctype == ctype and operand.literal is None:
        return operand
    return Expr(Form.CAST, "", ctype, (operand,))


def call_expr(function: str, arguments: tuple[Expr, ...], ctype: str) -> Expr:
    """Return a call; a call with side effects must be a statement of its own."""
    return Expr(Form.CALL, function, ctype, arguments)


def conditional_expr(condition: Expr, then: Expr, otherwise: Expr, ctype: str) -> Expr:
    """Return `condition ? then : otherwise`."""
    return Expr(Form.CONDITIONAL, "", ctype, (condition, then, otherwise))


def element_expr(pointer: Expr, index: Expr, ctype: str) -> Expr:
    """Return `pointer[index]`, which reads memory."""
    return Expr(Form.ELEMENT, "", ctype, (pointer, index))


def _unary_text(found: Expr) -> str:
    (operand,) = found.operands
    is_weaker = operand.precedence < Precedence.UNARY or operand.text.startswith(found.symbol)
    return f"{found.symbol}({operand.text})" if is_weaker else f"{found.symbol}{operand.text}"


def _binary_text(found: Expr) -> str:
    lhs, rhs = found.operands
    left, right = (
        _operand_text(lhs, found, is_right=False),
        _operand_text(rhs, found, is_right=True),
    )
    return f"{left} {found.symbol} {right}"


def _cast_text(found: Expr) -> str:
    (operand,) = found.operands
    is_weaker = operand.precedence < Precedence.UNARY
    return f"({found.ctype})({operand.text})" if is_weaker else f"({found.ctype}){operand.text}"


def _call_text(found: Expr) -> str:
    return f"{found.symbol}({', '.join(operand.text for operand in found.operands)})"


def _conditional_text(found: Expr) -> str:
    condition, then, otherwise = (
        f"({part.text})" if part.precedence <= Precedence.CONDITIONAL else part.text
        for part in found.operands
    )
    return f"{condition} ? {then} : {otherwise}"


def _element_text(found: Expr) -> str:
    pointer, index = found.operands
    return f"{_postfix_text(pointer)}[{index.text}]"


def _member_text(found: Expr) -> str:
    (pointer,) = found.operands
    return f"{_postfix_text(pointer)}->{found.symbol}"


def _postfix_text(pointer: Expr) -> str:
    return pointer.text if pointer.is_atom else f"({pointer.text})"


_PRINTERS: dict[Form, Callable[[Expr], str]] = {
    Form.NAME: lambda found: found.symbol,
    Form.LITERAL: lambda found: found.symbol,
    Form.MEMBER: _member_text,
    Form.UNARY: _unary_text,
    Form.BINARY: _binary_text,
    Form.CAST: _cast_text,
    Form.CALL: _call_text,
    Form.CONDITIONAL: _conditional_text,
    Form.ELEMENT: _element_text,
}


def _operand_text(child: Expr, parent: Expr, *, is_right: bool) -> str:
    if _needs_parentheses(child, parent.symbol, parent.precedence, is_right):
        return f"({child.text})"
    return child.text


def _needs_parentheses(child: Expr, operator: str, parent: Precedence, is_right: bool) -> bool:
    if child.precedence >= Precedence.UNARY or child.precedence < parent:
        return child.precedence < parent
    if child.precedence == parent:
        return is_right or (child.symbol, operator) not in ASSOCIATIVE_CHAINS
    # Compilers warn about these, and readers misread them: shifts, bits and && within ||.
    if Precedence.BIT_OR <= parent <= Precedence.BIT_AND or parent == Precedence.SHIFT:
        return True
    if parent == Precedence.EQUALITY and child.precedence == Precedence.RELATIONAL:
        return True
    return child.symbol == "&&" or child.precedence == Precedence.SHIFT
