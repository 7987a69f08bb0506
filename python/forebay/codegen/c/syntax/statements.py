"""C statements as trees, which a function consists of until it is printed.

A block is a list that grows while its ops are printed. The tree answers which names are used and
which functions are called; the text is never searched.
"""

from __future__ import annotations

from msgspec import Struct, field

from forebay.codegen.c.syntax.expr import Expr


class Statement(Struct, frozen=True):
    """Base of all statements."""

    @property
    def declared(self) -> str | None:
        """Return the name that the statement declares, or None."""
        return None

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """Return the statement's own expressions."""
        return ()

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Return the blocks inside the statement."""
        return ()

    @property
    def slots(self) -> tuple[str, ...]:
        """Return the stack slots of its declarations: C types, or "pointer"."""
        return tuple(slot for block in self.blocks for slot in block.slots)


class Block(Struct):
    """A sequence of statements."""

    statements: list[Statement] = field(default_factory=list[Statement])

    def add(self, statement: Statement) -> None:
        """Append a statement."""
        self.statements.append(statement)

    @property
    def slots(self) -> tuple[str, ...]:
        """Return the stack slots of all declarations."""
        return tuple(slot for statement in self.statements for slot in statement.slots)

    def drop_unused(self, calls: set[str]) -> set[str]:
        """Remove `if_used` declarations whose name no later statement of their block uses.

        Return the variables and macros that the other statements use or declare. Add the functions
        that they call to `calls`.
        """
        used: set[str] = set()
        kept: list[Statement] = []
        for statement in reversed(self.statements):
            if isinstance(statement, Declare) and statement.if_used and statement.name not in used:
                continue
            declared = statement.declared
            if declared is not None:
                used.add(declared)
            for expression in statement.expressions:
                expression.add_symbols(used, calls)
            for block in statement.blocks:
                used |= block.drop_unused(calls)
            kept.append(statement)
        self.statements[:] = reversed(kept)
        return used


class Declare(Statement, frozen=True):
    """`const T name = value;`, `T *name = value;` or `T name;`.

    `slot` is its stack slot. A declaration with `if_used` is removed if no statement uses its name.
    """

    ctype: str
    name: str
    value: Expr | None
    slot: str
    if_used: bool = False
    comment: str = ""

    @property
    def declared(self) -> str:
        """Return the name of the variable."""
        return self.name

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """Return its value."""
        return () if self.value is None else (self.value,)

    @property
    def slots(self) -> tuple[str, ...]:
        """Return the slot of the variable."""
        return (self.slot,)


class DeclareArray(Statement, frozen=True):
    """`T name[size];`, a local variable; its elements have `bits` bits."""

    ctype: str
    name: str
    size: int
    bits: int

    @property
    def declared(self) -> str:
        """Return the name of the array."""
        return self.name

    @property
    def slots(self) -> tuple[str, ...]:
        """Return slots of 4 bytes or more that hold the elements."""
        return ("int32_t",) * -(-self.size * self.bits // 32)


class Assign(Statement, frozen=True):
    """`target operator value;` with the operator =, +=, ..."""

    target: Expr
    value: Expr
    operator: str = "="

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """Return both sides."""
        return self.target, self.value


class Evaluate(Statement, frozen=True):
    """A call as a statement; `discards` if its result is cast to void."""

    call: Expr
    discards: bool = False

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """Return the call."""
        return (self.call,)


class Return(Statement, frozen=True):
    """`return value;`."""

    value: Expr

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """Return the value."""
        return (self.value,)


class Break(Statement, frozen=True):
    """`break;`."""


class Comment(Statement, frozen=True):
    """A comment on a line of its own, with its delimiters."""

    text: str


class If(Statement, frozen=True):
    """`if (condition) { ... } else { ... }`; without `else` if `otherwise` is None."""

    condition: Expr
    then: Block = field(default_factory=Block)
    otherwise: Block | None = None

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """Return the condition."""
        return (self.condition,)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Return one branch or two."""
        return self.then, *([] if self.otherwise is None else [self.otherwise])


class For(Statement, frozen=True):
    """`for (T counter = first; counter < end; counter += step) { ... }`."""

    ctype: str
    counter: str
    first: Expr
    end: Expr
    step: Expr
    body: Block = field(default_factory=Block)

    @property
    def declared(self) -> str:
        """Return the name of the counter."""
        return self.counter

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """Return the bounds of the counter and its step."""
        return self.first, self.end, self.step

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Return the body."""
        return (self.body,)

    @property
    def slots(self) -> tuple[str, ...]:
        """Return the slots of the counter and of the body's declarations."""
        return (self.ctype, *self.body.slots)


class While(Statement, frozen=True):
    """`while (condition) { ... }`, or `for (;;) { ... }` if the condition is None."""

    condition: Expr | None
    body: Block = field(default_factory=Block)

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """Return the condition, if there is one."""
        return () if self.condition is None else (self.condition,)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Return the body."""
        return (self.body,)


def assignment(variable: Expr, value: Expr) -> Assign:
    """Return `x = value;` or, if value is x + y, `x += y;`."""
    if value.symbol in ("+", "-", "*", "/") and len(value.operands) == 2:
        lhs, rhs = value.operands
        if lhs.text == variable.text:
            return Assign(variable, rhs, f"{value.symbol}=")
    return Assign(variable, value)
