// RUN: forebay-opt %s --split-input-file --verify-diagnostics --memref-pool-check-assigned

memref_pool.pool @ws workspace
func.func @main(%x: tensor<4xi8>) {
  // expected-error @+1 {{a tensor of 'tensor.empty' has no memory space; run memref-pool-assign and no other pass on tensors after it}}
  %e = tensor.empty() : tensor<4xi8>
  return
}

// -----

memref_pool.pool @ws workspace
func.func @main() {
  // expected-error @+1 {{the encoding 3 : i64 of a tensor of 'tensor.empty' is not a memory space}}
  %e = tensor.empty() : tensor<4xi8, 3>
  return
}

// -----

memref_pool.pool @ws workspace
func.func @main() {
  // expected-error @+1 {{a tensor of 'tensor.empty' may live in @elsewhere, which is not a pool of the module}}
  %e = tensor.empty() : tensor<4xi8, #memref_pool.space<[@ws, @elsewhere]>>
  return
}

// -----

memref_pool.pool @ws workspace
memref_pool.pool @other workspace
func.func @main() {
  %e = tensor.empty() : tensor<4xi8, #memref_pool.space<@ws>>
  // expected-error @+1 {{a cast from tensor<4xi8, #memref_pool.space<@ws>> to tensor<4xi8, #memref_pool.space<@other>> would move bytes between pools unasked; use memref_pool.copy}}
  %c = tensor.cast %e : tensor<4xi8, #memref_pool.space<@ws>> to tensor<4xi8, #memref_pool.space<@other>>
  return
}

// -----

memref_pool.pool @ws workspace
func.func @main() {
  %e = tensor.empty() : tensor<4xi8, #memref_pool.space<@ws>>
  // expected-error @+1 {{a tensor without a rank cannot be placed in a pool}}
  %c = tensor.cast %e : tensor<4xi8, #memref_pool.space<@ws>> to tensor<*xi8>
  return
}

// -----

// A space that somebody has widened behind the assignment.
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @l2 workspace
memref_pool.pool @act workspace
accel.intrinsic @npu.f on @npu symbol "f" operands [#accel.operand<name = "y", access = out, pools = [@l2]>]
func.func @main() {
  %e = tensor.empty() : tensor<4xi8, #memref_pool.space<[@l2, @act]>>
  // expected-error @+1 {{operand "y" of @npu.f may be in @l2, but its tensor may come to live in @act; run memref-pool-assign again after the change}}
  %0 = accel.call @npu.f outs(%e : tensor<4xi8, #memref_pool.space<[@l2, @act]>>) -> tensor<4xi8, #memref_pool.space<[@l2, @act]>>
  return
}
