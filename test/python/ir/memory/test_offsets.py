"""What is known of offsets that depend on loops."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import memref

from forebay.ir.memory.offsets import offset_multiple
from forebay.ir.nested import ops_nested_in

TEXT = """
func.func @f(%i: index, %x: memref<64x48xi8>, %y: memref<?xi8, strided<[1], offset: ?>>) {
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %a = arith.muli %i, %c8 : index
  %b = arith.addi %a, %c3 : index
  %0 = memref.subview %x[%a, 0] [4, 48] [1, 1] : memref<64x48xi8> to
    memref<4x48xi8, strided<[48, 1], offset: ?>>
  %1 = memref.subview %x[%b, 0] [4, 48] [1, 1] : memref<64x48xi8> to
    memref<4x48xi8, strided<[48, 1], offset: ?>>
  %2 = memref.subview %0[0, %a] [1, 8] [1, 1] : memref<4x48xi8, strided<[48, 1], offset: ?>> to
    memref<1x8xi8, strided<[48, 1], offset: ?>>
  %3 = memref.subview %0[0, %b] [1, 8] [1, 1] : memref<4x48xi8, strided<[48, 1], offset: ?>> to
    memref<1x8xi8, strided<[48, 1], offset: ?>>
  %4 = memref.subview %x[2, 16] [4, 8] [1, 1] : memref<64x48xi8> to
    memref<4x8xi8, strided<[48, 1], offset: 112>>
  %5 = memref.subview %y[%a] [4] [1] : memref<?xi8, strided<[1], offset: ?>> to
    memref<4xi8, strided<[1], offset: ?>>
  return
}
"""


def test_multiples_follow_from_factors_and_strides() -> None:
    """8 * 48 rows; (8 * i + 3) * 48; columns of multiples of 8; any column; 2 * 48 + 16."""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(TEXT)
        parts = [op for op in ops_nested_in(module.operation) if isinstance(op, memref.SubViewOp)]
        assert [offset_multiple(op.result) for op in parts] == [384, 48, 8, 1, 112, 1]
