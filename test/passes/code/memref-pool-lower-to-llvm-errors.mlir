// RUN: forebay-opt %s --memref-pool-lower-to-llvm --split-input-file --verify-diagnostics

memref_pool.pool @sram workspace

func.func @main() {
  // expected-error@+1 {{a buffer is left that is no view of a pool; run memref-pool-materialize first}}
  %0 = memref_pool.alloc : memref<4xi32, #memref_pool.space<@sram>>
  return
}

// -----

accel.device @npu kind "npu"
// expected-error@+1 {{intrinsic @npu.run has no reference, so nothing on this host can run it; give it one, or link its symbol with intrinsics=extern}}
accel.intrinsic @npu.run on @npu symbol "run" operands [#accel.operand<name = "y", access = out>]

func.func @main(%y: memref<4xi8>) {
  accel.call @npu.run outs(%y : memref<4xi8>)
  return
}

// -----

accel.device @npu kind "npu"
accel.intrinsic @npu.run on @npu symbol "run" operands [#accel.operand<name = "y", access = out>] {
^bb0(%y: memref<?xi8>):
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{a reference gets pointers, which have no size; take it from a scalar}}
  %n = memref.dim %y, %c0 : memref<?xi8>
  accel.yield
}

func.func @main(%y: memref<4xi8>) {
  accel.call @npu.run outs(%y : memref<4xi8>)
  return
}

// -----

accel.device @npu kind "npu"
accel.intrinsic @npu.run on @npu symbol "run" operands [#accel.operand<name = "y", access = out>] {
^bb0(%y: memref<?xi8>):
  accel.yield
}

// expected-error@+1 {{@main issues device commands, so it returns the device's status and cannot return a number; pass it a buffer to write to}}
func.func @main(%y: memref<4xi8>) -> i32 {
  accel.call @npu.run outs(%y : memref<4xi8>)
  %zero = arith.constant 0 : i32
  return %zero : i32
}
