"""The registry of C printers: one function per op class, found in the folder `ops`."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from mlir.ir import Operation, OpView
from msgspec import Struct

from forebay.codegen.c.syntax.expr import Expr
from forebay.codegen.c.syntax.types import Refusals, is_pointer_like
from forebay.ir.interfaces import is_view
from forebay.ir.machine.transfers import INSTRUCTIONS
from forebay.ir.memory.addresses import buffer_inside
from forebay.ir.views.queries import shares_base
from forebay.network.errors import EmissionError

ExpressionPrinter = Callable[[Any, Any], Expr]
"""Returns the C expression of an op of one class; called with the op and the `FunctionPrinter`."""
StatementPrinter = Callable[[Any, Any], None]
"""Adds statements for an op of one class; called with the op and the `FunctionPrinter`."""
PrintableCheck = Callable[[Any], "str | None"]

_expressions: dict[type[OpView], ExpressionPrinter] = {}
_statements: dict[type[OpView], StatementPrinter] = {}
_checks: dict[type[OpView], PrintableCheck] = {}
_checks_of_types: dict[type[OpView], PrintableCheck] = {}


class Printers(Struct, frozen=True):
    """The printers of all op classes that have a C form, and their checks.

    `checks_of_types` have the same answer for all ops of one class with the same types.
    """

    expressions: Mapping[type[OpView], ExpressionPrinter]
    statements: Mapping[type[OpView], StatementPrinter]
    checks: Mapping[type[OpView], PrintableCheck]
    checks_of_types: Mapping[type[OpView], PrintableCheck]


@functools.cache
def printers() -> Printers:
    """Return all printers by op class, after importing every module of the folder `ops`."""
    package = importlib.import_module("forebay.codegen.c.ops")
    for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda m: m.name):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return Printers(
        MappingProxyType(_expressions),
        MappingProxyType(_statements),
        MappingProxyType(_checks),
        MappingProxyType(_checks_of_types),
    )


def expression(*classes: type[Any]) -> Callable[[ExpressionPrinter], ExpressionPrinter]:
    """Register the printer of an op that is one pure expression with one result."""

    def register(printer: ExpressionPrinter) -> ExpressionPrinter:
        _expressions.update(dict.fromkeys(classes, printer))
        return printer

    return register


def statement(*classes: type[Any]) -> Callable[[StatementPrinter], StatementPrinter]:
    """Register the printer of an op that writes statements and binds its own results."""

    def register(printer: StatementPrinter) -> StatementPrinter:
        _statements.update(dict.fromkeys(classes, printer))
        return printer

    return register


def printable_check(*classes: type[Any]) -> Callable[[PrintableCheck], PrintableCheck]:
    """Register a function that returns why an op of the class has no C form, or None."""

    def register(function: PrintableCheck) -> PrintableCheck:
        _checks.update(dict.fromkeys(classes, function))
        return function

    return register


def printable_types(*classes: type[Any]) -> Callable[[PrintableCheck], PrintableCheck]:
    """Register a check as `printable_check` does; it looks at the types of operands and results."""

    def register(function: PrintableCheck) -> PrintableCheck:
        _checks_of_types.update(dict.fromkeys(classes, function))
        return function

    return register


def statement_of(op: OpView) -> StatementPrinter | None:
    """Return the printer of an op that writes statements, or None.

    The printer that is registered for `OpView` serves all views without a printer of their own.
    """
    statements = printers().statements
    # The class of an op of an unknown dialect is OpView itself.
    printer = None if type(op) is OpView else statements.get(type(op))
    return statements.get(OpView) if printer is None and shares_base(op) else printer


def is_printable(op: OpView | Operation, refusals: Refusals) -> str | None:
    """Return why an op inside a function has no C form, or None if it has one.

    `refusals` may be shared by all ops of a module.
    """
    view = op.opview if isinstance(op, Operation) else op
    known = printers()
    unknown = _without_printer(view)
    if unknown is not None:
        return unknown
    operands = list(view.operation.operands)
    types = [value.type for value in [*operands, *view.operation.results]]
    for type_ in types:
        reason = refusals[type_]
        if reason is not None:
            return reason
    memrefs = [v for v, type_ in zip(operands, types, strict=False) if is_pointer_like(type_)]
    if memrefs and not isinstance(view, INSTRUCTIONS) and not is_view(view):
        buffers = [buffer_inside(value) for value in memrefs]
        for pool in [buffer.placement.pool for buffer in buffers if buffer is not None]:
            return (
                f"'{view.operation.name}' uses memory inside a device, in pool @{pool}, which only "
                "transfers and intrinsics reach"
            )
    is_generic = bool(memrefs) and type(view) not in known.statements and shares_base(view)
    kind = OpView if is_generic else type(view)
    check_of_class = known.checks.get(kind) or known.checks_of_types.get(kind)
    return None if check_of_class is None else check_of_class(view)


def _without_printer(op: OpView) -> str | None:
    if type(op) in printers().expressions or statement_of(op) is not None:
        return None
    return f"'{op.operation.name}' has no C form; a pass must lower it first"


def require_printer(op: OpView) -> None:
    """Raise EmissionError at the op's location if no printer takes ops of its class.

    `is_printable` looks at the op, too; memref-pool-check-printable asks it for a whole module.
    """
    reason = _without_printer(op)
    if reason is not None:
        raise EmissionError(op.location, reason)
