"""The buffers that loops compute or read row by row, so that their rows end one by one."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import func, scf

from forebay.ir.interfaces import view_ends_of
from forebay.ir.module import symbol_around
from forebay.ir.rows.layout import is_rows
from forebay.ir.rows.row_offsets import BY_ROWS


def is_accessed_by_rows(value: ir.Value) -> bool:
    """Return whether the memory of a value is rows, or a loop over rows uses it, also in calls."""
    if is_rows(value.type):
        return True
    pending, seen = [value], {value}
    while pending:
        for use in pending.pop().uses:
            op = use.owner.operation.opview
            if _is_in_row_loop(op):
                return True
            for other in _becomes(op, use.operand_number):
                if other not in seen:
                    seen.add(other)
                    pending.append(other)
    return False


def _becomes(op: ir.OpView, operand: int) -> list[ir.Value]:
    """Return the views that an op makes of an operand, and the arguments that it passes it as."""
    view = view_ends_of(op)
    if view is not None and view.source == operand:
        return [op.results[view.result]]
    if isinstance(op, func.CallOp):
        callee = symbol_around(op, op.callee.value)
        if isinstance(callee, func.FuncOp) and not callee.is_external:
            return [callee.arguments[operand]]
    return []


def _is_in_row_loop(op: ir.OpView) -> bool:
    current: ir.OpView | None = op
    while current is not None and not isinstance(current, func.FuncOp):
        if isinstance(current, scf.ForOp) and BY_ROWS in current.attributes:
            return True
        parent = current.operation.parent
        current = None if parent is None else parent.opview
    return False
