"""Arguments of a function that are, in each call, the rows of another buffer.

::

    call @f(%a, %y)                            @f(%rows: memref<4xi16>, %y: index):
    call @f(%b, %y)                              the offset of the row is %rows[%y] * unit

    call @f(%table_of_a, %y) {row_buffers = ["a"]}
    call @f(%table_of_b, %y) {row_buffers = ["b"]}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlir import ir
from mlir.dialects import func
from msgspec import Struct

from forebay.dialects.memref_pool import RowOp
from forebay.ir.problem.planned_values import NamedRows
from forebay.ir.rows.row_offsets import OffsetTable, offset_tables
from forebay.lowering.rows.addresses import constant_row_number, type_of_table


class SharedRows(Struct, frozen=True):
    """An argument that is the rows of one of several buffers.

    `position` is that of the name of the buffer in `ROW_BUFFERS` of each call. `tables` has what
    the calls pass, by the name of the buffer; it is empty if all rows that the function shows have
    the same offsets in all buffers.
    """

    position: int
    tables: Mapping[str, OffsetTable]

    @property
    def type(self) -> ir.MemRefType | None:
        """The type of the table that the function takes, or None if it takes none."""
        return next(map(type_of_table, self.tables.values()), None)

    @property
    def unit(self) -> int:
        """The bytes that an entry of a table counts."""
        return next(iter(self.tables.values())).unit


def shared_rows_in(
    function: func.FuncOp, rows: Mapping[ir.Value, Sequence[NamedRows]]
) -> dict[int, SharedRows]:
    """Return the arguments of a function that are rows of one of several buffers, by number.

    `rows` has the buffers that each memref of rows may be.
    """
    found: dict[int, SharedRows] = {}
    for argument in function.arguments:
        buffers = rows.get(argument, ())
        if len(buffers) > 1:
            tables = _tables_of(argument, buffers)
            found[argument.arg_number] = SharedRows(len(found), tables)
    return found


def _tables_of(
    argument: ir.BlockArgument, buffers: Sequence[NamedRows]
) -> Mapping[str, OffsetTable]:
    shown = (use.owner.operation.opview for use in argument.uses)
    if all(has_equal_offsets(op, buffers) for op in shown if isinstance(op, RowOp)):
        return {}
    tables = offset_tables([buffer.placement.offsets for buffer in buffers])
    return {buffer.name: table for buffer, table in zip(buffers, tables, strict=True)}


def has_equal_offsets(op: RowOp, buffers: Sequence[NamedRows]) -> bool:
    """Return whether the rows that an op shows have the same offsets in all buffers."""
    number = constant_row_number(op)
    rows = slice(None) if number is None else slice(number, number + 1)
    return len({buffer.placement.offsets[rows] for buffer in buffers}) == 1
