"""Prints the functions of a module, callees first."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from mlir.dialects import func
from mlir.ir import (
    DictAttr,
    FlatSymbolRefAttr,
    FunctionType,
    MemRefType,
    Module,
    StringAttr,
    Value,
)

from forebay.ir.locations import operator_of
from forebay.ir.pools import bytes_of

from ..constants import ConstantRanges
from ..errors import EmissionError
from ..names import Scope, identifier
from ..pool_arguments import pool_name
from ..ranges import Ranges
from ..walk import operations_in
from . import expr
from .function import FunctionPrinter, Signature, used_in
from .helpers import MATH_NAMES, helper_text
from .pointers import Extent, pointer_to
from .types import DYNAMIC, refusal, scalar_type
from .writes import Writes, writes_of

WIDTH = 100
ENTRY_NAMES = {"main": "run_network", "reset": "reset_state"}


@dataclass(frozen=True)
class ModuleText:
    """The C of a module: helper functions, then its functions, and the headers they include."""

    headers: tuple[str, ...]
    helpers: str
    functions: str
    entries: Mapping[str, Signature]


def print_module(module: Module, taken: set[str], constants: ConstantRanges) -> ModuleText:
    """Print all functions as static C functions whose names are not in `taken`."""
    functions = {op.name.value: op for op in module.body.operations if isinstance(op, func.FuncOp)}
    order = _callees_first(functions)
    scope = Scope([taken])
    signatures = {name: _signature(functions[name], scope) for name in order}
    writes = writes_of(module)
    helpers: set[str] = set()
    headers: set[str] = set()
    texts: list[str] = []
    for name in order:
        printer = _printer(signatures, writes, scope, constants)
        texts.append(_print_function(functions[name], signatures[name], printer))
        helpers |= printer.helpers
        headers |= printer.headers
    helpers_text = helper_text(helpers)
    body = "\n".join(texts)
    return ModuleText(_headers(headers, helpers_text + body), helpers_text, body, signatures)


def _printer(
    signatures: dict[str, Signature], writes: Writes, scope: Scope, constants: ConstantRanges
) -> FunctionPrinter:
    ranges = Ranges(constants.of_load)
    pools = frozenset(constant.pool for constant in constants.constants)
    return FunctionPrinter(ranges, writes, signatures, Scope([*scope.blocks, set()]), pools)


def _callees_first(functions: dict[str, func.FuncOp]) -> list[str]:
    order: list[str] = []
    open_: list[str] = []

    def visit(name: str, caller: func.CallOp | None) -> None:
        if name in order:
            return
        if name in open_ and caller is not None:
            raise EmissionError(caller.location, f"'{name}' calls itself; C here has no recursion")
        if name not in functions or functions[name].is_external:
            where = caller if caller is not None else functions[name]
            raise EmissionError(where.location, f"function '{name}' has no body")
        open_.append(name)
        for call in _calls(functions[name]):
            visit(FlatSymbolRefAttr(call.callee).value, call)
        open_.pop()
        order.append(name)

    for name in functions:
        visit(name, None)
    return order


def _calls(function: func.FuncOp) -> list[func.CallOp]:
    views = [operation.opview for operation in operations_in(function.operation)]
    return [view for view in views if isinstance(view, func.CallOp)]


def _signature(function: func.FuncOp, scope: Scope) -> Signature:
    type_ = FunctionType(function.type)
    for part in [*type_.inputs, *type_.results]:
        reason = refusal(part) or _refuse_parameter(part)
        if reason is not None:
            raise EmissionError(function.location, f"'{function.name.value}': {reason}")
    name = scope.unique(ENTRY_NAMES.get(function.name.value) or _function_name(function))
    return Signature(name, tuple(_parameter_type(a) for a in function.arguments))


def _function_name(function: func.FuncOp) -> str:
    return identifier(function.name.value, "function")


def _refuse_parameter(type_: object) -> str | None:
    if isinstance(type_, MemRefType) and DYNAMIC in type_.shape:
        return f"a parameter of type {type_} has a size known at run time only"
    return None


def _parameter_type(value: Value) -> str:
    if not isinstance(value.type, MemRefType):
        return scalar_type(value.type)
    return "uint8_t" if pool_name(value) is not None else scalar_type(value.type.element_type)


def _print_function(function: func.FuncOp, signature: Signature, f: FunctionPrinter) -> str:
    parameters = [_parameter(function, i, signature, f) for i in range(len(signature.parameters))]
    operator = operator_of(function.location)
    f.operator = str(operator) if operator is not None else ""
    ending = f.block(function.entry_block)
    f.op(ending)
    _drop_unused(f)
    names = [re.split(r"[ *]", parameter)[-1] for parameter in parameters]
    unused = [f"    (void){name};" for name in names if not used_in(f.lines, name)]
    results = FunctionType(function.type).results
    result = scalar_type(results[0]) if results else "void"
    comment = f"/* {f.operator} */\n" if operator is not None else ""
    head = _wrapped(f"static {result} {signature.name}(", parameters or ["void"])
    return comment + "\n".join([head, "{", *unused, *f.lines, "}"]) + "\n"


def _parameter(function: func.FuncOp, index: int, signature: Signature, f: FunctionPrinter) -> str:
    value = function.arguments[index]
    ctype = signature.parameters[index]
    wanted = _parameter_name(function, index, f)
    name = f.scope.unique(wanted)
    if not isinstance(value.type, MemRefType):
        f.values[value] = expr.name(name, ctype)
        return f"{ctype} {name}"
    is_root = pool_name(value) is not None or function.name.value == "main"
    extent = Extent(value, 0, bytes_of(value.type)) if is_root else None
    f.pointers[value] = pointer_to(name, value.type, extent, ctype)
    const = "" if f.writes.through(value) else "const "
    return f"{const}{ctype} *{name}"


def _parameter_name(function: func.FuncOp, index: int, f: FunctionPrinter) -> str:
    value = function.arguments[index]
    pool = pool_name(value)
    if pool is not None:
        return identifier(pool, "pool").lower()
    attributes = DictAttr(function.arg_attrs[index]) if function.arg_attrs else {}
    if "accel.name" in attributes:
        return identifier(StringAttr(attributes["accel.name"]).value.lower(), "port")
    if not isinstance(value.type, MemRefType):
        return "value"
    return "out" if f.writes.through(value) else "in"


def _drop_unused(f: FunctionPrinter) -> None:
    """Take back declarations whose name no later line of their block mentions."""
    for line, name in reversed(f.declared):
        if not used_in(_rest_of_block(f.lines, line), name):
            del f.lines[line]


def _rest_of_block(lines: list[str], line: int) -> list[str]:
    indent = len(lines[line]) - len(lines[line].lstrip())
    end = line + 1
    while end < len(lines) and len(lines[end]) - len(lines[end].lstrip()) >= indent:
        end += 1
    return lines[line + 1 : end]


def _wrapped(opening: str, parts: list[str]) -> str:
    """Write `opening(a, b)` in lines of a readable width."""
    lines = [opening]
    for i, part in enumerate(parts):
        text = part + (")" if i == len(parts) - 1 else ",")
        if len(lines[-1]) + len(text) + 1 > WIDTH and lines[-1] != opening:
            lines.append(" " * 4 + text)
        else:
            lines[-1] += text if lines[-1].endswith("(") else f" {text}"
    return "\n".join(lines)


def _headers(found: set[str], text: str) -> tuple[str, ...]:
    words = set(re.findall(r"[A-Za-z_]\w*", text))
    if words & {"memcpy", "memmove", "memcmp"}:
        found = found | {"string.h"}
    if words & MATH_NAMES:
        found = found | {"math.h"}
    return tuple(sorted(found))
