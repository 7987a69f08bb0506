"""Loops that the check runs iteration by iteration: those whose counters decide which row is used.

::

    for %t:                  decides %y, hence the row: iteration by iteration
      %y = %t - 2
      if 0 <= %y < 8:
        f(%y)                %row of @f is %y, also in a function
                             for %k: row %row + %k - 1      each iteration
                             for %x: load ...[%x]           as any loop, to a fixed point
"""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir
from mlir.dialects import func, memref, scf
from mlir.dialects.builtin import ModuleOp

from forebay.dialects.accel import ReduceOp
from forebay.dialects.memref_pool import AllocOp, RowOp, RowsAttr
from forebay.ir.nested import ops_of

BY_ROWS = "memref_pool.by_rows"
"""Attribute of a loop that accesses rows one by one."""

ROW_OF = "memref_pool.row_of"
"""Attribute of a view of a pool's base: the name of the buffer of which it shows a row."""


def has_rows(module: ModuleOp) -> bool:
    """Return whether a planned or materialised program accesses rows one by one."""
    return (
        any(_is_rows(op.memref) for op in ops_of(module, AllocOp))
        or any(ROW_OF in op.attributes for op in ops_of(module, memref.ViewOp))
        or any(BY_ROWS in op.attributes for op in ops_of(module, scf.ForOp))
    )


def counters_of_rows(module: ModuleOp) -> set[ir.Value]:
    """Return the induction variables on which the index of a row depends."""
    if not has_rows(module):
        return set()
    callers: dict[str, list[func.CallOp]] = {}
    for call in ops_of(module, func.CallOp):
        callers.setdefault(call.callee.value, []).append(call)
    found, seen = set[ir.Value](), set[ir.Value]()
    queue = list(_row_indices(module))
    while queue:
        value = queue.pop()
        if value in seen:
            continue
        seen.add(value)
        owner = value.owner
        if not isinstance(owner, ir.Block):
            queue += [operand for operand in owner.operands if _is_number(operand)]
            continue
        around = owner.owner.opview
        number = ir.BlockArgument(value).arg_number
        if isinstance(around, scf.ForOp) and number == 0:
            found.add(value)
        elif isinstance(around, func.FuncOp):
            calls = callers.get(around.sym_name.value, [])
            queue += [call.operands[number] for call in calls]
    found |= {op.induction_variable for op in ops_of(module, scf.ForOp) if BY_ROWS in op.attributes}
    return found


def _row_indices(module: ModuleOp) -> Iterator[ir.Value]:
    for op in ops_of(module, RowOp, memref.ViewOp, ReduceOp):
        if isinstance(op, RowOp):
            yield from op.indices
        elif isinstance(op, memref.ViewOp):
            if ROW_OF in op.attributes:
                yield op.byte_shift
        elif any(_is_rows(value) for value in op.operands):
            yield from op.starts


def _is_rows(value: ir.Value) -> bool:
    type_ = value.type
    return isinstance(type_, ir.MemRefType) and isinstance(type_.layout, RowsAttr)


def _is_number(value: ir.Value) -> bool:
    return isinstance(value.type, ir.IndexType | ir.IntegerType)
