"""The byte offset of a row in its pool, as upstream ops on the row's index."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import arith, memref
from mlir.dialects.builtin import ModuleOp

from forebay.dialects.memref_pool import RowOp
from forebay.ir.locations import name_hint, operator_of
from forebay.ir.rows.indices import indices_of, row_number
from forebay.ir.rows.layout import rows_of
from forebay.ir.rows.row_offsets import ROW_TABLE, OffsetTable, row_addresses
from forebay.lowering.kernels import scalar


class RowTables:
    """The tables of a module: one private constant for each sequence of offsets."""

    def __init__(self, module: ModuleOp) -> None:
        self._module = module
        self._symbols = ir.SymbolTable(module.operation)
        self._known: dict[OffsetTable, memref.GlobalOp] = {}

    def get(self, table: OffsetTable, buffer: ir.Value) -> ir.Value:
        """Return a table of rows of a buffer as a memref, at the insertion point.

        Equal tables are one constant, which has the name of its first buffer.
        """
        if table not in self._known:
            self._known[table] = self._global(table, _table_name(buffer))
        made = self._known[table]
        return memref.GetGlobalOp(made.type_.value, made.sym_name.value).result

    def _global(self, table: OffsetTable, name: str) -> memref.GlobalOp:
        entries: Any = np.array(table.entries, {16: np.int16, 32: np.int32}[table.width])
        values = ir.DenseElementsAttr.get(entries)
        type_ = type_of_table(table)
        with ir.InsertionPoint.at_block_begin(self._module.body):
            op = memref.GlobalOp(
                name, type_, sym_visibility="private", initial_value=values, constant=True
            )
        op.attributes[ROW_TABLE] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), table.unit)
        self._symbols.insert(op.operation)
        return op


def type_of_table(table: OffsetTable) -> ir.MemRefType:
    """Return the type of the memref that has the entries of a table."""
    return ir.MemRefType.get([len(table.entries)], ir.IntegerType.get_signless(table.width))


def offset_of_row(op: RowOp, offsets: Sequence[int], tables: RowTables) -> ir.Value:
    """Return the offset of the row in bytes, as an index.

    The number of the row can be read after it: the index of the table's entry, or the dividend or
    the factor of the arithmetic, also where all rows have one offset.
    """
    number = constant_row_number(op)
    if number is not None:
        return _index(offsets[number])
    row = _row_number(op)
    found = row_addresses(offsets)
    if isinstance(found, OffsetTable):
        return _entry(tables.get(found, op.source), row, found.unit)
    if found.period is not None:
        row = arith.RemUIOp(row, _index(found.period)).result
    return scalar.add_constant(scalar.scaled(row, found.stride), found.start)


def offset_by_table(op: RowOp, table: ir.Value, unit: int) -> ir.Value:
    """Return the offset of the row in bytes, as an index, by a table whose entries count `unit`."""
    number = constant_row_number(op)
    return _entry(table, _row_number(op) if number is None else _index(number), unit)


def _entry(table: ir.Value, row: ir.Value, unit: int) -> ir.Value:
    entry = memref.LoadOp(table, [row]).result
    return scalar.scaled(arith.IndexCastOp(ir.IndexType.get(), entry).result, unit)


def constant_row_number(op: RowOp) -> int | None:
    """Return the number of the row in row-major order, or None if it varies."""
    rows = rows_of(op.source.type)
    assert rows is not None, "the op's verifier checks its source"
    known = [index for index in indices_of(op) if isinstance(index, int)]
    return row_number(rows.extents, known) if len(known) == rows.dims else None


def _row_number(op: RowOp) -> ir.Value:
    """Return the position of a row in row-major order; an index of an extent of 1 is 0."""
    rows = rows_of(op.source.type)
    assert rows is not None, "the op's verifier checks its source"
    total: ir.Value | None = None
    for extent, index in zip(rows.extents, indices_of(op), strict=True):
        if extent == 1:
            continue
        scaled = None if total is None else scalar.scaled(total, extent)
        if isinstance(index, int):
            total = _index(index) if scaled is None else scalar.add_constant(scaled, index)
        else:
            total = index if scaled is None else scalar.add(scaled, index)
    return _index(0) if total is None else total


def _table_name(buffer: ir.Value) -> str:
    """Return a name for the table of a buffer: `conv_2d_3_rows`."""
    source = buffer.location
    operator = operator_of(source)
    if operator is not None:
        return re.sub(r"\W", "_", f"{operator.kind.lower()}_{operator.index}_rows")
    return f"{name_hint(source) or 'buffer'}_rows"


def _index(value: int) -> ir.Value:
    return scalar.scalar_constant(value, ir.IndexType.get())
