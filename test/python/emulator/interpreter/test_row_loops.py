"""Which buffers have rows that end one by one."""

from mlir import ir

import forebay.passes  # noqa: F401
from forebay.dialects.memref_pool import AllocOp
from forebay.emulator.interpreter.row_loops import is_accessed_by_rows
from forebay.ir.nested import ops_nested_in

SOURCE = """
#s = #memref_pool.space<@p>
memref_pool.pool @p workspace capacity 64
func.func private @read(%m: memref<8xi8, #s>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    %0 = memref.load %m[%i] : memref<8xi8, #s>
  } {memref_pool.by_rows}
  return
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref_pool.alloc : memref<2x4xi8, #memref_pool.rows<1>, #s>
  %read = memref_pool.alloc : memref<2x4xi8, #s>
  %plain = memref_pool.alloc : memref<8xi8, #s>
  %flat = memref.collapse_shape %read [[0, 1]] : memref<2x4xi8, #s> into memref<8xi8, #s>
  func.call @read(%flat) : (memref<8xi8, #s>) -> ()
  scf.for %i = %c0 to %c1 step %c1 {
    %0 = memref.load %plain[%i] : memref<8xi8, #s>
  }
  return
}
"""


def test_rows_and_what_a_loop_over_rows_uses() -> None:
    with ir.Context():
        module = ir.Module.parse(SOURCE)
        allocs = [op for op in ops_nested_in(module.operation) if isinstance(op, AllocOp)]
        assert [is_accessed_by_rows(op.memref) for op in allocs] == [True, True, False]
