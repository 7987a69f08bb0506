"""Indices of `memref_pool.row`."""

from itertools import product

from mlir import ir

import forebay  # noqa: F401
from forebay.dialects.memref_pool import RowOp
from forebay.ir.nested import ops_nested_in
from forebay.ir.rows.indices import indices_of, make_row, row_number

SOURCE = """
func.func @f(%m: memref<2x3x4xi8, #memref_pool.rows<2>>, %y: index) {
  %0 = memref_pool.row %m[1, %y] : memref<2x3x4xi8, #memref_pool.rows<2>> to memref<4xi8>
  return
}
"""


def test_indices_are_constants_or_values() -> None:
    with ir.Context():
        module = ir.Module.parse(SOURCE)
        (row,) = [op for op in ops_nested_in(module.operation) if isinstance(op, RowOp)]
        first, second = indices_of(row)
        assert first == 1
        assert isinstance(second, ir.Value) and str(second.type) == "index"
        with ir.InsertionPoint(row), ir.Location.unknown():
            made = make_row(row.source, [second, 2])
        found = made.owner.opview
        assert isinstance(found, RowOp) and indices_of(found) == (second, 2)
        assert module.operation.verify()


def test_rows_are_numbered_in_row_major_order() -> None:
    numbers = [row_number((2, 3), indices) for indices in product(range(2), range(3))]
    assert numbers == [0, 1, 2, 3, 4, 5]
