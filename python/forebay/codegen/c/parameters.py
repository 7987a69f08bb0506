"""The parameters of C functions: their types, names and pointers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlir.dialects import func
from mlir.ir import (
    BlockArgument,
    DictAttr,
    MemRefType,
    StringAttr,
    Value,
)
from msgspec import Struct
from msgspec.structs import replace

from forebay.codegen.c.analysis.layout import PoolLayout
from forebay.codegen.c.function import FunctionPrinter, Signature
from forebay.codegen.c.naming.roles import buffer_name
from forebay.codegen.c.pointers import ByteExtent, pointer_to
from forebay.codegen.c.row_source import RowRead
from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.types import scalar_type
from forebay.ir.locations import name_hint
from forebay.ir.machine.devices import (
    devices_with_handles,
    handle_of,
    is_handle,
)
from forebay.ir.machine.pools import bytes_of
from forebay.ir.module import module_around
from forebay.ir.views.layouts import DYNAMIC
from forebay.network.errors import EmissionError
from forebay.network.names import (
    identifier,
    port_identifier,
    struct_of,
)
from forebay.network.pool_arguments import pool_name


class PrintedParameter(Struct, frozen=True):
    """A parameter of a function: its `ctype`, which ends with `*` for a pointer, and its name."""

    ctype: str
    name: str

    @property
    def text(self) -> str:
        """Return the declaration of the parameter."""
        return f"{self.ctype}{'' if self.ctype.endswith('*') else ' '}{self.name}"


def parameter_types(function: func.FuncOp, layouts: Mapping[str, PoolLayout]) -> tuple[str, ...]:
    """Return the C type of each parameter; for a pointer, the type that it points at."""
    return tuple(_parameter_type(argument, layouts) for argument in function.arguments)


def refuse_parameter(type_: object) -> str | None:
    """Return why a parameter of the type has no C form, or None if it has one."""
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


def bound_parameters(
    function: func.FuncOp, signature: Signature, f: FunctionPrinter
) -> list[PrintedParameter]:
    """Return the parameters of a function, and bind their values in its printer."""
    return [_bound(function, index, signature, f) for index in range(len(signature.parameters))]


def _bound(
    function: func.FuncOp, index: int, signature: Signature, f: FunctionPrinter
) -> PrintedParameter:
    value = function.arguments[index]
    ctype = signature.parameters[index]
    wanted = _parameter_name(function, index, f)
    name = f.scope.unique(wanted)
    if is_handle(value.type):
        f.values[value] = expr.name_expr(name, f"{ctype} *")
        return PrintedParameter(f"{ctype} *", name)
    if not isinstance(value.type, MemRefType):
        f.values[value] = expr.name_expr(name, ctype)
        return PrintedParameter(ctype, name)
    is_root = pool_name(value) is not None or function.name.value == "main"
    extent = ByteExtent(value, 0, bytes_of(value.type)) if is_root else None
    pool = pool_name(value)
    rows = signature.row_sources.get(index)
    if rows is not None:
        source = expr.name_expr(name, f"const {rows.struct} *")
        f.row_sources[value] = RowRead(rows, source, expr.integer_expr(0))
        return PrintedParameter(f"const {rows.struct} *", name)
    pointer = pointer_to(name, value.type, extent, ctype)
    f.pointers[value] = replace(pointer, layout=f.layouts.get(pool) if pool else None)
    is_written = f.writes.through(value)
    if is_written and pool in f.layouts:
        raise EmissionError(
            function.location, f"'{function.name.value}' writes to the constant pool '{pool}'"
        )
    return PrintedParameter(f"{'' if is_written else 'const '}{ctype} *", name)


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
