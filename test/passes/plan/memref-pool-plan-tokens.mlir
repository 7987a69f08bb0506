// RUN: forebay-opt %s --pass-pipeline='builtin.module(memref-pool-plan,memref-pool-verify-plan)' --split-input-file | FileCheck %s
// RUN: forebay-opt %s --pass-pipeline='builtin.module(memref-pool-plan{tokens=false})' --split-input-file | FileCheck %s --check-prefix=WITHOUT

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace
// 24 bytes take two rows of 16: both buffers together 64.
// CHECK: memref_pool.pool @spad {{.*}} peak = 64, lower_bound = 64
// WITHOUT: memref_pool.pool @spad {{.*}} peak = 32, lower_bound = 32
memref_pool.pool @spad workspace local capacity 64 base 0 unit 16 read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>

// CHECK-LABEL: func.func @main
func.func @main(%a: memref<24xi8, #dram>, %b: memref<24xi8, #dram>) {
  // Started at tick 0, waited for at tick 3; without the rule it is over after tick 0.
  // CHECK: memref_pool.alloc at <@spad, 0> {memref_pool.lifetime = array<i64: 0, 4>}
  // WITHOUT: memref_pool.alloc at <@spad, 0> {memref_pool.lifetime = array<i64: 0, 1>}
  %s = memref_pool.alloc : memref<24xi8, #spad>
  // CHECK: memref_pool.alloc at <@spad, 32> {memref_pool.lifetime = array<i64: 1, 3>}
  // WITHOUT: memref_pool.alloc at <@spad, 0> {memref_pool.lifetime = array<i64: 1, 3>}
  %u = memref_pool.alloc : memref<24xi8, #spad>
  %t = accel.start @npu.mvin %a into %s : memref<24xi8, #dram>, memref<24xi8, #spad>
  accel.move @npu.mvin %b into %u : memref<24xi8, #dram>, memref<24xi8, #spad>
  accel.move @npu.mvin %b into %u : memref<24xi8, #dram>, memref<24xi8, #spad>
  accel.wait %t
  return
}

// -----

// A token that a loop hands on: what it moves into is in use over the whole loop, and to the wait behind it.

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
// CHECK: memref_pool.pool @spad {{.*}} peak = 32
memref_pool.pool @spad workspace local capacity 64 base 0 read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>

// CHECK-LABEL: func.func @main
func.func @main(%a: memref<16xi8, #dram>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // Ticks: start 0, in the loop wait 1, move 2 and start 3; wait 4 behind it.
  // CHECK: memref_pool.alloc at <@spad, 0> {memref_pool.lifetime = array<i64: 0, 5>}
  %s = memref_pool.alloc : memref<16xi8, #spad>
  %first = accel.start @npu.mvin %a into %s : memref<16xi8, #dram>, memref<16xi8, #spad>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%t = %first) -> (!accel.token) {
    // CHECK: memref_pool.alloc at <@spad, 16> {memref_pool.lifetime = array<i64: 2, 3>}
    %u = memref_pool.alloc : memref<16xi8, #spad>
    accel.wait %t
    accel.move @npu.mvin %a into %u : memref<16xi8, #dram>, memref<16xi8, #spad>
    %next = accel.start @npu.mvin %a into %s : memref<16xi8, #dram>, memref<16xi8, #spad>
    scf.yield %next : !accel.token
  }
  accel.wait %last
  return
}

// -----

// Whoever waits for what comes after has waited for what came before.

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local capacity 64 base 0 read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.run on @npu symbol "npu_run" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load
accel.intrinsic @npu.relu on @npu symbol "npu_relu"
  operands [#accel.operand<name = "x", access = inout, pools = [@spad]>] queue @npu.run

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>

// CHECK-LABEL: func.func @main
func.func @main(%a: memref<16xi8, #dram>) {
  // CHECK: memref_pool.alloc at <@spad, 0> {memref_pool.lifetime = array<i64: 0, 3>}
  %s = memref_pool.alloc : memref<16xi8, #spad>
  // CHECK: memref_pool.alloc at <@spad, 16> {memref_pool.lifetime = array<i64: 1, 3>}
  %u = memref_pool.alloc : memref<16xi8, #spad>
  %t = accel.start @npu.mvin %a into %s : memref<16xi8, #dram>, memref<16xi8, #spad>
  %r = accel.launch @npu.relu outs(%u : memref<16xi8, #spad>) after(%t) accumulate [0]
  accel.wait %r
  return
}
