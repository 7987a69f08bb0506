"""Calls of the model's own functions, and returns."""

from __future__ import annotations

from typing import Any

from mlir.dialects import func
from mlir.ir import FlatSymbolRefAttr, Value

from forebay.codegen.c.function import FunctionPrinter
from forebay.codegen.c.registry import printable_check, statement
from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.statements import Evaluate, Return
from forebay.codegen.c.syntax.types import is_pointer_like
from forebay.ir.locations import operator_of
from forebay.ir.machine.device_commands import commanded_devices, refuse_result
from forebay.ir.module import module_around


@statement(func.CallOp)
def call(op: func.CallOp, f: FunctionPrinter) -> None:
    """Print `conv_2d_3(workspace, weights);`, or with a status `status = npu_conv_2d_3(...);`."""
    callee = f.functions[FlatSymbolRefAttr(op.callee).value]
    arguments = tuple(
        argument(operand, ctype, f)
        for operand, ctype in zip(op.operands_, callee.parameters, strict=True)
    )
    found = expr.call_expr(callee.name, arguments, "void")
    f.settle()
    operator = operator_of(op.location) if f.has_hooks and callee.operator else None
    if operator is not None:
        f.add(_hook("BEGIN", operator.index))
    _add_call(op, found, f)
    if operator is not None:
        f.add(_hook("END", operator.index))
        f.hooked.append(operator.index)


def _hook(end: str, operator: int) -> Evaluate:
    index = expr.literal_expr(f"{operator}u", "uint32_t", operator)
    return Evaluate(expr.call_expr(f"FOREBAY_OPERATOR_{end}", (index,), "void"))


def _add_call(op: func.CallOp, found: expr.Expr, f: FunctionPrinter) -> None:
    callee = f.functions[FlatSymbolRefAttr(op.callee).value]
    if callee.returns_status:
        f.checked_call(op, found, callee.devices, callee.name)
    elif not op.results or not f.uses.is_used(op.results[0]):
        f.add(Evaluate(found))
    else:
        f.name_value(op.results[0], found)


def argument(value: Value, ctype: str, f: FunctionPrinter) -> expr.Expr:
    """Return the C argument for a value in a call; for a buffer, a pointer."""
    if not is_pointer_like(value.type):
        return f.operand(value)
    pointer = f.pointer(value)
    if pointer.ctype == ctype:
        return pointer.expression
    const = "" if f.writes.through(value) else "const "
    return expr.cast_expr(f"{const}{ctype} *", pointer.expression)


@printable_check(func.CallOp, func.ReturnOp)
def _check_results(op: func.CallOp | func.ReturnOp) -> str | None:
    values = op.results if isinstance(op, func.CallOp) else op.operation.operands
    if len(values) > 1 or any(is_pointer_like(value.type) for value in values):
        return "a C function returns one number at most; pass buffers to write to"
    return _refuse_beside_status(op) if values else None


def _refuse_beside_status(op: func.CallOp | func.ReturnOp) -> str | None:
    """Return why a function that returns a status cannot return a result, or None."""
    around: Any = op.operation.parent
    name = op.callee.value if isinstance(op, func.CallOp) else around.opview.name.value
    return refuse_result(name) if name in commanded_devices(module_around(op)) else None


@statement(func.ReturnOp)
def return_(op: func.ReturnOp, f: FunctionPrinter) -> None:
    """Print `return x;`."""
    if f.status is not None:
        f.status.end(f.body)
    elif len(op.operation.operands):
        f.add(Return(f.operand(op.operation.operands[0])))
