"""The op classes of upstream's linalg, without its language for named ops, which loads in 40 ms.

The bindings find this module before `mlir.dialects.linalg` when they need the class of an op.
"""

from mlir import ir
from mlir._mlir_libs import _mlirDialectsLinalg
from mlir.dialects._linalg_ops_gen import *  # noqa: F403


def add_body(op: ir.OpView) -> None:
    """Build the region of a named op, which the op's class leaves empty."""
    _mlirDialectsLinalg.fill_builtin_region(op.operation)


def get_indexing_maps(op: ir.OpView) -> ir.ArrayAttr | None:
    """Return the indexing maps of a structured op."""
    return _mlirDialectsLinalg.get_indexing_maps(op)
