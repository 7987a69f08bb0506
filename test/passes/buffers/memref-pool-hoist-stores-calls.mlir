// RUN: forebay-opt %s --memref-pool-hoist-stores | FileCheck %s

// Who reads the old state may do so in a function that is called, or in a queue.

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace read [@cpu] write [@cpu]
memref_pool.pool @small workspace capacity 64 read [@cpu] write [@cpu]
memref_pool.pool @state state read [@cpu] write [@cpu]
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.transfer @npu.copy on @npu symbol "npu_copy" from [@dram, @state] to [@dram] rank 1 queue @npu.load

#dram = #memref_pool.space<@dram>
#small = #memref_pool.space<@small>
#state = #memref_pool.space<@state>

memref.global "private" @s : memref<16xi8, #state>

// CHECK-LABEL: func.func @read_in_a_callee
// CHECK:         linalg.fill
// CHECK-NEXT:    call @reads
// CHECK-NEXT:    memref.get_global
// CHECK-NEXT:    memref_pool.copy
// CHECK-NEXT:    call @reads_nothing
func.func @read_in_a_callee(%x: memref<16xi8, #dram>, %y: memref<16xi8, #dram>) {
  %c1 = arith.constant 1 : i8
  %new = memref_pool.alloc : memref<16xi8, #dram>
  linalg.fill ins(%c1 : i8) outs(%new : memref<16xi8, #dram>)
  call @reads(%y) : (memref<16xi8, #dram>) -> ()
  call @reads_nothing(%x) : (memref<16xi8, #dram>) -> ()
  %s = memref.get_global @s : memref<16xi8, #state>
  memref_pool.copy %new into %s : memref<16xi8, #dram>, memref<16xi8, #state>
  return
}
func.func private @reads(%y: memref<16xi8, #dram>) {
  %s = memref.get_global @s : memref<16xi8, #state>
  memref_pool.copy %s into %y : memref<16xi8, #state>, memref<16xi8, #dram>
  return
}
func.func private @reads_nothing(%x: memref<16xi8, #dram>) {
  %c2 = arith.constant 2 : i8
  linalg.fill ins(%c2 : i8) outs(%x : memref<16xi8, #dram>)
  return
}

// The transfer may read the old value until the wait.
// CHECK-LABEL: func.func @read_in_flight
// CHECK:         accel.start
// CHECK-NEXT:    accel.wait
// CHECK-NEXT:    memref_pool.copy
// CHECK-NEXT:    call @reads_nothing
func.func @read_in_flight(%x: memref<16xi8, #dram>, %y: memref<16xi8, #dram>) {
  %c1 = arith.constant 1 : i8
  %s = memref.get_global @s : memref<16xi8, #state>
  %new = memref_pool.alloc : memref<16xi8, #dram>
  linalg.fill ins(%c1 : i8) outs(%new : memref<16xi8, #dram>)
  %t = accel.start @npu.copy %s into %y : memref<16xi8, #state>, memref<16xi8, #dram>
  accel.wait %t
  call @reads_nothing(%x) : (memref<16xi8, #dram>) -> ()
  memref_pool.copy %new into %s : memref<16xi8, #dram>, memref<16xi8, #state>
  return
}

// A result leaves when it is complete, so that %a and %b need not live together; into a pool with less room than the
// one that it comes from it is copied in the end.
// CHECK-LABEL: func.func @results
// CHECK:         linalg.fill {{.*}} outs(%[[A:.*]] :
// CHECK-NEXT:    memref_pool.copy %[[A]] into %arg0
// CHECK:         linalg.fill {{.*}} outs(%[[B:.*]] :
// CHECK:         linalg.fill
// CHECK-NEXT:    memref_pool.copy %[[B]] into %arg1
func.func @results(%y: memref<16xi8, #dram> {bufferize.result}, %z: memref<16xi8, #small> {bufferize.result}) {
  %c1 = arith.constant 1 : i8
  %c2 = arith.constant 2 : i8
  %a = memref_pool.alloc : memref<16xi8, #dram>
  linalg.fill ins(%c1 : i8) outs(%a : memref<16xi8, #dram>)
  %b = memref_pool.alloc : memref<16xi8, #dram>
  linalg.fill ins(%c2 : i8) outs(%b : memref<16xi8, #dram>)
  %c = memref_pool.alloc : memref<16xi8, #dram>
  linalg.fill ins(%c2 : i8) outs(%c : memref<16xi8, #dram>)
  memref_pool.copy %a into %y : memref<16xi8, #dram>, memref<16xi8, #dram>
  memref_pool.copy %b into %z : memref<16xi8, #dram>, memref<16xi8, #small>
  return
}
