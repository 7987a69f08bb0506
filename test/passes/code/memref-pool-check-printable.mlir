// RUN: forebay-opt %s --memref-pool-check-printable | FileCheck %s

memref_pool.pool @sram workspace

// What is printable passes through unchanged.
// CHECK-LABEL: func.func @main(
func.func @main(%sram: memref<64xi8, #memref_pool.space<@sram>> {memref_pool.base}, %out: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : i32
  // CHECK: memref.view
  %view = memref.view %sram[%c0][] : memref<64xi8, #memref_pool.space<@sram>>
      to memref<4xi32, #memref_pool.space<@sram>>
  // CHECK: scf.for
  scf.for %i = %c0 to %c4 step %c1 {
    memref.store %c7, %view[%i] : memref<4xi32, #memref_pool.space<@sram>>
  }
  // CHECK: memref_pool.copy
  memref_pool.copy %view into %out : memref<4xi32, #memref_pool.space<@sram>>, memref<4xi32>
  return
}
