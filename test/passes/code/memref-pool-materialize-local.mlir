// RUN: forebay-opt %s --pass-pipeline='builtin.module(memref-pool-plan,memref-pool-materialize,memref-pool-verify-plan)' | FileCheck %s
// RUN: forebay-opt %s --pass-pipeline='builtin.module(memref-pool-plan,memref-pool-materialize,memref-pool-lower-to-llvm{intrinsics=extern})' | FileCheck %s --check-prefix=LLVM

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local capacity 64 base 4096 unit 16 read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.run on @npu symbol "npu_run" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 2 queue @npu.load
accel.intrinsic @npu.relu on @npu symbol "npu_relu"
  operands [#accel.operand<name = "x", access = inout, pools = [@spad]>] queue @npu.run

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>

// No base for @spad, and no argument.
// CHECK: func.func @main(%{{.*}}: memref<128xi8, #memref_pool.space<@dram>> {memref_pool.base})
// LLVM-DAG: func.func private @npu_mvin_start(!llvm.ptr, i32, i32, i32, i32, i32) -> i32
// LLVM-DAG: func.func private @npu_relu_start(i32) -> i32
// LLVM-DAG: func.func private @npu_run_after(i32)
// LLVM-DAG: func.func private @npu_run_wait(i32)
// LLVM-NOT: @npu_load_wait
// LLVM: func.func @main
func.func @main(%whole: memref<2x64xi8, #dram>) {
  %a = memref.subview %whole[0, 0] [2, 16] [1, 1] : memref<2x64xi8, #dram> to memref<2x16xi8, strided<[64, 1]>, #dram>
  // CHECK: memref_pool.address <@spad, 0>
  %s = memref_pool.alloc : memref<2x16xi8, #spad>
  // 2 runs of 16 bytes, 64 apart in dram and one row apart in spad, into row 4096.
  // LLVM-DAG: %[[ROW:.*]] = arith.constant 4096 : i32
  // LLVM-DAG: %[[TWO:.*]] = arith.constant 2 : i32
  // LLVM-DAG: %[[APART:.*]] = arith.constant 64 : i32
  // LLVM-DAG: %[[ONE:.*]] = arith.constant 1 : i32
  // LLVM-DAG: %[[BYTES:.*]] = arith.constant 16 : i32
  // LLVM: %[[T:.*]] = call @npu_mvin_start(%{{.*}}, %[[ROW]], %[[TWO]], %[[APART]], %[[ONE]], %[[BYTES]])
  %t = accel.start @npu.mvin %a into %s : memref<2x16xi8, strided<[64, 1]>, #dram>, memref<2x16xi8, #spad>
  // CHECK: call @activate() : () -> ()
  %r = accel.launch @npu.relu outs(%s : memref<2x16xi8, #spad>) after(%t) accumulate [0]
  // LLVM: call @npu_run_after(%[[T]])
  // LLVM: %[[R:.*]] = call @npu_relu_start(
  // LLVM: call @npu_run_wait(%[[R]])
  accel.wait %r
  call @activate(%s) : (memref<2x16xi8, #spad>) -> ()
  return
}

// CHECK: func.func private @activate() {
// CHECK-NEXT: memref_pool.address <@spad, 0>
func.func private @activate(%x: memref<2x16xi8, #spad>) {
  accel.call @npu.relu outs(%x : memref<2x16xi8, #spad>) accumulate [0]
  return
}
