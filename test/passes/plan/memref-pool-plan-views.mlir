// RUN: forebay-opt %s --memref-pool-plan=planner=first-fit --memref-pool-verify-plan --split-input-file | FileCheck %s

// In each case %a (64 B) is seen through a view, which is read at tick 2; so %b (64 B), written at
// tick 1, must not take its bytes: [0, 3) and [1, 2) conflict, peak 64 + 64 = 128.

#ws = #memref_pool.space<@ws>

// CHECK: memref_pool.pool @ws {{.*}} peak = 128, lower_bound = 128
memref_pool.pool @ws workspace
// CHECK-LABEL: func.func @subview
func.func @subview(%x: i8, %out: memref<16xi8>) {
  // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 0, 3>}
  %a = memref_pool.alloc : memref<64xi8, #ws>
  // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 1, 2>}
  %b = memref_pool.alloc : memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  %v = memref.subview %a[8] [16] [1] : memref<64xi8, #ws> to memref<16xi8, strided<[1], offset: 8>, #ws>
  linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #ws>)
  memref.copy %v, %out : memref<16xi8, strided<[1], offset: 8>, #ws> to memref<16xi8>
  return
}

// -----

#ws = #memref_pool.space<@ws>

// CHECK: memref_pool.pool @ws {{.*}} peak = 128, lower_bound = 128
memref_pool.pool @ws workspace
// CHECK-LABEL: func.func @view
func.func @view(%x: i8, %shift: index, %out: memref<4xi32>) {
  // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 0, 3>}
  %a = memref_pool.alloc : memref<64xi8, #ws>
  // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 1, 2>}
  %b = memref_pool.alloc : memref<64xi8, #ws>
  // From 0 to 48, 16 apart: the program says so, and the plan is checked for all of them.
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %low = arith.maxsi %shift, %c0 : index
  %row = arith.minsi %low, %c3 : index
  %at = arith.muli %row, %c16 : index
  %v = memref.view %a[%at][] : memref<64xi8, #ws> to memref<4xi32, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #ws>)
  memref.copy %v, %out : memref<4xi32, #ws> to memref<4xi32>
  return
}

// -----

#ws = #memref_pool.space<@ws>

// CHECK: memref_pool.pool @ws {{.*}} peak = 128, lower_bound = 128
memref_pool.pool @ws workspace
// CHECK-LABEL: func.func @cast
func.func @cast(%x: i8, %out: memref<?xi8>) {
  // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 0, 3>}
  %a = memref_pool.alloc : memref<64xi8, #ws>
  // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 1, 2>}
  %b = memref_pool.alloc : memref<64xi8, #ws>
  %v = memref.cast %a : memref<64xi8, #ws> to memref<?xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #ws>)
  memref.copy %v, %out : memref<?xi8, #ws> to memref<?xi8>
  return
}

// -----

#ws = #memref_pool.space<@ws>

// CHECK: memref_pool.pool @ws {{.*}} peak = 128, lower_bound = 128
memref_pool.pool @ws workspace
// CHECK-LABEL: func.func @reinterpret_cast
func.func @reinterpret_cast(%x: i8, %out: memref<4x16xi8>) {
  // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 0, 3>}
  %a = memref_pool.alloc : memref<64xi8, #ws>
  // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 1, 2>}
  %b = memref_pool.alloc : memref<64xi8, #ws>
  %v = memref.reinterpret_cast %a to offset: [0], sizes: [4, 16], strides: [16, 1] : memref<64xi8, #ws> to memref<4x16xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #ws>)
  memref.copy %v, %out : memref<4x16xi8, #ws> to memref<4x16xi8>
  return
}

// -----

#ws = #memref_pool.space<@ws>

// CHECK: memref_pool.pool @ws {{.*}} peak = 128, lower_bound = 128
memref_pool.pool @ws workspace
// CHECK-LABEL: func.func @collapse_expand_transpose
func.func @collapse_expand_transpose(%x: i8, %out: memref<8x8xi8, strided<[1, 8]>>) {
  // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 0, 3>}
  %a = memref_pool.alloc : memref<4x16xi8, #ws>
  // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 1, 2>}
  %b = memref_pool.alloc : memref<64xi8, #ws>
  %c = memref.collapse_shape %a [[0, 1]] : memref<4x16xi8, #ws> into memref<64xi8, #ws>
  %e = memref.expand_shape %c [[0, 1]] output_shape [8, 8] : memref<64xi8, #ws> into memref<8x8xi8, #ws>
  %t = memref.transpose %e (i, j) -> (j, i) : memref<8x8xi8, #ws> to memref<8x8xi8, strided<[1, 8]>, #ws>
  linalg.fill ins(%x : i8) outs(%c : memref<64xi8, #ws>)
  linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #ws>)
  memref.copy %t, %out : memref<8x8xi8, strided<[1, 8]>, #ws> to memref<8x8xi8, strided<[1, 8]>>
  return
}

// -----

#ws = #memref_pool.space<@ws>

// CHECK: memref_pool.pool @ws {{.*}} peak = 128, lower_bound = 128
memref_pool.pool @ws workspace
// CHECK-LABEL: func.func @metadata
func.func @metadata(%x: i8, %out: memref<16xi8>) {
  // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 0, 3>}
  %a = memref_pool.alloc : memref<64xi8, #ws>
  // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 1, 2>}
  %b = memref_pool.alloc : memref<64xi8, #ws>
  %base, %offset, %size, %stride = memref.extract_strided_metadata %a : memref<64xi8, #ws> -> memref<i8, #ws>, index, index, index
  %v = memref.reinterpret_cast %base to offset: [0], sizes: [16], strides: [1] : memref<i8, #ws> to memref<16xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #ws>)
  memref.copy %v, %out : memref<16xi8, #ws> to memref<16xi8>
  return
}

// -----

#ws = #memref_pool.space<@ws>

// Either of %a and %c is read at tick 3, so both keep their bytes: 64 + 64 + 64 = 192.
// CHECK: memref_pool.pool @ws {{.*}} peak = 192, lower_bound = 192
memref_pool.pool @ws workspace
// CHECK-LABEL: func.func @select
func.func @select(%x: i8, %which: i1, %out: memref<64xi8>) {
  // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 0, 4>}
  %a = memref_pool.alloc : memref<64xi8, #ws>
  // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 1, 4>}
  %c = memref_pool.alloc : memref<64xi8, #ws>
  // CHECK: memref_pool.alloc at <@ws, 128> {memref_pool.lifetime = array<i64: 2, 3>}
  %b = memref_pool.alloc : memref<64xi8, #ws>
  %v = arith.select %which, %a, %c : memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  linalg.fill ins(%x : i8) outs(%c : memref<64xi8, #ws>)
  linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #ws>)
  memref.copy %v, %out : memref<64xi8, #ws> to memref<64xi8>
  return
}

// -----

#ws = #memref_pool.space<@ws>

// The region of a kernel loads from a table that is no operand of it: ticks 2 (kernel) and 3 (load).
// CHECK: memref_pool.pool @ws {{.*}} peak = 128, lower_bound = 128
memref_pool.pool @ws workspace
// CHECK-LABEL: func.func @captured
func.func @captured(%x: i8, %out: memref<64xi8>) {
  // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 0, 4>}
  %table = memref_pool.alloc : memref<64xi8, #ws>
  // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 1, 2>}
  %b = memref_pool.alloc : memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%table : memref<64xi8, #ws>)
  linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #ws>)
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%out : memref<64xi8>) {
  ^bb0(%o: i8):
    %i = linalg.index 0 : index
    %e = memref.load %table[%i] : memref<64xi8, #ws>
    linalg.yield %e : i8
  }
  return
}

// -----

#ws = #memref_pool.space<@ws>

// Buffers whose lives only meet at a tick share bytes: [0, 2) and [2, 4) -> both at 0, peak 64.
// CHECK: memref_pool.pool @ws {{.*}} peak = 64, lower_bound = 64
memref_pool.pool @ws workspace
// CHECK-LABEL: func.func @reuse
func.func @reuse(%x: i8, %out: memref<64xi8>) {
  // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 0, 2>}
  %a = memref_pool.alloc : memref<64xi8, #ws>
  // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 2, 4>}
  %b = memref_pool.alloc : memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  memref.copy %a, %out : memref<64xi8, #ws> to memref<64xi8>
  linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #ws>)
  memref.copy %b, %out : memref<64xi8, #ws> to memref<64xi8>
  return
}
