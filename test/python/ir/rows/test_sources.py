"""Claims about arguments whose rows the application hands in."""

from mlir import ir
from mlir.dialects import func

import forebay.dialects  # noqa: F401
from forebay.ir.rows.sources import is_row_source, not_read_by_rows, row_sources, whole_reads

MODULE = """
func.func @main(%x: memref<4x8xi8> {memref_pool.row_source}, %y: memref<4x8xi8>, %i: index) {
  %row = memref.subview %x[%i, 0] [1, 8] [1, 1]
    : memref<4x8xi8> to memref<1x8xi8, strided<[8, 1], offset: ?>>
  %to = memref.subview %y[%i, 0] [1, 8] [1, 1]
    : memref<4x8xi8> to memref<1x8xi8, strided<[8, 1], offset: ?>>
  memref.copy %row, %to : memref<1x8xi8, strided<[8, 1], offset: ?>>
    to memref<1x8xi8, strided<[8, 1], offset: ?>>
  return
}
func.func @whole(%x: memref<4x8xi8> {memref_pool.row_source}, %y: memref<4x8xi8>) {
  memref.copy %x, %y : memref<4x8xi8> to memref<4x8xi8>
  return
}
func.func private @outside(memref<4x8xi8> {memref_pool.row_source})
"""


def test_a_copy_of_one_row_is_the_only_user() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(MODULE)
        main, whole, outside = (op for op in module.body.operations if isinstance(op, func.FuncOp))
        (image,) = row_sources(main)
        assert image == main.arguments[0] and is_row_source(image)
        assert not is_row_source(main.arguments[1])
        assert not_read_by_rows(image) is None and not whole_reads(main)
        (other,) = row_sources(whole)
        (copy,) = whole_reads(whole)
        assert not_read_by_rows(other) == copy
        assert row_sources(outside) == []
