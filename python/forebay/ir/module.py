"""The typed view of a module."""

from mlir import ir
from mlir.dialects.builtin import ModuleOp


def module_of(op: ir.Module | ir.Operation) -> ModuleOp:
    """Return `op` as a `builtin.module`; raises `TypeError` when it is another op."""
    module = op.operation.opview
    if not isinstance(module, ModuleOp):
        raise TypeError(f"'{module.name}' is not a builtin.module")
    return module
