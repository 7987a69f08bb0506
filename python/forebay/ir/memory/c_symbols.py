"""Names of the C functions of devices, which no function of the program may have."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import func
from mlir.dialects.builtin import ModuleOp

from forebay.dialects.accel import IntrinsicOp, QueueOp, TransferOp
from forebay.ir.memory.underlying_buffers import functions_in, is_private
from forebay.ir.nested import ops_of
from forebay.ir.refused import RefusedError


def c_symbols(module: ir.Operation | ir.OpView) -> dict[str, ir.OpView]:
    """Return the names of the C functions of intrinsics, transfers and queues, each with its op."""
    found: dict[str, ir.OpView] = {}
    for op in module.operation.regions[0].blocks[0].operations:
        if isinstance(op, (IntrinsicOp, TransferOp)):
            found[op.symbol.value] = op
            found[f"{op.symbol.value}_start"] = op
        elif isinstance(op, QueueOp):
            found[f"{op.symbol.value}_wait"] = op
            found[f"{op.symbol.value}_after"] = op
    return found


def unused_name(wanted: str, symbols: ir.SymbolTable, taken: dict[str, ir.OpView]) -> str:
    """Return the name, with a number as suffix if a symbol or a C function has it already."""
    name, number = wanted, 1
    while name in symbols or name in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name


def rename_functions(module: ModuleOp) -> None:
    """Rename private functions that have the name of a C function.

    Raises `RefusedError` at an entry function with such a name, because users call it by this name.
    """
    taken = c_symbols(module)
    symbols = ir.SymbolTable(module.operation)
    renamed: dict[str, str] = {}
    for function in functions_in(module):
        name = function.sym_name.value
        if name not in taken or function.is_external:
            continue
        if not is_private(function):
            raise RefusedError(
                function.location,
                f"the entry function @{name} has the name of a C function of a device; "
                "give one of them another name",
                [(taken[name].location, "the device's")],
            )
        renamed[name] = unused_name(name, symbols, taken)
        symbols.set_symbol_name(function.operation, renamed[name])
    for op in ops_of(module, func.CallOp) if renamed else ():
        if op.callee.value in renamed:
            op.attributes["callee"] = ir.FlatSymbolRefAttr.get(renamed[op.callee.value])
