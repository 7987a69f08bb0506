// RUN: forebay-opt %s --accel-hoist-transfers | FileCheck %s

// Copies between parts of one buffer that overlap.

accel.device @cpu kind "cpu" host
accel.device @dma kind "dma"
memref_pool.pool @l2 workspace read [@cpu, @dma] write [@cpu, @dma]
accel.transfer @dma.cp on @dma symbol "dma_cp" from [@l2] to [@l2] rank 2

#l2 = #memref_pool.space<@l2>

// By way of %b every row moves down by one; straight, row 0 could overwrite row 1 before that is read.
// CHECK-LABEL: func.func @shifted
// CHECK-COUNT-2: accel.move @dma.cp
// CHECK:         return
// CHECK-LABEL: func.func @apart
// CHECK:         accel.move @dma.cp
// CHECK-NOT:     accel.move @dma.cp
// CHECK:         return
func.func @shifted(%x: memref<5x8xi8, #l2>) {
  %b = memref_pool.alloc : memref<4x8xi8, #l2>
  %up = memref.subview %x[0, 0] [4, 8] [1, 1] : memref<5x8xi8, #l2> to memref<4x8xi8, strided<[8, 1]>, #l2>
  %down = memref.subview %x[1, 0] [4, 8] [1, 1] : memref<5x8xi8, #l2> to memref<4x8xi8, strided<[8, 1], offset: 8>, #l2>
  accel.move @dma.cp %up into %b : memref<4x8xi8, strided<[8, 1]>, #l2>, memref<4x8xi8, #l2>
  accel.move @dma.cp %b into %down : memref<4x8xi8, #l2>, memref<4x8xi8, strided<[8, 1], offset: 8>, #l2>
  return
}
func.func @apart(%x: memref<8x8xi8, #l2>) {
  %b = memref_pool.alloc : memref<4x8xi8, #l2>
  %up = memref.subview %x[0, 0] [4, 8] [1, 1] : memref<8x8xi8, #l2> to memref<4x8xi8, strided<[8, 1]>, #l2>
  %down = memref.subview %x[4, 0] [4, 8] [1, 1] : memref<8x8xi8, #l2> to memref<4x8xi8, strided<[8, 1], offset: 32>, #l2>
  accel.move @dma.cp %up into %b : memref<4x8xi8, strided<[8, 1]>, #l2>, memref<4x8xi8, #l2>
  accel.move @dma.cp %b into %down : memref<4x8xi8, #l2>, memref<4x8xi8, strided<[8, 1], offset: 32>, #l2>
  return
}

// Twice is not once: the second copy reads what the first has written.
// CHECK-LABEL: func.func @onto_itself
// CHECK-COUNT-2: accel.move @dma.cp
// CHECK:         scf.for
// CHECK-NEXT:      accel.move @dma.cp
func.func @onto_itself(%x: memref<8xi8, #l2>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %low = memref.subview %x[0] [4] [1] : memref<8xi8, #l2> to memref<4xi8, strided<[1]>, #l2>
  %high = memref.subview %x[2] [4] [1] : memref<8xi8, #l2> to memref<4xi8, strided<[1], offset: 2>, #l2>
  accel.move @dma.cp %low into %high : memref<4xi8, strided<[1]>, #l2>, memref<4xi8, strided<[1], offset: 2>, #l2>
  accel.move @dma.cp %low into %high : memref<4xi8, strided<[1]>, #l2>, memref<4xi8, strided<[1], offset: 2>, #l2>
  scf.for %i = %c0 to %c3 step %c1 {
    accel.move @dma.cp %low into %high : memref<4xi8, strided<[1]>, #l2>, memref<4xi8, strided<[1], offset: 2>, #l2>
  }
  return
}
