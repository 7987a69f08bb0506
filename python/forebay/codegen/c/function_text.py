"""The text of one C function, with its comment, head and body."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import func
from mlir.ir import (
    FlatSymbolRefAttr,
    FunctionType,
    MemRefType,
)
from msgspec import Struct

from forebay.codegen.c.analysis.stack_bound import StackFrame
from forebay.codegen.c.comments import operator_comment
from forebay.codegen.c.function import FunctionPrinter, Signature
from forebay.codegen.c.parameters import PrintedParameter, bound_parameters
from forebay.codegen.c.row_table import RowTable
from forebay.codegen.c.status import FAIL_FUNCTION, StatusChecks
from forebay.codegen.c.syntax.instruction_sets import (
    ScalarFunctions,
    instruction_set_headers,
    scalar_functions,
)
from forebay.codegen.c.syntax.statement_text import statements_text
from forebay.codegen.c.syntax.types import scalar_type
from forebay.codegen.c.syntax.wrap import wrap_line
from forebay.cpus import schedule_of
from forebay.ir.locations import operator_of, operators_of
from forebay.ir.machine.cpu import cpu_of
from forebay.ir.machine.devices import (
    is_handle,
)
from forebay.ir.nested import ops_nested_in, ops_of

NOINLINE = "FOREBAY_NOINLINE"
"""A macro of the runtime header: calls of kernels stay calls, with all registers for each."""
SINGLE_FLOATS = "FOREBAY_SINGLE_FLOATS"
"""Another one: a compiler makes no vectors of the floats of a function."""

ENTRY_COMMENTS = {
    "main": "/* The network, operator by operator. */\n",
    "reset": "/* The state before the first inference. */\n",
}


class FunctionText(Struct, frozen=True):
    """A function in C: its head without a body, its full text, its stack frame.

    `calls` and `names` are the functions, variables and macros that its body uses, `tables` the
    tables of rows. `instruction_sets` are the headers of ours with functions on vectors, `hooked`
    the operators that it calls between macros, by index.
    """

    head: str
    text: str
    frame: StackFrame
    calls: frozenset[str]
    names: frozenset[str]
    tables: tuple[RowTable, ...]
    instruction_sets: tuple[str, ...] = ()
    hooked: tuple[int, ...] = ()


def print_function(function: func.FuncOp, signature: Signature, f: FunctionPrinter) -> FunctionText:
    """Print one function with its comment; if it issues device commands, it returns a status."""
    parameters = bound_parameters(function, signature, f)
    if signature.returns_status:
        f.status = StatusChecks(f.scope.unique("code"), bool(signature.error))
    if signature.error:
        parameters.append(PrintedParameter(f"{signature.error} *", "error"))
    operator = operator_of(function.location)
    f.operator = operator_comment(operator) if operator is not None else ""
    ending = f.block(function.entry_block)
    f.op(ending)
    called = set[str]()
    names = f.body.drop_unused(called)
    unused = [f"    (void){it.name};" for it in parameters if it.name not in names]
    results = FunctionType(function.type).results
    result = "int32_t" if signature.returns_status else "void"
    result = scalar_type(results[0]) if results else result
    comment = ENTRY_COMMENTS.get(function.name.value, "")
    if operator is not None and not comment:
        calls = f.memory.calls.get(function.name.value, ())
        also = [it for it in operators_of(calls) if it != operator]
        comment = f"{operator_comment(operator, also)}\n"
    static = "static " if signature.is_static else ""
    if signature.is_static and operator is not None and not signature.returns_status:
        apart = f"{SINGLE_FLOATS} " if _needs_single_floats(function) else ""
        static = f"{apart}{NOINLINE} {static}"
    listed = ", ".join(parameter.text for parameter in parameters) or "void"
    line = f"{static}{result} {signature.name}({listed})"
    head = "\n".join(wrap_line(line))
    text = "\n".join([f"{comment}{head}", "{", *unused, *statements_text(f.body), "}"]) + "\n"
    frame = _frame(function, signature, f)
    tables = tuple(table for table in f.tables.values() if table.name in names)
    headers = instruction_set_headers(called, cpu_of(function))
    hooked = tuple(f.hooked)
    return FunctionText(
        head, text, frame, frozenset(called), frozenset(names), tables, headers, hooked
    )


def _needs_single_floats(function: func.FuncOp) -> bool:
    """Return whether a function computes floats, and its processor's vectors of floats differ."""
    cpu = cpu_of(function)
    floats = None if cpu is None else schedule_of(cpu).floats
    if floats is None or floats.has_exact_vectors:
        return False
    return any(
        isinstance(result.type, ir.FloatType)
        for op in ops_nested_in(function)
        for result in op.operation.results
    )


def _frame(function: func.FuncOp, signature: Signature, f: FunctionPrinter) -> StackFrame:
    parameters = [
        "pointer" if isinstance(value.type, MemRefType) or is_handle(value.type) else ctype
        for value, ctype in zip(function.arguments, signature.parameters, strict=True)
    ]
    calls = {
        f.functions[FlatSymbolRefAttr(call.callee).value].name
        for call in ops_of(function, func.CallOp)
    }
    if signature.error:
        parameters.append("pointer")
        calls.add(FAIL_FUNCTION)
    return StackFrame((*parameters, *f.body.slots), frozenset(calls))


def instructions_of(function: func.FuncOp) -> ScalarFunctions:
    """Return the functions of the instruction set that the function's schedule is for."""
    return scalar_functions(cpu_of(function))
