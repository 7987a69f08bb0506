// RUN: forebay-opt %s --memref-pool-plan=planner=first-fit --memref-pool-verify-plan --split-input-file | FileCheck %s

#ws = #memref_pool.space<@ws>

// Ticks: 0 fill, 1 fill %c, 2 copy, 3 fill %d; the loop is [1, 4).
// %a, from outside, lives over all of it, though its last access in the text is at 2.
// %c and %d are new in every iteration: [1, 2) and [3, 4) share bytes 64 to 96. Peak 64 + 32 = 96.
// CHECK: memref_pool.pool @ws {{.*}} peak = 96, lower_bound = 96
memref_pool.pool @ws workspace
// CHECK-LABEL: func.func @for_outside_and_inside
func.func @for_outside_and_inside(%x: i8, %n: index, %out: memref<64xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 0, 4>}
  %a = memref_pool.alloc : memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 1, 2>}
    %c = memref_pool.alloc : memref<32xi8, #ws>
    // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 3, 4>}
    %d = memref_pool.alloc : memref<32xi8, #ws>
    linalg.fill ins(%x : i8) outs(%c : memref<32xi8, #ws>)
    memref.copy %a, %out : memref<64xi8, #ws> to memref<64xi8>
    linalg.fill ins(%x : i8) outs(%d : memref<32xi8, #ws>)
  }
  return
}

// -----

#ws = #memref_pool.space<@ws>

// The loop's result is %a, by the iterated argument: it is read at tick 3, after %b's [2, 3).
// CHECK: memref_pool.pool @ws {{.*}} peak = 128, lower_bound = 128
memref_pool.pool @ws workspace
// CHECK-LABEL: func.func @for_iter_args
func.func @for_iter_args(%x: i8, %n: index, %out: memref<64xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 0, 4>}
  %a = memref_pool.alloc : memref<64xi8, #ws>
  // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 2, 3>}
  %b = memref_pool.alloc : memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %a) -> memref<64xi8, #ws> {
    linalg.fill ins(%x : i8) outs(%it : memref<64xi8, #ws>)
    scf.yield %it : memref<64xi8, #ws>
  }
  linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #ws>)
  memref.copy %r, %out : memref<64xi8, #ws> to memref<64xi8>
  return
}

// -----

#ws = #memref_pool.space<@ws>

// Two buffers that swap: after the loop %r is either, so both live until tick 4: 64 + 64, and %b's
// 64 at [3, 4) on top: 192.
// CHECK: memref_pool.pool @ws {{.*}} peak = 192, lower_bound = 192
memref_pool.pool @ws workspace
// CHECK-LABEL: func.func @for_swap
func.func @for_swap(%x: i8, %n: index, %out: memref<64xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 0, 5>}
  %ping = memref_pool.alloc : memref<64xi8, #ws>
  // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 1, 5>}
  %pong = memref_pool.alloc : memref<64xi8, #ws>
  // CHECK: memref_pool.alloc at <@ws, 128> {memref_pool.lifetime = array<i64: 3, 4>}
  %b = memref_pool.alloc : memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%ping : memref<64xi8, #ws>)
  linalg.fill ins(%x : i8) outs(%pong : memref<64xi8, #ws>)
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %ping, %q = %pong) -> (memref<64xi8, #ws>, memref<64xi8, #ws>) {
    memref.copy %p, %q : memref<64xi8, #ws> to memref<64xi8, #ws>
    scf.yield %q, %p : memref<64xi8, #ws>, memref<64xi8, #ws>
  }
  linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #ws>)
  memref.copy %r#0, %out : memref<64xi8, #ws> to memref<64xi8>
  return
}

// -----

#ws = #memref_pool.space<@ws>

// The argument becomes %late in the second iteration only, and is read before %late is written:
// the first walk over the body cannot see it, the second does. Ticks: 0 fill, [1, 4) the loop, 4, 5.
// CHECK: memref_pool.pool @ws {{.*}} peak = 192, lower_bound = 192
memref_pool.pool @ws workspace
// CHECK-LABEL: func.func @for_second_iteration
func.func @for_second_iteration(%x: i8, %n: index, %out: memref<64xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 0, 6>}
  %early = memref_pool.alloc : memref<64xi8, #ws>
  // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 1, 6>}
  %late = memref_pool.alloc : memref<64xi8, #ws>
  // CHECK: memref_pool.alloc at <@ws, 128> {memref_pool.lifetime = array<i64: 4, 5>}
  %b = memref_pool.alloc : memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%early : memref<64xi8, #ws>)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %early) -> memref<64xi8, #ws> {
    memref.copy %it, %out : memref<64xi8, #ws> to memref<64xi8>
    linalg.fill ins(%x : i8) outs(%late : memref<64xi8, #ws>)
    memref.copy %late, %out : memref<64xi8, #ws> to memref<64xi8>
    scf.yield %late : memref<64xi8, #ws>
  }
  linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #ws>)
  memref.copy %r, %out : memref<64xi8, #ws> to memref<64xi8>
  return
}

// -----

#ws = #memref_pool.space<@ws>

// The condition is computed from %a in the first region: [0, 4). %b is accessed in the second region
// only, but every iteration finds it as the one before left it: the whole loop, [1, 4).
// CHECK: memref_pool.pool @ws {{.*}} peak = 128, lower_bound = 128
memref_pool.pool @ws workspace
// CHECK-LABEL: func.func @while_condition
func.func @while_condition(%x: i8) {
  %c0 = arith.constant 0 : index
  // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 0, 4>}
  %a = memref_pool.alloc : memref<64xi8, #ws>
  // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 1, 4>}
  %b = memref_pool.alloc : memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  scf.while : () -> () {
    %e = memref.load %a[%c0] : memref<64xi8, #ws>
    %go = arith.cmpi ne, %e, %x : i8
    scf.condition(%go)
  } do {
    linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #ws>)
    memref.store %x, %b[%c0] : memref<64xi8, #ws>
    scf.yield
  }
  return
}

// -----

#ws = #memref_pool.space<@ws>

// The result of the loop is what its condition forwards, %a, read at tick 5 after %b's [4, 5).
// CHECK: memref_pool.pool @ws {{.*}} peak = 128, lower_bound = 128
memref_pool.pool @ws workspace
// CHECK-LABEL: func.func @while_carried
func.func @while_carried(%x: i8, %out: memref<64xi8>) {
  %c0 = arith.constant 0 : index
  // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 0, 6>}
  %a = memref_pool.alloc : memref<64xi8, #ws>
  // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 4, 5>}
  %b = memref_pool.alloc : memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  %r = scf.while (%p = %a) : (memref<64xi8, #ws>) -> memref<64xi8, #ws> {
    %e = memref.load %p[%c0] : memref<64xi8, #ws>
    %go = arith.cmpi ne, %e, %x : i8
    scf.condition(%go) %p : memref<64xi8, #ws>
  } do {
  ^bb0(%q: memref<64xi8, #ws>):
    linalg.fill ins(%x : i8) outs(%q : memref<64xi8, #ws>)
    memref.store %x, %q[%c0] : memref<64xi8, #ws>
    scf.yield %q : memref<64xi8, #ws>
  }
  linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #ws>)
  memref.copy %r, %out : memref<64xi8, #ws> to memref<64xi8>
  return
}

// -----

#ws = #memref_pool.space<@ws>

// A buffer that the first region allocates may leave the loop by its condition: %fresh lives from
// tick 0 through %b's [2, 3) until 4.
// CHECK: memref_pool.pool @ws {{.*}} peak = 128, lower_bound = 128
memref_pool.pool @ws workspace
// CHECK-LABEL: func.func @while_fresh_result
func.func @while_fresh_result(%x: i8, %out: memref<64xi8>) {
  %c0 = arith.constant 0 : index
  // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 2, 3>}
  %b = memref_pool.alloc : memref<64xi8, #ws>
  %r = scf.while : () -> memref<64xi8, #ws> {
    // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 0, 4>}
    %fresh = memref_pool.alloc : memref<64xi8, #ws>
    linalg.fill ins(%x : i8) outs(%fresh : memref<64xi8, #ws>)
    %e = memref.load %fresh[%c0] : memref<64xi8, #ws>
    %go = arith.cmpi ne, %e, %x : i8
    scf.condition(%go) %fresh : memref<64xi8, #ws>
  } do {
  ^bb0(%q: memref<64xi8, #ws>):
    scf.yield
  }
  linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #ws>)
  memref.copy %r, %out : memref<64xi8, #ws> to memref<64xi8>
  return
}

// -----

#ws = #memref_pool.space<@ws>

// Nested loops: %outer, from outside of both, over both, [0, 3); %middle, new in each iteration of the
// outer loop, over the inner loop only, [1, 2), so %last at [2, 3) may take its bytes: 64 + 32 = 96.
// CHECK: memref_pool.pool @ws {{.*}} peak = 96, lower_bound = 96
memref_pool.pool @ws workspace
// CHECK-LABEL: func.func @nested
func.func @nested(%x: i8, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: memref_pool.alloc at <@ws, 0> {memref_pool.lifetime = array<i64: 0, 3>}
  %outer = memref_pool.alloc : memref<64xi8, #ws>
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 1, 2>}
    %middle = memref_pool.alloc : memref<32xi8, #ws>
    // CHECK: memref_pool.alloc at <@ws, 64> {memref_pool.lifetime = array<i64: 2, 3>}
    %last = memref_pool.alloc : memref<32xi8, #ws>
    linalg.fill ins(%x : i8) outs(%outer : memref<64xi8, #ws>)
    scf.for %j = %c0 to %n step %c1 {
      memref.store %x, %middle[%j] : memref<32xi8, #ws>
    }
    linalg.fill ins(%x : i8) outs(%last : memref<32xi8, #ws>)
  }
  return
}
