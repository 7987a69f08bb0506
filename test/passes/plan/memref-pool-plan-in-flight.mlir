// RUN: forebay-opt %s --pass-pipeline='builtin.module(memref-pool-plan,memref-pool-verify-plan)' --split-input-file | FileCheck %s

// What is in flight on any path to an op keeps its bytes there.

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
// CHECK: memref_pool.pool @spad {{.*}} peak = 48
memref_pool.pool @spad workspace local align 8 read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.store on @npu symbol "npu_store" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 1 queue @npu.store

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>
!d = memref<24xi8, #dram>
!s = memref<24xi8, #spad>

// In flight behind the branch, until the wait on the other path: ticks 0 to 3.
// CHECK-LABEL: func.func @main
func.func @main(%a: !d, %c: i1) {
  // CHECK: memref_pool.alloc at <@spad, {{.*}}> {memref_pool.lifetime = array<i64: 0, 5>}
  %s = memref_pool.alloc : !s
  // CHECK: memref_pool.alloc at <@spad, {{.*}}> {memref_pool.lifetime = array<i64: 2, 4>}
  %u = memref_pool.alloc : !s
  %t = accel.start @npu.mvin %a into %s : !d, !s
  scf.if %c {
    accel.wait %t
  } else {
    accel.move @npu.mvin %a into %u : !d, !s
    accel.move @npu.mvin %a into %u : !d, !s
    accel.wait %t
  }
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
// CHECK: memref_pool.pool @spad {{.*}} peak = 72
memref_pool.pool @spad workspace local align 8 read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.store on @npu symbol "npu_store" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 1 queue @npu.store

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>
!d = memref<24xi8, #dram>
!s = memref<24xi8, #spad>

// A wait for the second of a queue ends the first, whose token nobody knows.
// CHECK-LABEL: func.func @main
func.func @main(%a: !d) {
  // CHECK: memref_pool.alloc at <@spad, {{.*}}> {memref_pool.lifetime = array<i64: 0, 4>}
  %s = memref_pool.alloc : !s
  // CHECK: memref_pool.alloc at <@spad, {{.*}}> {memref_pool.lifetime = array<i64: 1, 4>}
  %u = memref_pool.alloc : !s
  // CHECK: memref_pool.alloc at <@spad, {{.*}}> {memref_pool.lifetime = array<i64: 2, 3>}
  %v = memref_pool.alloc : !s
  %t = accel.start @npu.mvin %a into %s : !d, !s
  %w = accel.start @npu.mvin %a into %u : !d, !s
  accel.move @npu.mvin %a into %v : !d, !s
  accel.wait %w
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
// CHECK: memref_pool.pool @spad {{.*}} peak = 48
memref_pool.pool @spad workspace local align 8 read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.store on @npu symbol "npu_store" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 1 queue @npu.store

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>
!d = memref<24xi8, #dram>
!s = memref<24xi8, #spad>

func.func private @start(%a: !d, %s: !s) -> !accel.token {
  %t = accel.start @npu.mvin %a into %s : !d, !s
  return %t : !accel.token
}
func.func private @wait(%t: !accel.token) {
  accel.wait %t
  return
}
// A token that a callee returns, and another waits for.
// CHECK-LABEL: func.func @main
func.func @main(%a: !d) {
  // CHECK: memref_pool.alloc at <@spad, {{.*}}> {memref_pool.lifetime = array<i64: 0, 3>}
  %s = memref_pool.alloc : !s
  // CHECK: memref_pool.alloc at <@spad, {{.*}}> {memref_pool.lifetime = array<i64: 1, 2>}
  %u = memref_pool.alloc : !s
  %t = func.call @start(%a, %s) : (!d, !s) -> !accel.token
  accel.move @npu.mvin %a into %u : !d, !s
  func.call @wait(%t) : (!accel.token) -> ()
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
// CHECK: memref_pool.pool @spad {{.*}} peak = 48
memref_pool.pool @spad workspace local align 8 read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.store on @npu symbol "npu_store" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 1 queue @npu.store

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>
!d = memref<24xi8, #dram>
!s = memref<24xi8, #spad>

// Started in a loop, waited for behind it: in use over the loop, and to the wait.
// CHECK-LABEL: func.func @main
func.func @main(%a: !d, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: memref_pool.alloc at <@spad, {{.*}}> {memref_pool.lifetime = array<i64: 0, 5>}
  %s = memref_pool.alloc : !s
  // CHECK: memref_pool.alloc at <@spad, {{.*}}> {memref_pool.lifetime = array<i64: 2, 3>}
  %u = memref_pool.alloc : !s
  // CHECK: memref_pool.alloc at <@spad, {{.*}}> {memref_pool.lifetime = array<i64: 3, 5>}
  %e = memref_pool.alloc : !s
  scf.for %i = %c0 to %n step %c1 {
    %t = accel.start @npu.mvin %a into %s : !d, !s
    %v = accel.start @npu.mvin %a into %s : !d, !s
  }
  accel.move @npu.mvin %a into %u : !d, !s
  %last = accel.start @npu.mvin %a into %e : !d, !s
  accel.wait %last
  return
}
