"""Which memrefs are tables of places of rows."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import memref

from forebay.ir.nested import ops_of
from forebay.ir.rows.tables import is_row_table

TEXT = """
memref.global "private" constant @rows : memref<2xi16> = dense<[0, 2]>
  {memref_pool.row_table = 8 : i64}
memref.global "private" constant @other : memref<2xi16> = dense<[0, 2]>
func.func private @f(%rows: memref<2xi16> {memref_pool.row_table = 8 : i64}, %x: memref<2xi16>) {
  %c0 = arith.constant 0 : index
  %0 = memref.get_global @rows : memref<2xi16>
  %1 = memref.get_global @other : memref<2xi16>
  %2 = memref.load %rows[%c0] : memref<2xi16>
  %3 = memref.load %x[%c0] : memref<2xi16>
  %4 = memref.load %0[%c0] : memref<2xi16>
  %5 = memref.load %1[%c0] : memref<2xi16>
  return
}
"""


def test_constants_and_arguments_with_the_attribute_are_tables() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(TEXT)
        loads = ops_of(module.operation, memref.LoadOp)
        assert [is_row_table(load.memref) for load in loads] == [True, False, True, False]
