"""A module under its own type."""

from mlir import ir
from mlir.dialects.builtin import ModuleOp


def module_of(op: ir.Module | ir.Operation) -> ModuleOp:
    """The `builtin.module` that `op` is; raises `TypeError` when it is something else."""
    module = op.operation.opview
    if not isinstance(module, ModuleOp):
        raise TypeError(f"'{module.name}' is not a builtin.module")
    return module
