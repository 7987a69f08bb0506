// RUN: forebay-opt %s --memref-pool-plan=planner=first-fit --memref-pool-verify-plan --split-input-file | FileCheck %s

#ws = #memref_pool.space<@ws>

// @twice is called at ticks [1, 3) and [4, 6). Its %t is new in each call: [1, 3) and [4, 6), written
// as [1, 6); between the calls, at 3, %b takes its bytes. %a is read through the callee's argument at
// tick 5 and so keeps its own: 64 + 64 = 128.
// CHECK: memref_pool.pool @ws {{.*}} peak = 128, lower_bound = 128
memref_pool.pool @ws workspace

// CHECK-LABEL: func.func private @twice
func.func private @twice(%x: i8, %p: memref<64xi8, #ws>) {
  // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 1, 6>}
  %t = memref_pool.alloc : memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%t : memref<64xi8, #ws>)
  memref.copy %t, %p : memref<64xi8, #ws> to memref<64xi8, #ws>
  return
}

// CHECK-LABEL: func.func @callee_called_twice
func.func @callee_called_twice(%x: i8) {
  // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 0, 6>}
  %a = memref_pool.alloc : memref<64xi8, #ws>
  // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 3, 4>}
  %b = memref_pool.alloc : memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  call @twice(%x, %a) : (i8, memref<64xi8, #ws>) -> ()
  linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #ws>)
  call @twice(%x, %a) : (i8, memref<64xi8, #ws>) -> ()
  return
}

// -----

#ws = #memref_pool.space<@ws>

// A callee called with different buffers: the first call reads %a, the second %b. Each is dead after
// its own call, so %c takes %a's bytes at tick 3: %a [0, 3), %b [1, 5), %c [3, 4).
// CHECK: memref_pool.pool @ws {{.*}} peak = 128, lower_bound = 128
memref_pool.pool @ws workspace

func.func private @read(%p: memref<64xi8, #ws>, %out: memref<64xi8>) {
  %v = memref.subview %p[0] [64] [1] : memref<64xi8, #ws> to memref<64xi8, strided<[1]>, #ws>
  memref.copy %v, %out : memref<64xi8, strided<[1]>, #ws> to memref<64xi8>
  return
}

// CHECK-LABEL: func.func @callee_of_two_buffers
func.func @callee_of_two_buffers(%x: i8, %out: memref<64xi8>) {
  // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 0, 3>}
  %a = memref_pool.alloc : memref<64xi8, #ws>
  // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 1, 5>}
  %b = memref_pool.alloc : memref<64xi8, #ws>
  // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 3, 4>}
  %c = memref_pool.alloc : memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #ws>)
  call @read(%a, %out) : (memref<64xi8, #ws>, memref<64xi8>) -> ()
  linalg.fill ins(%x : i8) outs(%c : memref<64xi8, #ws>)
  call @read(%b, %out) : (memref<64xi8, #ws>, memref<64xi8>) -> ()
  return
}

// -----

#ws = #memref_pool.space<@ws>

// A call in a loop: the callee's argument is accessed in every iteration, so %a lives over the loop,
// [0, 3); what the callee allocates is new in each, [1, 2), and so is %d at [2, 3).
// CHECK: memref_pool.pool @ws {{.*}} peak = 128, lower_bound = 128
memref_pool.pool @ws workspace

func.func private @step(%x: i8, %p: memref<64xi8, #ws>) {
  // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 1, 2>}
  %t = memref_pool.alloc : memref<64xi8, #ws>
  memref.copy %p, %t : memref<64xi8, #ws> to memref<64xi8, #ws>
  return
}

// CHECK-LABEL: func.func @call_in_loop
func.func @call_in_loop(%x: i8, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 0, 3>}
  %a = memref_pool.alloc : memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 2, 3>}
    %d = memref_pool.alloc : memref<64xi8, #ws>
    func.call @step(%x, %a) : (i8, memref<64xi8, #ws>) -> ()
    linalg.fill ins(%x : i8) outs(%d : memref<64xi8, #ws>)
  }
  return
}

// -----

#ws = #memref_pool.space<@ws>

// A declared function may access its arguments while it runs: %a [0, 2), %b [1, 3).
// CHECK: memref_pool.pool @ws {{.*}} peak = 128, lower_bound = 128
memref_pool.pool @ws workspace

func.func private @outside(memref<64xi8, #ws>, memref<64xi8, #ws>) -> i32

// CHECK-LABEL: func.func @declared
func.func @declared(%x: i8) {
  // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 0, 2>}
  %a = memref_pool.alloc : memref<64xi8, #ws>
  // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 1, 3>}
  %b = memref_pool.alloc : memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  %0 = call @outside(%a, %b) : (memref<64xi8, #ws>, memref<64xi8, #ws>) -> i32
  linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #ws>)
  return
}
