"""The inputs and outputs of an entry function, as its caller sees them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlir import ir
from mlir.dialects import func
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct
from msgspec.structs import replace

from forebay.dialects.memref_pool import PlacementAttr
from forebay.ir.memory.underlying_buffers import (
    NAME_ATTRIBUTE,
    RESULT_ATTRIBUTE,
    entry_functions,
    named_attributes,
)
from forebay.ir.problem.problem import PLACEMENT
from forebay.ir.problem.unique_names import unique_names
from forebay.ir.rows.sources import ROW_SOURCE
from forebay.planning import Placement


class EntryPort(Struct, frozen=True):
    """An argument of an entry function, before `memref-pool-materialize` removes planned ones.

    `index` identifies it in the function, and so does `name`. `dtype` is the NumPy name that the
    model gives, else that of the signless MLIR type. `placement` is None for memory of the caller,
    which remains an argument. `by_rows`: the application hands in the rows one by one.
    """

    function: str
    index: int
    name: str
    is_result: bool
    shape: tuple[int, ...]
    dtype: str
    scale: float | None
    zero_point: int | None
    placement: Placement | None
    by_rows: bool = False


def ports_of(module: ModuleOp) -> tuple[EntryPort, ...]:
    """Return the memref arguments of all entry functions, in order; unique names per function."""
    return tuple(
        port for function in entry_functions(module) for port in _ports_of_function(function)
    )


def _ports_of_function(function: func.FuncOp) -> list[EntryPort]:
    ports = [
        _port(function, index)
        for index, type_ in enumerate(function.type.inputs)
        if isinstance(type_, ir.MemRefType)
    ]
    # Imported functions have unique names already; passes and IR of users may not.
    names = unique_names(port.name for port in ports)
    return [replace(port, name=name) for port, name in zip(ports, names, strict=True)]


def numpy_name_of(element: ir.Type) -> str:
    """Return NumPy's name of an element type; signless integers count as signed.

    Raises `TypeError` for a type that NumPy lacks.
    """
    if isinstance(element, ir.IntegerType):
        return "bool" if element.width == 1 else f"int{element.width}"
    if isinstance(element, ir.FloatType):
        return f"float{element.width}"
    if isinstance(element, ir.IndexType):
        return "int64"
    raise TypeError(f"{element} has no NumPy type")


def _port(function: func.FuncOp, index: int) -> EntryPort:
    attributes = named_attributes(function.arg_attrs[index])
    type_ = ir.MemRefType(function.type.inputs[index])
    placement = attributes.get(PLACEMENT)
    return EntryPort(
        function=function.sym_name.value,
        index=index,
        name=_value(attributes, NAME_ATTRIBUTE) or f"arg{index}",
        is_result=RESULT_ATTRIBUTE in attributes,
        shape=tuple(type_.shape),
        dtype=_value(attributes, "accel.dtype") or numpy_name_of(type_.element_type),
        scale=_value(attributes, "accel.scale"),
        zero_point=_value(attributes, "accel.zero_point"),
        placement=Placement(placement.pool, placement.offset)
        if isinstance(placement, PlacementAttr)
        else None,
        by_rows=ROW_SOURCE in attributes,
    )


def _value(attributes: Mapping[str, Any], name: str) -> Any:
    attribute = attributes.get(name)
    return None if attribute is None else attribute.value
