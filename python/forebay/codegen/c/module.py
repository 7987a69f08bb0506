"""The printer of a module's functions, callees first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from mlir.dialects import func
from mlir.ir import (
    FlatSymbolRefAttr,
    FunctionType,
    MemRefType,
    Module,
)
from msgspec import Struct
from msgspec.structs import replace

from forebay.codegen.c.analysis.layout import PoolLayout
from forebay.codegen.c.analysis.ranges import Ranges
from forebay.codegen.c.analysis.stack_bound import StackFrame
from forebay.codegen.c.analysis.units import Units
from forebay.codegen.c.analysis.writes import writes_of
from forebay.codegen.c.function import FunctionPrinter, Signature
from forebay.codegen.c.function_text import FunctionText, instructions_of, print_function
from forebay.codegen.c.live_uses import LiveUses
from forebay.codegen.c.parameters import parameter_types, refuse_parameter
from forebay.codegen.c.row_source import RowSourceType
from forebay.codegen.c.row_table import RowTable
from forebay.codegen.c.syntax.helpers import MATH_FUNCTIONS, helpers_of
from forebay.codegen.c.syntax.types import refusal
from forebay.ir.locations import operator_of
from forebay.ir.machine.device_commands import commanded_devices
from forebay.ir.module import ops_in_body
from forebay.ir.nested import ops_of
from forebay.network.constants import ConstantMemory
from forebay.network.errors import EmissionError
from forebay.network.names import (
    NameScope,
    identifier,
)
from forebay.network.pool_arguments import pool_name

ENTRY_NAMES = {"main": "run_network", "reset": "reset_state"}


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
    of the module to its signature. `frames` maps each C function name to its stack frame. `hooked`
    are the operators with macros around their calls, by index.
    """

    units: Mapping[str, UnitText]
    prototypes: tuple[str, ...]
    entries: Mapping[str, Signature]
    frames: Mapping[str, StackFrame]
    hooked: frozenset[int] = frozenset()


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
    functions = {op.name.value: op for op in ops_in_body(module.operation, func.FuncOp)}
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
        inner = NameScope([*scope.blocks, set()])
        printer = FunctionPrinter(
            ranges,
            writes,
            signatures,
            inner,
            memory,
            layouts,
            LiveUses(functions[name]),
            addresses=addresses,
            tables=tables,
        )
        printer.instructions = instructions_of(functions[name])
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
        frozenset(index for name in order for index in texts[name].hooked),
    )


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
        reason = refusal(part) or refuse_parameter(part)
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


def _by_argument(
    function: func.FuncOp, row_sources: Mapping[int, RowSourceType]
) -> dict[int, RowSourceType]:
    own = [
        argument.arg_number
        for argument in function.arguments
        if isinstance(argument.type, MemRefType) and pool_name(argument) is None
    ]
    return {own[number]: type_ for number, type_ in row_sources.items()}


def _headers(called: frozenset[str], names: frozenset[str]) -> tuple[str, ...]:
    needs_math = called & MATH_FUNCTIONS or names & {"NAN", "INFINITY"}
    needs_string = called & {"memcpy", "memmove", "memcmp"}
    return (*(["math.h"] if needs_math else []), *(["string.h"] if needs_string else []))
