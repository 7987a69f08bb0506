// RUN: forebay-opt %s --memref-pool-plan=planner=first-fit --memref-pool-verify-plan --split-input-file | FileCheck %s

#ws = #memref_pool.space<@ws>
#flash = #memref_pool.space<@flash>
#kept = #memref_pool.space<@kept>

// Entry functions, constants, state. Ticks: @main [0, 3), @reset [3, 5).
// An input is there from the beginning, [0, 1), an output stays to the end, [1, 3), so the two share
// bytes; %t, [0, 2), is beside them: 16 + 16 = 32. %r, in @reset, may take %t's bytes but not theirs:
// the caller may run @reset when the input is filled, or before it reads the output.
// CHECK: memref_pool.pool @ws workspace certificate <planner = "first-fit", peak = 32, lower_bound = 32
memref_pool.pool @ws workspace
// @weights at 0 ends at 10; the next multiple of the pool's 16 is 16, where @bias ends at 20.
// CHECK: memref_pool.pool @flash constant certificate <planner = "first-fit", peak = 20, lower_bound = 20
memref_pool.pool @flash constant
// The first 16 bytes are reserved: 16 + 8 = 24.
// CHECK: memref_pool.pool @kept state reserved [0, 16] certificate <planner = "first-fit", peak = 24, lower_bound = 24
memref_pool.pool @kept state reserved [0, 16]
// A pool without buffers is certified, too.
// CHECK: memref_pool.pool @idle workspace capacity 8 certificate <planner = "first-fit", peak = 0, lower_bound = 0
memref_pool.pool @idle workspace capacity 8

// CHECK: memref.global "private" constant @bias {{.*}}memref_pool.placement = #memref_pool.placement<@flash, 16>
memref.global "private" constant @bias : memref<1xi32, #flash> = dense<7>
// CHECK: memref.global "private" constant @weights {{.*}}memref_pool.placement = #memref_pool.placement<@flash, 0>
memref.global "private" constant @weights : memref<10xi8, #flash> = dense<1>
// CHECK: memref.global "private" @hidden {{.*}}memref_pool.placement = #memref_pool.placement<@kept, 16>
memref.global "private" @hidden : memref<8xi8, #kept>

// CHECK-LABEL: func.func @main
// CHECK-SAME: accel.name = "in", memref_pool.lifetime = array<i64: 0, 1>, memref_pool.placement = #memref_pool.placement<@ws, 0>
// CHECK-SAME: accel.name = "out", bufferize.result, memref_pool.lifetime = array<i64: 1, 3>, memref_pool.placement = #memref_pool.placement<@ws, 0>
func.func @main(%in: memref<16xi8, #ws> {accel.name = "in"}, %out: memref<16xi8, #ws> {accel.name = "out", bufferize.result}, %callers: memref<8xi8>) {
  // CHECK: memref_pool.alloc at <@ws, 16> {memref_pool.lifetime = array<i64: 0, 2>}
  %t = memref_pool.alloc : memref<16xi8, #ws>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i8
  %bias = memref.get_global @bias : memref<1xi32, #flash>
  %weights = memref.get_global @weights : memref<10xi8, #flash>
  %hidden = memref.get_global @hidden : memref<8xi8, #kept>
  memref.copy %in, %t : memref<16xi8, #ws> to memref<16xi8, #ws>
  memref.copy %t, %out : memref<16xi8, #ws> to memref<16xi8, #ws>
  memref.copy %hidden, %callers : memref<8xi8, #kept> to memref<8xi8>
  return
}
func.func @reset(%x: i8) {
  %hidden = memref.get_global @hidden : memref<8xi8, #kept>
  // CHECK: memref_pool.alloc at <@ws, 16> {memref_pool.lifetime = array<i64: 4, 5>}
  %r = memref_pool.alloc : memref<16xi8, #ws>
  linalg.fill ins(%x : i8) outs(%hidden : memref<8xi8, #kept>)
  linalg.fill ins(%x : i8) outs(%r : memref<16xi8, #ws>)
  return
}

// -----

#ws = #memref_pool.space<@ws>

// State as arguments: the same name in two entry functions is one variable.
memref_pool.pool @ws workspace
// CHECK: memref_pool.pool @kept state certificate <{{.*}}, peak = 8, lower_bound = 8
memref_pool.pool @kept state
// CHECK: func.func @main({{.*}}memref_pool.placement = #memref_pool.placement<@kept, 0>
func.func @main(%s: memref<8xi8, #memref_pool.space<@kept>> {accel.name = "hidden"}, %out: memref<8xi8>) {
  memref.copy %s, %out : memref<8xi8, #memref_pool.space<@kept>> to memref<8xi8>
  return
}
// CHECK: func.func @reset({{.*}}memref_pool.placement = #memref_pool.placement<@kept, 0>
func.func @reset(%s: memref<8xi8, #memref_pool.space<@kept>> {accel.name = "hidden"}, %x: i8) {
  linalg.fill ins(%x : i8) outs(%s : memref<8xi8, #memref_pool.space<@kept>>)
  return
}

// -----

// Candidates in order of preference. @fast holds 64 bytes: %a goes there; %b, of the same time, goes
// to @slow, its second; %c, later, is in @fast again.
// CHECK: memref_pool.pool @fast {{.*}} peak = 64
memref_pool.pool @fast workspace capacity 64
// CHECK: memref_pool.pool @slow {{.*}} peak = 60
memref_pool.pool @slow workspace
#any = #memref_pool.space<[@fast, @slow]>

// CHECK-LABEL: func.func @spill
func.func @spill(%x: i8, %out: memref<64xi8>) {
  // CHECK: memref_pool.alloc at <@fast, 0> {memref_pool.lifetime = array<i64: 0, 3>}
  %a = memref_pool.alloc : memref<64xi8, #any>
  // CHECK: memref_pool.alloc at <@slow, 0> {memref_pool.lifetime = array<i64: 1, 2>}
  %b = memref_pool.alloc : memref<60xi8, #any>
  // CHECK: memref_pool.alloc at <@fast, 0> {memref_pool.lifetime = array<i64: 3, 4>}
  %c = memref_pool.alloc : memref<64xi8, #any>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #any>)
  linalg.fill ins(%x : i8) outs(%b : memref<60xi8, #any>)
  memref.copy %a, %out : memref<64xi8, #any> to memref<64xi8>
  linalg.fill ins(%x : i8) outs(%c : memref<64xi8, #any>)
  return
}

// -----

// %r may be either buffer, and an address is in one pool: though %a alone would fit @fast, both go to
// @slow, 64 + 64.
// CHECK: memref_pool.pool @fast {{.*}} peak = 0
memref_pool.pool @fast workspace capacity 64
// CHECK: memref_pool.pool @slow {{.*}} peak = 128
memref_pool.pool @slow workspace
#any = #memref_pool.space<[@fast, @slow]>

// CHECK-LABEL: func.func @together
func.func @together(%x: i8, %which: i1, %out: memref<64xi8>) {
  // CHECK: memref_pool.alloc at <@slow, 0>
  %a = memref_pool.alloc : memref<64xi8, #any>
  // CHECK: memref_pool.alloc at <@slow, 64>
  %b = memref_pool.alloc : memref<64xi8, #any>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #any>)
  linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #any>)
  %r = arith.select %which, %a, %b : memref<64xi8, #any>
  memref.copy %r, %out : memref<64xi8, #any> to memref<64xi8>
  return
}

// -----

// Alignment and pins: %p is pinned to 8; %a wants 64, so the first place behind 8 + 4 = 12 is 64;
// %b, i32 in a pool aligned to 1, needs 4: 0 is free. Rights: @host, who runs this, may not write @npu.
accel.device @host kind "cpu"
accel.device @dma kind "dma"
// CHECK: memref_pool.pool @npu {{.*}} peak = 0
memref_pool.pool @npu workspace read [@host] write [@dma]
// CHECK: memref_pool.pool @ws workspace align 1 certificate <{{.*}}peak = 80
memref_pool.pool @ws workspace align 1
#ws = #memref_pool.space<[@npu, @ws]>

// CHECK-LABEL: func.func @pins
func.func @pins(%x: i8, %y: i32, %out: memref<16xi8>) {
  %c0 = arith.constant 0 : index
  // CHECK: memref_pool.alloc pinned <@ws, 8> at <@ws, 8>
  %p = memref_pool.alloc pinned <@ws, 8> : memref<4xi8, #ws>
  // CHECK: memref_pool.alloc align 64 at <@ws, 64>
  %a = memref_pool.alloc align 64 : memref<16xi8, #ws>
  // CHECK: memref_pool.alloc at <@ws, 0>
  %b = memref_pool.alloc : memref<2xi32, #ws>
  linalg.fill ins(%x : i8) outs(%p : memref<4xi8, #ws>)
  linalg.fill ins(%x : i8) outs(%a : memref<16xi8, #ws>)
  linalg.fill ins(%y : i32) outs(%b : memref<2xi32, #ws>)
  memref.store %x, %p[%c0] : memref<4xi8, #ws>
  memref.copy %a, %out : memref<16xi8, #ws> to memref<16xi8>
  return
}
