// RUN: forebay-opt %s --memref-pool-plan=planner=first-fit --memref-pool-verify-plan --split-input-file | FileCheck %s

#ws = #memref_pool.space<@ws>

// One branch runs or the other: %t at [1, 2) and %e at [2, 3) share bytes 64 to 128, while %a, which
// is read at tick 3, keeps its own: 64 + 64 = 128.
// CHECK: memref_pool.pool @ws {{.*}} peak = 128, lower_bound = 128
memref_pool.pool @ws workspace
// CHECK-LABEL: func.func @exclusive
func.func @exclusive(%x: i8, %which: i1, %out: memref<64xi8>) {
  // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 0, 4>}
  %a = memref_pool.alloc : memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  scf.if %which {
    // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 1, 2>}
    %t = memref_pool.alloc : memref<64xi8, #ws>
    linalg.fill ins(%x : i8) outs(%t : memref<64xi8, #ws>)
  } else {
    // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 2, 3>}
    %e = memref_pool.alloc : memref<64xi8, #ws>
    linalg.fill ins(%x : i8) outs(%e : memref<64xi8, #ws>)
  }
  memref.copy %a, %out : memref<64xi8, #ws> to memref<64xi8>
  return
}

// -----

#ws = #memref_pool.space<@ws>

// The result is a buffer of either branch, read at tick 3: both live until 4, across %b's [2, 3).
// CHECK: memref_pool.pool @ws {{.*}} peak = 192, lower_bound = 192
memref_pool.pool @ws workspace
// CHECK-LABEL: func.func @result
func.func @result(%x: i8, %which: i1, %out: memref<64xi8>) {
  // CHECK: memref_pool.alloc at <@ws, 128> {memref_pool.lifetime = array<i64: 2, 3>}
  %b = memref_pool.alloc : memref<64xi8, #ws>
  %r = scf.if %which -> memref<64xi8, #ws> {
    // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 0, 4>}
    %t = memref_pool.alloc : memref<64xi8, #ws>
    linalg.fill ins(%x : i8) outs(%t : memref<64xi8, #ws>)
    scf.yield %t : memref<64xi8, #ws>
  } else {
    // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 1, 4>}
    %e = memref_pool.alloc : memref<64xi8, #ws>
    linalg.fill ins(%x : i8) outs(%e : memref<64xi8, #ws>)
    scf.yield %e : memref<64xi8, #ws>
  }
  linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #ws>)
  memref.copy %r, %out : memref<64xi8, #ws> to memref<64xi8>
  return
}

// -----

#ws = #memref_pool.space<@ws>

// A subview that a branch hands out keeps %a alive until tick 3; %b is at [1, 2).
// CHECK: memref_pool.pool @ws {{.*}} peak = 128, lower_bound = 128
memref_pool.pool @ws workspace
// CHECK-LABEL: func.func @view_out_of_branch
func.func @view_out_of_branch(%x: i8, %which: i1, %out: memref<16xi8>) {
  // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 0, 3>}
  %a = memref_pool.alloc : memref<64xi8, #ws>
  // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 1, 2>}
  %b = memref_pool.alloc : memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  %r = scf.if %which -> memref<16xi8, strided<[1], offset: ?>, #ws> {
    %v = memref.subview %a[0] [16] [1] : memref<64xi8, #ws> to memref<16xi8, strided<[1]>, #ws>
    %c = memref.cast %v : memref<16xi8, strided<[1]>, #ws> to memref<16xi8, strided<[1], offset: ?>, #ws>
    scf.yield %c : memref<16xi8, strided<[1], offset: ?>, #ws>
  } else {
    %v = memref.subview %a[16] [16] [1] : memref<64xi8, #ws> to memref<16xi8, strided<[1], offset: 16>, #ws>
    %c = memref.cast %v : memref<16xi8, strided<[1], offset: 16>, #ws> to memref<16xi8, strided<[1], offset: ?>, #ws>
    scf.yield %c : memref<16xi8, strided<[1], offset: ?>, #ws>
  }
  linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #ws>)
  memref.copy %r, %out : memref<16xi8, strided<[1], offset: ?>, #ws> to memref<16xi8>
  return
}

// -----

#ws = #memref_pool.space<@ws>

// Three ways through a switch, ticks 0, 1 and 2, all at the same 64 bytes; and a region that runs
// once: its buffer leaves as the result, [3, 5), beside %b's [4, 5).
// CHECK: memref_pool.pool @ws {{.*}} peak = 128, lower_bound = 128
memref_pool.pool @ws workspace
// CHECK-LABEL: func.func @switch_and_region
func.func @switch_and_region(%x: i8, %which: index, %out: memref<64xi8>) {
  scf.index_switch %which
  case 1 {
    // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 1, 2>}
    %0 = memref_pool.alloc : memref<64xi8, #ws>
    linalg.fill ins(%x : i8) outs(%0 : memref<64xi8, #ws>)
    scf.yield
  }
  case 2 {
    // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 2, 3>}
    %1 = memref_pool.alloc : memref<64xi8, #ws>
    linalg.fill ins(%x : i8) outs(%1 : memref<64xi8, #ws>)
    scf.yield
  }
  default {
    // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 0, 1>}
    %2 = memref_pool.alloc : memref<64xi8, #ws>
    linalg.fill ins(%x : i8) outs(%2 : memref<64xi8, #ws>)
  }
  %r = scf.execute_region -> memref<64xi8, #ws> {
    // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 3, 6>}
    %3 = memref_pool.alloc : memref<64xi8, #ws>
    linalg.fill ins(%x : i8) outs(%3 : memref<64xi8, #ws>)
    scf.yield %3 : memref<64xi8, #ws>
  }
  // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 4, 5>}
  %b = memref_pool.alloc : memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #ws>)
  memref.copy %r, %out : memref<64xi8, #ws> to memref<64xi8>
  return
}
