"""Names that C functions of devices have, and that no function of the program may take."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import func
from mlir.dialects.builtin import ModuleOp

from forebay.dialects.accel import IntrinsicOp, QueueOp, TransferOp
from forebay.ir.memory.roots import functions_in, is_private
from forebay.ir.nested import ops_nested_in
from forebay.ir.refused import RefusedError


def c_symbols(module: ir.Operation | ir.OpView) -> dict[str, ir.OpView]:
    """Return the C functions of a module's intrinsics, transfers and queues, and whose they are."""
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
    """Return the name, with a number behind it where a symbol or a C function has it."""
    name, number = wanted, 1
    while name in symbols or name in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name


def rename_functions(module: ModuleOp) -> None:
    """Give private functions that are called as a C function another name.

    Raises `RefusedError` at an entry function that is: its name is the program's.
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
    for op in ops_nested_in(module) if renamed else ():
        if isinstance(op, func.CallOp) and op.callee.value in renamed:
            op.attributes["callee"] = ir.FlatSymbolRefAttr.get(renamed[op.callee.value])
