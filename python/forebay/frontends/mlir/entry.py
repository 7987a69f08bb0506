"""Find the function to compile."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import func

from forebay.frontends.errors import UnsupportedModel
from forebay.ir.memory.underlying_buffers import entry_functions
from forebay.ir.module import module_of

MAIN = "main"
_RESET = "reset"
"""The entry functions of a network: one inference, and the initialisation of its state."""


def entry_of(module: ir.Module, name: str) -> func.FuncOp:
    """Return the function to compile, renamed to `@main`; `name` is the file's name, for messages.

    Raises `UnsupportedModel` when there is not exactly one candidate.
    """
    entries = [f for f in entry_functions(module_of(module)) if f.sym_name.value != _RESET]
    named = [function for function in entries if function.sym_name.value == MAIN]
    if len(entries) != 1:
        names = ", ".join(f"@{function.sym_name.value}" for function in entries) or "none"
        advice = "make the others" if named else "Call one of them @main or make the others"
        raise UnsupportedModel(
            f"{name}: needs one public function to compile; public functions with a body: {names}. "
            f"{advice[0].upper()}{advice[1:]} private"
        )
    if not named:
        _call_main(module, entries[0], name)
    return entries[0]


def _call_main(module: ir.Module, entry: func.FuncOp, name: str) -> None:
    symbols = ir.SymbolTable(module.operation)
    if MAIN in symbols:
        raise UnsupportedModel(
            f"{name}: @{entry.sym_name.value} is to be compiled as @{MAIN}, but another symbol has "
            "that name; rename it"
        )
    entry.attributes["sym_name"] = ir.StringAttr.get(MAIN)
