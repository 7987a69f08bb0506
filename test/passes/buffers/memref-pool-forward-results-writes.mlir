// RUN: forebay-opt %s --memref-pool-forward-results | FileCheck %s

// %a gets other values behind the copy, by an op or by a call; the result keeps those that it had.

memref_pool.pool @ws workspace
#ws = #memref_pool.space<@ws>

// CHECK-LABEL: func.func @written_behind
// CHECK:         memref_pool.alloc
// CHECK:         memref_pool.copy
// CHECK-LABEL: func.func @written_by_a_call
// CHECK:         memref_pool.alloc
// CHECK:         memref_pool.copy
func.func @written_behind(%out: memref<16xi8> {bufferize.result}, %other: memref<16xi8>) {
  %c1 = arith.constant 1 : i8
  %c2 = arith.constant 2 : i8
  %a = memref_pool.alloc : memref<16xi8, #ws>
  linalg.fill ins(%c1 : i8) outs(%a : memref<16xi8, #ws>)
  memref_pool.copy %a into %out : memref<16xi8, #ws>, memref<16xi8>
  linalg.fill ins(%c2 : i8) outs(%a : memref<16xi8, #ws>)
  memref_pool.copy %a into %other : memref<16xi8, #ws>, memref<16xi8>
  return
}
func.func @written_by_a_call(%out: memref<16xi8> {bufferize.result}) {
  %c1 = arith.constant 1 : i8
  %a = memref_pool.alloc : memref<16xi8, #ws>
  linalg.fill ins(%c1 : i8) outs(%a : memref<16xi8, #ws>)
  memref_pool.copy %a into %out : memref<16xi8, #ws>, memref<16xi8>
  call @writes(%a) : (memref<16xi8, #ws>) -> ()
  return
}
func.func private @writes(%a: memref<16xi8, #ws>) {
  %c2 = arith.constant 2 : i8
  linalg.fill ins(%c2 : i8) outs(%a : memref<16xi8, #ws>)
  return
}
