"""Constant tables of the places of rows, as values of a materialised program."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import func, memref

from forebay.ir.module import symbol_around
from forebay.ir.rows.row_offsets import ROW_TABLE


def is_row_table(value: ir.Value) -> bool:
    """Return whether a memref is a table of places of rows: a constant, or an argument."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        function = owner.owner.opview
        if not isinstance(function, func.FuncOp) or "arg_attrs" not in function.attributes:
            return False
        number = ir.BlockArgument(value).arg_number
        return ROW_TABLE in ir.DictAttr(function.arg_attrs[number])
    op = owner.opview
    held = symbol_around(op, op.name.value) if isinstance(op, memref.GetGlobalOp) else None
    return held is not None and ROW_TABLE in held.attributes
