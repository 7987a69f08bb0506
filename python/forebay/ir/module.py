"""The module and the function around an op."""

from mlir import ir
from mlir.dialects import func
from mlir.dialects.builtin import ModuleOp


def module_of(op: ir.Module | ir.Operation) -> ModuleOp:
    """Return `op` as a `builtin.module`; raises `TypeError` when it is another op."""
    module = op.operation.opview
    if not isinstance(module, ModuleOp):
        raise TypeError(f"'{module.name}' is not a builtin.module")
    return module


def function_around(op: ir.OpView) -> func.FuncOp | None:
    """Return the function around an op, or None."""
    around = op.operation.parent
    while around is not None and not isinstance(around.opview, func.FuncOp):
        around = around.operation.parent
    return None if around is None else around.opview
