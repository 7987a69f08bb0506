"""Prints one function: decides which values become expressions and which become variables."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from mlir.dialects import arith, func, tosa
from mlir.ir import Block, BlockArgument, Operation, OpView, Value

from forebay.ir.locations import name_hint, operator_of

from ..names import Scope, identifier
from ..ranges import Ranges
from . import expr
from .expr import Expr
from .liveness import live_uses
from .pointers import Pointer
from .registry import EXPRESSIONS, STATEMENTS, require_printable
from .types import scalar_type
from .writes import Writes

INDENT = "    "
COMMENT = re.compile(r"/\*.*?\*/")
MAX_FOLDED = 60
MAX_STATEMENT = 72
CONVERSIONS = (arith.TruncIOp, arith.ExtSIOp, arith.ExtUIOp, arith.IndexCastOp, arith.TruncFOp)
ROLES: dict[type[Any], str] = {
    arith.AddIOp: "sum",
    arith.AddFOp: "sum",
    arith.SubIOp: "difference",
    arith.SubFOp: "difference",
    arith.MulIOp: "product",
    arith.MulFOp: "product",
    arith.CmpIOp: "condition",
    arith.CmpFOp: "condition",
    arith.SelectOp: "chosen",
    arith.MinSIOp: "clamped",
    arith.MaxSIOp: "clamped",
    tosa.ApplyScaleOp: "scaled",
    func.CallOp: "result",
}


@dataclass(frozen=True)
class Signature:
    """A function in C: its name and, per parameter, the element type or type."""

    name: str
    parameters: tuple[str, ...]


@dataclass
class FunctionPrinter:
    """State of printing one function.

    A pure value with one use in its own block waits in `pending` and is folded into its user; it
    is written out as a variable before a statement that could change what it reads.
    """

    ranges: Ranges
    writes: Writes
    functions: dict[str, Signature]
    scope: Scope
    constant_pools: frozenset[str] = frozenset()
    lines: list[str] = field(default_factory=list[str])
    helpers: set[str] = field(default_factory=set[str])
    headers: set[str] = field(default_factory=set[str])
    declared: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    values: dict[Value, Expr] = field(default_factory=dict[Value, Expr])
    pending: dict[Value, Expr] = field(default_factory=dict[Value, Expr])
    pointers: dict[Value, Pointer] = field(default_factory=dict[Value, Pointer])
    depth: int = 1
    operator: str = ""

    # Reading values

    def operand(self, value: Value) -> Expr:
        """Return the C expression of a value; a folded one is used up by this."""
        if value in self.pending:
            return self.pending.pop(value)
        return self.values[value]

    def operands(self, *values: Value) -> tuple[Expr, ...]:
        """Return the C expressions of several values."""
        return tuple(self.operand(value) for value in values)

    def stable(self, value: Value, wanted: str) -> Expr:
        """Return a value as a name or number that no statement changes."""
        found = self.operand(value)
        if found.literal is not None or (found.is_atom and not found.variables):
            return found
        return self.declare(wanted, scalar_type(value.type), found)

    def pointer(self, value: Value) -> Pointer:
        """Return the pointer of a memref."""
        return self.pointers[value]

    # Writing statements

    def line(self, text: str) -> None:
        """Write a line at the current indentation."""
        self.lines.append(INDENT * self.depth + text if text else "")

    def declaration(self, declared: str, text: str) -> None:
        """Write a declaration that is taken back if no later line uses its name."""
        self.declared.append((len(self.lines), declared))
        self.line(text)

    def declare(self, wanted: str, ctype: str, value: Expr) -> Expr:
        """Write `const T name = value;` and return the name."""
        chosen = self.scope.unique(identifier(wanted, "v"))
        self.declaration(chosen, f"const {ctype} {chosen} = {value.text};")
        return expr.name(chosen, ctype)

    def declare_variable(self, wanted: str, ctype: str, value: Expr | None) -> Expr:
        """Write a variable that later statements assign."""
        chosen = self.scope.unique(identifier(wanted, "v"))
        self.line(f"{ctype} {chosen} = {value.text};" if value else f"{ctype} {chosen};")
        return expr.name(chosen, ctype, changes=True)

    def need(self, helper: str) -> str:
        """Use a helper function and return its name."""
        self.helpers.add(helper)
        return helper

    # Binding results

    def define(self, value: Value, found: Expr) -> None:
        """Bind a pure value: repeat it, fold it into its one user, or name it."""
        uses = live_uses(value)
        if found.literal is not None or (found.is_atom and not found.variables):
            self.values[value] = found
        elif len(uses) == 1 and self._is_foldable(value, uses[0], found):
            self.pending[value] = found
        else:
            self.name_value(value, found)

    def name_value(self, value: Value, found: Expr) -> None:
        """Write a value as a named constant."""
        self.values[value] = self.declare(self.wanted_name(value), scalar_type(value.type), found)

    def wanted_name(self, value: Value, fallback: str | None = None) -> str:
        """Return the name that a pass gave to a value, or the fallback, or what it is."""
        if isinstance(value, BlockArgument):
            return fallback or "value"
        owner = view_of(value.owner)
        return name_hint(owner.location) or fallback or ROLES.get(type(owner), "value")

    def _is_foldable(self, value: Value, user: OpView, found: Expr) -> bool:
        if user.operation.block != value.owner.operation.block or isinstance(value, BlockArgument):
            return False
        is_last = type(user) in CONVERSIONS or type(user) in STATEMENTS
        return len(found.text) <= (MAX_STATEMENT if is_last else MAX_FOLDED)

    # Statements and what waits

    def settle_reads(self) -> None:
        """Name waiting values that read memory: the next statement may write it."""
        self._settle(lambda waiting: waiting.reads_memory)

    def settle(self) -> None:
        """Name waiting values that read memory or variables: the next statement has a body."""
        self._settle(lambda waiting: waiting.reads_memory or bool(waiting.variables))

    def _settle(self, must: Callable[[Expr], bool]) -> None:
        for value in [v for v, waiting in self.pending.items() if must(waiting)]:
            self.name_value(value, self.pending.pop(value))

    def block(self, block: Block) -> OpView:
        """Write a block's ops in a new scope, all but the terminator, which is returned."""
        *body, terminator = block.operations
        for op in body:
            self.op(op)
        require_printable(terminator)
        return terminator

    def op(self, op: OpView) -> None:
        """Write one op, or fold it."""
        require_printable(op)
        self._comment(op)
        if type(op) in STATEMENTS:
            STATEMENTS[type(op)](op, self)
            return
        result = op.operation.results[0]
        if live_uses(result):
            self.define(result, EXPRESSIONS[type(op)](op, self))

    def _comment(self, op: OpView) -> None:
        """Say which operator of the model begins here, where a function holds several."""
        operator = operator_of(op.location)
        if self.depth > 1 or operator is None or type(op) not in STATEMENTS:
            return
        text = str(operator)
        if text != self.operator:
            self.operator = text
            self.line(f"/* {text.replace('*/', '* /')} */")

    def assign(self, variables: list[Expr], values: list[Value]) -> None:
        """Assign loop-carried values all at once: `acc += x;`, or through temporaries."""
        found = list(self.operands(*values))
        changing = [i for i, new in enumerate(found) if new.text != variables[i].text]
        assigned: set[str] = set()
        for i in changing:  # what a later right side reads must not be assigned before it
            if found[i].variables & assigned:
                return self._assign_by_temporaries(variables, found, changing)
            assigned.add(variables[i].text)
        for i in changing:
            self.line(assignment(variables[i], found[i]))
        return None

    def _assign_by_temporaries(
        self, variables: list[Expr], found: list[Expr], changing: list[int]
    ) -> None:
        ready = {
            i: self.declare(f"next_{variables[i].text}", variables[i].ctype, found[i])
            if found[i].variables
            else found[i]
            for i in changing
        }
        for i in changing:
            self.line(assignment(variables[i], ready[i]))


def assignment(variable: Expr, value: Expr) -> str:
    """Return `x = value;` or, where value is x + y, `x += y;`."""
    if value.operator in ("+", "-", "*") and value.operands[0].text == variable.text:
        return f"{variable.text} {value.operator}= {value.operands[1].text};"
    return f"{variable.text} = {value.text};"


def used_in(lines: list[str], identifier_: str) -> bool:
    """Whether C text mentions an identifier outside of comments."""
    word = re.compile(rf"\b{identifier_}\b")
    return any(word.search(COMMENT.sub("", line)) for line in lines)


def view_of(op: OpView | Operation) -> Any:
    """Return the op as its own class."""
    return op.opview if isinstance(op, Operation) else op
