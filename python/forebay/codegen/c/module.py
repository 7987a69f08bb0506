"""The printer of a module's functions, callees first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from mlir.dialects import func
from mlir.ir import (
    BlockArgument,
    DictAttr,
    FlatSymbolRefAttr,
    FunctionType,
    MemRefType,
    Module,
    StringAttr,
    Value,
)
from msgspec import Struct
from msgspec.structs import replace

from forebay.codegen.c.analysis.layout import PoolLayout
from forebay.codegen.c.analysis.ranges import Ranges
from forebay.codegen.c.analysis.stack_bound import StackFrame
from forebay.codegen.c.analysis.units import Units
from forebay.codegen.c.analysis.writes import writes_of
from forebay.codegen.c.comments import operator_comment
from forebay.codegen.c.function import FunctionPrinter, Signature
from forebay.codegen.c.naming.roles import buffer_name
from forebay.codegen.c.pointers import ByteExtent, pointer_to
from forebay.codegen.c.row_source import RowRead, RowSourceType
from forebay.codegen.c.row_table import RowTable
from forebay.codegen.c.status import FAIL_FUNCTION, StatusChecks
from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.helpers import MATH_FUNCTIONS, helpers_of
from forebay.codegen.c.syntax.instruction_sets import (
    SCALAR_FUNCTIONS,
    ScalarFunctions,
    instruction_set_headers,
)
from forebay.codegen.c.syntax.statement_text import statements_text
from forebay.codegen.c.syntax.types import refusal, scalar_type
from forebay.codegen.c.syntax.wrap import wrap_line
from forebay.ir.locations import name_hint, operator_of, operators_of
from forebay.ir.machine.cpu import cpu_of
from forebay.ir.machine.device_commands import commanded_devices
from forebay.ir.machine.devices import (
    devices_with_handles,
    handle_of,
    is_handle,
)
from forebay.ir.machine.pools import bytes_of
from forebay.ir.module import module_around
from forebay.ir.nested import ops_of
from forebay.ir.views.layouts import DYNAMIC
from forebay.network.constants import ConstantMemory
from forebay.network.errors import EmissionError
from forebay.network.names import (
    NameScope,
    identifier,
    port_identifier,
    struct_of,
)
from forebay.network.pool_arguments import pool_name

NOINLINE = "FOREBAY_NOINLINE"
"""A macro of the runtime header: calls of kernels stay calls, with all registers for each."""

ENTRY_NAMES = {"main": "run_network", "reset": "reset_state"}
ENTRY_COMMENTS = {
    "main": "/* The network, operator by operator. */\n",
    "reset": "/* The state before the first inference. */\n",
}


class UnitText(Struct, frozen=True):
    """The C of a translation unit: the headers it includes, helpers, then functions.

    `instruction_sets` are the headers of ours with functions on vectors.
    """

    headers: tuple[str, ...]
    helpers: str
    functions: str
    calls_intrinsics: bool = False
    instruction_sets: tuple[str, ...] = ()


class ModuleText(Struct, frozen=True):
    """The C of a module: one unit per device, by the device's name, the host's first.

    `prototypes` declares the functions that one unit calls in another. `entries` maps each function
    of the module to its signature. `frames` maps each C function name to its stack frame.
    """

    units: Mapping[str, UnitText]
    prototypes: tuple[str, ...]
    entries: Mapping[str, Signature]
    frames: Mapping[str, StackFrame]


class FunctionText(Struct, frozen=True):
    """A function in C: its head without a body, its full text, its stack frame.

    `calls` and `names` are the functions, variables and macros that its body uses, `tables` the
    tables of rows. `instruction_sets` are the headers of ours with functions on vectors.
    """

    head: str
    text: str
    frame: StackFrame
    calls: frozenset[str]
    names: frozenset[str]
    tables: tuple[RowTable, ...]
    instruction_sets: tuple[str, ...] = ()


class _Parameter(Struct, frozen=True):
    """A parameter of a function: its `ctype`, which ends with `*` for a pointer, and its name."""

    ctype: str
    name: str

    @property
    def text(self) -> str:
        """Return the declaration of the parameter."""
        return f"{self.ctype}{'' if self.ctype.endswith('*') else ' '}{self.name}"


def print_module(
    module: Module,
    prefix: str,
    taken: set[str],
    memory: ConstantMemory,
    layouts: Mapping[str, PoolLayout],
    *,
    addresses: Mapping[str, str] = MappingProxyType({}),
    entries_only: bool = False,
    has_hooks: bool = False,
    row_sources: Mapping[int, RowSourceType] = MappingProxyType({}),
) -> ModuleText:
    """Print all functions of a module that has passed memref-pool-check-printable.

    Functions that other units call begin with the prefix, all others are static. No name is one of
    `taken`. `addresses` maps each pool at a fixed base to its address as a C expression. With
    `entries_only` another object defines the functions: the entry functions begin with the prefix,
    and only their prototypes are printed. With `has_hooks` the entry functions have macros around
    each call of an operator. `row_sources` are the memrefs of `main` that are read row by row, by
    their number among the memrefs that are no pools.
    """
    functions = {op.name.value: op for op in module.body.operations if isinstance(op, func.FuncOp)}
    order = _callees_first(functions)
    commanded = commanded_devices(module.operation)
    units = Units(module, functions)
    shared = units.shared | ENTRY_NAMES.keys() if entries_only else units.shared
    scope = NameScope([taken])
    signatures = {
        name: replace(
            _signature(functions[name], scope, layouts, prefix if name in shared else ""),
            returns_status=name in commanded or (name == "main" and bool(row_sources)),
            row_sources=_by_argument(functions[name], row_sources) if name == "main" else {},
            devices=commanded.get(name, ()),
            error=f"{prefix}_device_error" if name in ENTRY_NAMES and name in commanded else "",
        )
        for name in order
    }
    writes = writes_of(module)
    ranges = Ranges(memory.of_load, memory.calls)
    tables = {
        symbol: RowTable(scope.unique(identifier(symbol).lower()), values)
        for symbol, values in memory.row_tables.items()
    }
    texts: dict[str, FunctionText] = {}
    for name in order:
        own = NameScope([*scope.blocks, set()])
        printer = FunctionPrinter(
            ranges, writes, signatures, own, memory, layouts, addresses=addresses, tables=tables
        )
        printer.instructions = _instructions(functions[name])
        printer.has_hooks = has_hooks and name in ENTRY_NAMES
        texts[name] = print_function(functions[name], signatures[name], printer)
    frames = {signatures[name].name: texts[name].frame for name in order}
    if entries_only:
        prototypes = "\n".join(f"{texts[name].head};" for name in order if name in ENTRY_NAMES)
        return ModuleText({units.devices[0]: UnitText((), "", prototypes)}, (), signatures, frames)
    return ModuleText(
        {
            device: replace(
                unit_text([texts[name] for name in order if units.of[name] == device]),
                calls_intrinsics=device in units.calling,
            )
            for device in units.devices
        },
        tuple(f"{texts[name].head};" for name in order if name in units.shared),
        signatures,
        frames,
    )


def _instructions(function: func.FuncOp) -> ScalarFunctions:
    """Return the functions of the instruction set that the function's schedule is for."""
    cpu = cpu_of(function)
    return ScalarFunctions() if cpu is None else SCALAR_FUNCTIONS.get(cpu, ScalarFunctions())


def unit_text(functions: Sequence[FunctionText]) -> UnitText:
    """Return one unit with these functions and the helpers that they call."""
    tables = {table.name: table for function in functions for table in function.tables}
    called = frozenset[str]().union(*(function.calls for function in functions))
    names = frozenset[str]().union(*(function.names for function in functions))
    helpers = helpers_of(called)
    headers = _headers(called.union(*(helper.calls for helper in helpers)), names)
    text = "\n".join(
        [*(table.text for table in tables.values()), *(function.text for function in functions)]
    )
    return UnitText(
        headers,
        "\n".join(helper.text for helper in helpers),
        text,
        instruction_sets=tuple(
            dict.fromkeys(name for function in functions for name in function.instruction_sets)
        ),
    )


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
        for call in ops_of(functions[name], func.CallOp):
            visit(FlatSymbolRefAttr(call.callee).value, call)
        open_.pop()
        order.append(name)

    for name in functions:
        visit(name, None)
    return order


def _signature(
    function: func.FuncOp, scope: NameScope, layouts: Mapping[str, PoolLayout], prefix: str
) -> Signature:
    type_ = FunctionType(function.type)
    for part in [*type_.inputs, *type_.results]:
        reason = refusal(part) or _refuse_parameter(part)
        if reason is not None:
            raise EmissionError(function.location, f"'{function.name.value}': {reason}")
    wanted = identifier(function.name.value, "function")
    name = ENTRY_NAMES.get(function.name.value)
    wanted = name or wanted
    wanted = f"{prefix}_{wanted}" if prefix else wanted
    name = wanted if name else scope.unique(wanted)
    return Signature(
        name, parameter_types(function, layouts), operator_of(function.location), not prefix
    )


def parameter_types(function: func.FuncOp, layouts: Mapping[str, PoolLayout]) -> tuple[str, ...]:
    """Return the C type of each parameter; for a pointer, the type that it points at."""
    return tuple(_parameter_type(argument, layouts) for argument in function.arguments)


def _by_argument(
    function: func.FuncOp, row_sources: Mapping[int, RowSourceType]
) -> dict[int, RowSourceType]:
    own = [
        argument.arg_number
        for argument in function.arguments
        if isinstance(argument.type, MemRefType) and pool_name(argument) is None
    ]
    return {own[number]: type_ for number, type_ in row_sources.items()}


def _refuse_parameter(type_: object) -> str | None:
    if isinstance(type_, MemRefType) and DYNAMIC in type_.shape:
        return f"a parameter of type {type_} has a size known at run time only"
    return None


def _parameter_type(value: Value, layouts: Mapping[str, PoolLayout]) -> str:
    if is_handle(value.type):
        return _struct_of(value)
    if not isinstance(value.type, MemRefType):
        return scalar_type(value.type)
    pool = pool_name(value)
    if pool is None:
        return scalar_type(value.type.element_type)
    return layouts[pool].ctype if pool in layouts else "uint8_t"


def _struct_of(handle: BlockArgument) -> str:
    function: Any = handle.owner.owner
    device = handle_of(function.opview, handle.arg_number)
    devices = devices_with_handles(module_around(function))
    if device not in devices:
        raise EmissionError(function.location, "a handle is of no device that has one")
    return struct_of(devices[device].kind.value)


def print_function(function: func.FuncOp, signature: Signature, f: FunctionPrinter) -> FunctionText:
    """Print one function with its comment; if it issues device commands, it returns a status."""
    parameters = [_parameter(function, i, signature, f) for i in range(len(signature.parameters))]
    if signature.returns_status:
        f.status = StatusChecks(f.scope.unique("code"), bool(signature.error))
    if signature.error:
        parameters.append(_Parameter(f"{signature.error} *", "error"))
    operator = operator_of(function.location)
    f.operator = operator_comment(operator) if operator is not None else ""
    ending = f.block(function.entry_block)
    f.op(ending)
    names, called = f.body.drop_unused(), f.body.calls
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
        static = f"{NOINLINE} {static}"
    listed = ", ".join(parameter.text for parameter in parameters) or "void"
    line = f"{static}{result} {signature.name}({listed})"
    head = "\n".join(wrap_line(line))
    text = "\n".join([f"{comment}{head}", "{", *unused, *statements_text(f.body), "}"]) + "\n"
    frame = _frame(function, signature, f)
    tables = tuple(table for table in f.tables.values() if table.name in names)
    headers = instruction_set_headers(called, cpu_of(function))
    return FunctionText(head, text, frame, called, frozenset(names), tables, headers)


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


def _parameter(
    function: func.FuncOp, index: int, signature: Signature, f: FunctionPrinter
) -> _Parameter:
    value = function.arguments[index]
    ctype = signature.parameters[index]
    wanted = _parameter_name(function, index, f)
    name = f.scope.unique(wanted)
    if is_handle(value.type):
        f.values[value] = expr.name_expr(name, f"{ctype} *")
        return _Parameter(f"{ctype} *", name)
    if not isinstance(value.type, MemRefType):
        f.values[value] = expr.name_expr(name, ctype)
        return _Parameter(ctype, name)
    is_root = pool_name(value) is not None or function.name.value == "main"
    extent = ByteExtent(value, 0, bytes_of(value.type)) if is_root else None
    pool = pool_name(value)
    rows = signature.row_sources.get(index)
    if rows is not None:
        source = expr.name_expr(name, f"const {rows.struct} *")
        f.row_sources[value] = RowRead(rows, source, expr.integer_expr(0))
        return _Parameter(f"const {rows.struct} *", name)
    pointer = pointer_to(name, value.type, extent, ctype)
    f.pointers[value] = replace(pointer, layout=f.layouts.get(pool) if pool else None)
    is_written = f.writes.through(value)
    if is_written and pool in f.layouts:
        raise EmissionError(
            function.location, f"'{function.name.value}' writes to the constant pool '{pool}'"
        )
    return _Parameter(f"{'' if is_written else 'const '}{ctype} *", name)


def _parameter_name(function: func.FuncOp, index: int, f: FunctionPrinter) -> str:
    value = function.arguments[index]
    pool = pool_name(value)
    if pool is not None:
        return identifier(pool, "pool").lower()
    device = handle_of(function, index)
    if device is not None:
        return identifier(device, "device").lower()
    attributes = DictAttr(function.arg_attrs[index]) if function.arg_attrs else {}
    if "accel.name" in attributes:
        return port_identifier(StringAttr(attributes["accel.name"]).value)
    hint = name_hint(value.location)
    if hint is not None:
        return identifier(hint).lower()
    if not isinstance(value.type, MemRefType):
        return "value"
    is_written, is_constant = f.writes.through(value), bool(f.memory.behind(value))
    return buffer_name(value, is_written=is_written, is_constant=is_constant)


def _headers(called: frozenset[str], names: frozenset[str]) -> tuple[str, ...]:
    needs_math = called & MATH_FUNCTIONS or names & {"NAN", "INFINITY"}
    needs_string = called & {"memcpy", "memmove", "memcmp"}
    return (*(["math.h"] if needs_math else []), *(["string.h"] if needs_string else []))
