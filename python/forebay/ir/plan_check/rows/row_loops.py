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

from collections.abc import Iterator, Sequence

from mlir import ir
from mlir.dialects import func, memref, scf
from mlir.dialects.builtin import ModuleOp

from forebay.dialects.accel import ReduceOp
from forebay.dialects.memref_pool import AllocOp, RowOp, RowsAttr
from forebay.ir.nested import ops_of

BY_ROWS = "memref_pool.by_rows"
"""Attribute of a loop that accesses rows one by one."""

ROW_OF = "memref_pool.row_of"
"""Attribute of a view of a pool's base: the name of the buffer of which it shows a row.

A number is the position of the name in `ROW_BUFFERS` of the call that runs.
"""

ROW_BUFFERS = "memref_pool.row_buffers"
"""Attribute of a call: names of the buffers of which it shows rows."""

ROW_TABLE = "memref_pool.row_table"
"""Attribute of a constant that holds places of rows."""


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


class ConstantTables:
    """Constants of one dimension, from which a program reads the places of rows."""

    def __init__(self, module: ModuleOp) -> None:
        self._globals = {op.sym_name.value: op for op in ops_of(module, memref.GlobalOp)}
        self._entries: dict[str, Sequence[int] | None] = {}
        self._passed: dict[ir.Value, str] = {}
        """The constants that arguments of functions are in their latest calls, by name."""

    def call(self, operands: Sequence[ir.Value], arguments: Sequence[ir.Value]) -> None:
        """Begin a call, whose arguments are the constants that its operands are."""
        for operand, argument in zip(operands, arguments, strict=True):
            name = self._name_of(operand)
            if name is not None:
                self._passed[argument] = name
            else:
                self._passed.pop(argument, None)

    def _name_of(self, table: ir.Value) -> str | None:
        owner = table.owner
        if isinstance(owner, ir.Block):
            return self._passed.get(table)
        return owner.opview.name.value if isinstance(owner.opview, memref.GetGlobalOp) else None

    def entry(self, table: ir.Value, indices: Sequence[int | None]) -> int | None:
        """Return the entry of a constant at an index, or None for other memory."""
        name = self._name_of(table)
        if name is None:
            return None
        if name not in self._entries:
            self._entries[name] = _entries_of(self._globals[name])
        entries, index = self._entries[name], indices[0] if len(indices) == 1 else None
        if entries is None or index is None or not 0 <= index < len(entries):
            return None
        return entries[index]


def _entries_of(op: memref.GlobalOp) -> Sequence[int] | None:
    value = op.initial_value
    is_table = op.constant and ROW_TABLE in op.attributes
    if not is_table or not isinstance(value, ir.DenseIntElementsAttr):
        return None
    return [int(entry) for entry in value]


def row_buffers_of(op: func.CallOp) -> list[str]:
    """Return the names of the buffers of which a call shows rows by number."""
    if ROW_BUFFERS not in op.attributes:
        return []
    return [ir.StringAttr(name).value for name in ir.ArrayAttr(op.attributes[ROW_BUFFERS])]


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
