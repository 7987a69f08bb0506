"""C expressions as trees, with parentheses where C or readability needs them.

Build nodes by the functions below, which apply C's rules: `add(x, integer(-3))` is `x - 3`.
"""

from __future__ import annotations

from enum import Enum, IntEnum, auto

from msgspec import Struct


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
    """The kind of an expression node, as far as users of a tree need it."""

    NAME = auto()
    """A variable or macro; `symbol` is its name."""
    LITERAL = auto()
    """A number as it is printed; `symbol` is its text."""
    CALL = auto()
    """`symbol` is the function."""
    OTHER = auto()
    """An operator, if there is one, is the `symbol`."""


_NOTHING = frozenset[str]()


class Expr(Struct, frozen=True):
    """A C expression without side effects.

    `ctype` is its C type before promotion; `literal` is its value if it is a number. `precedence`
    is that of the outermost operator. An atom is a name, a member or a number, which may be
    repeated. `variables` are the mutable ones in it: it must not be moved across their assignments.
    If it reads memory, it must not be moved across a store.
    """

    form: Form
    symbol: str
    ctype: str
    text: str
    precedence: Precedence
    operands: tuple[Expr, ...] = ()
    literal: int | None = None
    is_atom: bool = False
    variables: frozenset[str] = _NOTHING
    reads_memory: bool = False

    def add_symbols(self, names: set[str], calls: set[str]) -> None:
        """Add the variables and macros in it, and the functions and macros that it calls."""
        if self.form is Form.NAME:
            names.add(self.symbol)
        elif self.form is Form.CALL:
            calls.add(self.symbol)
        for operand in self.operands:
            operand.add_symbols(names, calls)


def _node(
    form: Form,
    symbol: str,
    ctype: str,
    operands: tuple[Expr, ...],
    *,
    text: str,
    precedence: Precedence = Precedence.ATOM,
    is_atom: bool = False,
) -> Expr:
    """Return a node with the variables and the reads of its operands."""
    variables, reads_memory = _NOTHING, False
    for operand in operands:
        if operand.variables:
            variables = variables | operand.variables if variables else operand.variables
        if operand.reads_memory:
            reads_memory = True
    return Expr(
        form, symbol, ctype, text, precedence, operands, None, is_atom, variables, reads_memory
    )


def name_expr(symbol: str, ctype: str, *, changes: bool = False) -> Expr:
    """Return a variable or macro; `changes` if it is assigned after its declaration."""
    variables = frozenset((symbol,)) if changes else _NOTHING
    return Expr(
        Form.NAME, symbol, ctype, symbol, Precedence.ATOM, is_atom=True, variables=variables
    )


def member_expr(pointer: Expr, symbol: str, ctype: str) -> Expr:
    """Return `pointer->symbol`."""
    text = f"{_postfix_text(pointer)}->{symbol}"
    return _node(Form.OTHER, symbol, ctype, (pointer,), text=text, is_atom=True)


def literal_expr(text: str, ctype: str, value: int | None = None, comment: str = "") -> Expr:
    """Return a number spelled as `text`; one with a comment after it is not repeated."""
    precedence = Precedence.UNARY if text[0] == "-" else Precedence.ATOM
    shown = f"{text} /* {comment} */" if comment else text
    return Expr(Form.LITERAL, text, ctype, shown, precedence, (), value, not comment)


def _value_name(symbol: str, ctype: str, value: int) -> Expr:
    """Return the name of a known value."""
    return Expr(Form.NAME, symbol, ctype, symbol, Precedence.ATOM, (), value, is_atom=True)


def boolean_expr(value: bool) -> Expr:
    """Return `true` or `false`."""
    return _value_name("true" if value else "false", "bool", int(value))


def integer_expr(value: int, ctype: str = "int32_t") -> Expr:
    """Return an integer; INT32_MIN and INT64_MIN by name, since -2147483648 is no literal in C."""
    if value == -(2**31):
        return _value_name("INT32_MIN", ctype, value)
    if value == -(2**63):
        return _value_name("INT64_MIN", ctype, value)
    if abs(value) < 2**31:
        return literal_expr(str(value), "int32_t", value)  # C's type of the literal is int
    return literal_expr(f"{'-' if value < 0 else ''}INT64_C({abs(value)})", ctype, value)


def binary_expr(lhs: Expr, operator: str, rhs: Expr, ctype: str) -> Expr:
    """Return `lhs operator rhs`."""
    precedence = _OPERATORS[operator]
    left = _operand_text(lhs, operator, precedence, is_right=False)
    right = _operand_text(rhs, operator, precedence, is_right=True)
    text = f"{left} {operator} {right}"
    return _node(Form.OTHER, operator, ctype, (lhs, rhs), text=text, precedence=precedence)


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
    is_weaker = operand.precedence < Precedence.UNARY or operand.text.startswith(operator)
    text = f"{operator}({operand.text})" if is_weaker else f"{operator}{operand.text}"
    is_number = operand.form in (Form.NAME, Form.LITERAL) and operand.symbol[0] != "-"
    return _node(
        Form.OTHER,
        operator,
        ctype,
        (operand,),
        text=text,
        precedence=Precedence.UNARY,
        is_atom=operator == "-" and is_number,
    )


def cast_expr(ctype: str, operand: Expr) -> Expr:
    """Return `(int8_t)x`, or x itself if it has that type and is not a literal."""
    if operand.ctype == ctype and operand.literal is None:
        return operand
    is_weaker = operand.precedence < Precedence.UNARY
    text = f"({ctype})({operand.text})" if is_weaker else f"({ctype}){operand.text}"
    return _node(Form.OTHER, "", ctype, (operand,), text=text, precedence=Precedence.UNARY)


def call_expr(function: str, arguments: tuple[Expr, ...], ctype: str) -> Expr:
    """Return a call; a call with side effects must be a statement of its own."""
    text = f"{function}({', '.join([argument.text for argument in arguments])})"
    return _node(Form.CALL, function, ctype, arguments, text=text)


def conditional_expr(condition: Expr, then: Expr, otherwise: Expr, ctype: str) -> Expr:
    """Return `condition ? then : otherwise`."""
    operands = (condition, then, otherwise)
    first, second, third = (
        f"({part.text})" if part.precedence <= Precedence.CONDITIONAL else part.text
        for part in operands
    )
    text = f"{first} ? {second} : {third}"
    return _node(Form.OTHER, "", ctype, operands, text=text, precedence=Precedence.CONDITIONAL)


def element_expr(pointer: Expr, index: Expr, ctype: str) -> Expr:
    """Return `pointer[index]`, which reads memory."""
    text = f"{_postfix_text(pointer)}[{index.text}]"
    variables = pointer.variables | index.variables
    return Expr(
        Form.OTHER,
        "",
        ctype,
        text,
        Precedence.ATOM,
        (pointer, index),
        variables=variables,
        reads_memory=True,
    )


def _postfix_text(pointer: Expr) -> str:
    return pointer.text if pointer.is_atom else f"({pointer.text})"


def _operand_text(child: Expr, operator: str, parent: Precedence, *, is_right: bool) -> str:
    if _needs_parentheses(child, operator, parent, is_right):
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
