"""Calls that return a status: the first status that is not 0 ends the calling function."""

from __future__ import annotations

from mlir.ir import OpView
from msgspec import Struct

from forebay.codegen.c.comments import operator_text
from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.expr import Expr
from forebay.codegen.c.syntax.statements import (
    Assign,
    Block,
    Declare,
    If,
    Return,
)
from forebay.codegen.c.syntax.text import string_literal
from forebay.ir.locations import operator_of

FAIL_FUNCTION = "failed"
"""The C function that fills in the caller's error structure."""


class StatusSource(Struct, frozen=True):
    """The devices that may have returned a status, and the place in the network."""

    devices: tuple[str, ...]
    where: str

    @staticmethod
    def of(op: OpView, devices: tuple[str, ...], fallback: str) -> StatusSource:
        """Return the model's operator that an op belongs to, else the fallback, as the place."""
        operator = operator_of(op.location)
        return StatusSource(devices, fallback if operator is None else operator_text(operator))


class StatusChecks(Struct):
    """The status checks of one function: calls, and a return if a status is not 0.

    If `fills_error` is set, the check fills the structure behind the last parameter, `error`.
    Otherwise it only returns the status to the caller.
    """

    variable: str
    fills_error: bool = False
    _is_declared: bool = False
    _is_declared_first: bool = False

    def call(self, call: Expr, source: StatusSource, block: Block, *, is_nested: bool) -> None:
        """Add a call to a block, followed by the check of its status."""
        is_first = not self._is_declared
        self._is_declared = True
        self._is_declared_first |= is_first and is_nested
        if is_first and not is_nested:
            block.add(Declare("int32_t", self.variable, call, "int32_t"))
        else:
            block.add(Assign(self._status, call))
        failed = expr.binary_expr(self._status, "!=", expr.integer_expr(0), "bool")
        block.add(If(failed, Block([Return(self._returned(source))])))

    def end(self, body: Block) -> None:
        """Add the function's return; if the body ends with a check, return its call's status."""
        last = None if self.fills_error else self._last_call(body)
        if last is not None:
            del body.statements[-2:]
        body.add(Return(expr.integer_expr(0) if last is None else last))
        if self._is_declared_first:
            body.statements.insert(0, Declare("int32_t", self.variable, None, "int32_t"))

    @property
    def _status(self) -> Expr:
        return expr.name_expr(self.variable, "int32_t", changes=True)

    def _last_call(self, body: Block) -> Expr | None:
        """Return the call whose status check ends the body, if there is one."""
        match body.statements[-2:]:
            case [Declare(name=self.variable, value=call), If()]:
                return call
            case [Assign(target=target, value=call), If()] if target == self._status:
                return call
            case _:
                return None

    def _returned(self, source: StatusSource) -> Expr:
        if not self.fills_error:
            return self._status
        texts = (string_literal(", ".join(source.devices)), string_literal(source.where))
        error = expr.name_expr("error", "")
        quoted = (expr.literal_expr(text, "const char *") for text in texts)
        return expr.call_expr(FAIL_FUNCTION, (error, self._status, *quoted), "int32_t")
