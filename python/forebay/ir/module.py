"""The module and the function around an op, and the symbols that the module declares."""

from __future__ import annotations

from typing import Any, TypeVar

from mlir import ir
from mlir.dialects import func
from mlir.dialects.builtin import ModuleOp

from forebay._libs import _forebay

_Op = TypeVar("_Op", bound=ir.OpView)


def module_of(op: ir.Module | ir.Operation) -> ModuleOp:
    """Return `op` as a `builtin.module`; raises `TypeError` when it is another op."""
    module = op.operation.opview
    if not isinstance(module, ModuleOp):
        raise TypeError(f"'{module.name}' is not a builtin.module")
    return module


def module_around(op: ir.OpView | ir.Operation) -> ir.Operation:
    """Return the outermost op around `op`, or `op` itself."""
    return _forebay.outermost(op.operation)


def symbol_around(op: ir.OpView | ir.Operation, name: str) -> ir.OpView | None:
    """Return the op that the outermost op around `op` declares with this symbol, or None.

    One lookup takes much less time than an `ir.SymbolTable`, which enters all symbols.
    """
    return _forebay.symbol_around(op.operation, name)


def ops_in_body(module: ir.OpView | ir.Operation, kind: type[_Op]) -> list[_Op]:
    """Return the ops of one class in the body of a module, in their order."""
    named: Any = kind  # the bindings' stubs do not declare OPERATION_NAME
    found: list[Any] = _forebay.ops_in_body(module.operation, named.OPERATION_NAME)
    return found


def function_around(op: ir.OpView) -> func.FuncOp | None:
    """Return the function around an op, or None."""
    around = op.operation.parent
    while around is not None and not isinstance(around.opview, func.FuncOp):
        around = around.operation.parent
    return None if around is None else around.opview
