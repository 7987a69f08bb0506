// RUN: forebay-opt %s --split-input-file --verify-diagnostics --memref-pool-assign=strict=true

// strict refuses what would otherwise be one copy: the tensor, both demands, both ops.
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @l2 workspace
memref_pool.pool @act workspace
accel.intrinsic @npu.f on @npu symbol "f" operands [
  #accel.operand<name = "x", access = in, pools = [@l2]>, #accel.operand<name = "y", access = out, pools = [@act]>]
func.func @main(%v: i8, %i: index) -> i8 {
  %x = tensor.splat %v : tensor<4xi8>
  %e = tensor.empty() : tensor<4xi8>
  // expected-note @+2 {{operand "y" of @npu.f, here}}
  // expected-note @+1 {{the tensor comes from here}}
  %0 = accel.call @npu.f ins(%x : tensor<4xi8>) outs(%e : tensor<4xi8>) -> tensor<4xi8>
  %f = tensor.empty() : tensor<4xi8>
  // expected-error @+1 {{tensor<4xi8> cannot be where all need it: operand "x" of @npu.f must be in @l2, but operand "y" of @npu.f must be in @act. A copy of 4 bytes is needed, which strict forbids. Widen one of the two, or leave out strict}}
  %1 = accel.call @npu.f ins(%0 : tensor<4xi8>) outs(%f : tensor<4xi8>) -> tensor<4xi8>
  %2 = tensor.extract %1[%i] : tensor<4xi8>
  return %2 : i8
}

// -----

// What the program does not own must not be overwritten; results leave in any case.
memref_pool.pool @ws workspace
// expected-note @+2 {{it is argument 0 of @main, here}}
// expected-note @+1 {{the tensor comes from here}}
func.func @main(%x: tensor<4xi8>, %v: i8, %i: index) -> tensor<4xi8> {
  // expected-error @+1 {{tensor<4xi8> cannot be where all need it: it is computed or overwritten at run time and so in @ws, but it is argument 0 of @main and so in the caller's memory. A copy of 4 bytes is needed, which strict forbids. Widen one of the two, or leave out strict}}
  %0 = tensor.insert %v into %x[%i] : tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

// A module that needs none is as without strict.
memref_pool.pool @ws workspace
func.func @main(%v: i8) -> tensor<4xi8> {
  %0 = tensor.splat %v : tensor<4xi8>
  return %0 : tensor<4xi8>
}
