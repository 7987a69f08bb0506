// RUN: forebay-opt %s --split-input-file --memref-pool-assign --memref-pool-check-assigned | FileCheck %s
// RUN: forebay-opt %s --split-input-file --memref-pool-assign --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=WHY

// Constraints of the operands of intrinsics reach through the call into the caller: what the host lays out for the
// fetcher goes to @l2_mem, what the convolution leaves for the host to @act_mem. No copy but the one that hands out.
accel.device @cpu kind "cpu" host
accel.device @accel kind "npu"
memref_pool.pool @l2_mem workspace read [@cpu] write [@cpu]
memref_pool.pool @act_mem workspace read [@cpu, @accel] write [@cpu, @accel]
memref_pool.pool @wei_mem constant read [@accel]
accel.intrinsic @accel.fetch on @accel symbol "accel_input_fetcher" operands [
  #accel.operand<name = "x", access = in, pools = [@l2_mem]>, #accel.operand<name = "y", access = out, pools = [@act_mem]>]
accel.intrinsic @accel.conv on @accel symbol "accel_conv2d" operands [
  #accel.operand<name = "x", access = in, pools = [@act_mem]>, #accel.operand<name = "w", access = in, pools = [@wei_mem]>,
  #accel.operand<name = "y", access = out, pools = [@act_mem]>]

// CHECK-LABEL: func.func private @accel_main_0
// CHECK-SAME:    tensor<4096xi8, #memref_pool.space<@l2_mem>>) -> tensor<8192xi8, #memref_pool.space<@act_mem>>
func.func private @accel_main_0(%x: tensor<4096xi8>) -> tensor<8192xi8> attributes {accel.on = @accel} {
  // CHECK: arith.constant dense<1> : tensor<288xi8, #memref_pool.space<@wei_mem>>
  %w = arith.constant dense<1> : tensor<288xi8>
  // CHECK: tensor.empty() : tensor<4624xi8, #memref_pool.space<@act_mem>>
  %e = tensor.empty() : tensor<4624xi8>
  %f = accel.call @accel.fetch ins(%x : tensor<4096xi8>) outs(%e : tensor<4624xi8>) -> tensor<4624xi8>
  // CHECK: tensor.empty() : tensor<8192xi8, #memref_pool.space<@act_mem>>
  %g = tensor.empty() : tensor<8192xi8>
  %c = accel.call @accel.conv ins(%f, %w : tensor<4624xi8>, tensor<288xi8>) outs(%g : tensor<8192xi8>) -> tensor<8192xi8>
  return %c : tensor<8192xi8>
}

// CHECK-LABEL: func.func @main
func.func @main(%data: tensor<3072xi8>) -> tensor<5120xi8> {
  %zero = arith.constant 0 : i8
  // CHECK: tensor<3072xi8> to tensor<4096xi8, #memref_pool.space<@l2_mem>>
  %sid_1 = tensor.pad %data low[0] high[1024] {
  ^bb0(%i: index):
    tensor.yield %zero : i8
  } : tensor<3072xi8> to tensor<4096xi8>
  %sid_3 = call @accel_main_0(%sid_1) : (tensor<4096xi8>) -> tensor<8192xi8>
  // CHECK: tensor.extract_slice %{{.*}} to tensor<5120xi8, #memref_pool.space<@act_mem>>
  // CHECK-NEXT: tensor.empty() : tensor<5120xi8>
  // CHECK-NEXT: memref_pool.copy
  // CHECK-NOT:  memref_pool.copy
  %out = tensor.extract_slice %sid_3[0] [5120] [1] : tensor<8192xi8> to tensor<5120xi8>
  return %out : tensor<5120xi8>
}

// -----

// The same with the calls in the caller itself: the same sets.
accel.device @cpu kind "cpu" host
accel.device @accel kind "npu"
memref_pool.pool @l2_mem workspace read [@cpu] write [@cpu]
memref_pool.pool @act_mem workspace read [@cpu, @accel] write [@cpu, @accel]
memref_pool.pool @wei_mem constant read [@accel]
accel.intrinsic @accel.fetch on @accel symbol "accel_input_fetcher" operands [
  #accel.operand<name = "x", access = in, pools = [@l2_mem]>, #accel.operand<name = "y", access = out, pools = [@act_mem]>]
accel.intrinsic @accel.conv on @accel symbol "accel_conv2d" operands [
  #accel.operand<name = "x", access = in, pools = [@act_mem]>, #accel.operand<name = "w", access = in, pools = [@wei_mem]>,
  #accel.operand<name = "y", access = out, pools = [@act_mem]>]

// CHECK-LABEL: func.func @main
func.func @main(%data: tensor<3072xi8>) -> tensor<5120xi8> {
  %zero = arith.constant 0 : i8
  // CHECK: arith.constant dense<1> : tensor<288xi8, #memref_pool.space<@wei_mem>>
  %w = arith.constant dense<1> : tensor<288xi8>
  // CHECK: tensor<3072xi8> to tensor<4096xi8, #memref_pool.space<@l2_mem>>
  %sid_1 = tensor.pad %data low[0] high[1024] {
  ^bb0(%i: index):
    tensor.yield %zero : i8
  } : tensor<3072xi8> to tensor<4096xi8>
  %e = tensor.empty() : tensor<4624xi8>
  // CHECK: accel.call @accel.fetch {{.*}} -> tensor<4624xi8, #memref_pool.space<@act_mem>>
  %f = accel.call @accel.fetch ins(%sid_1 : tensor<4096xi8>) outs(%e : tensor<4624xi8>) -> tensor<4624xi8>
  %g = tensor.empty() : tensor<8192xi8>
  // CHECK: accel.call @accel.conv {{.*}} -> tensor<8192xi8, #memref_pool.space<@act_mem>>
  %sid_3 = accel.call @accel.conv ins(%f, %w : tensor<4624xi8>, tensor<288xi8>) outs(%g : tensor<8192xi8>) -> tensor<8192xi8>
  // CHECK: tensor.extract_slice %{{.*}} to tensor<5120xi8, #memref_pool.space<@act_mem>>
  // CHECK-NEXT: tensor.empty() : tensor<5120xi8>
  // CHECK-NEXT: memref_pool.copy
  // CHECK-NOT:  memref_pool.copy
  %out = tensor.extract_slice %sid_3[0] [5120] [1] : tensor<8192xi8> to tensor<5120xi8>
  return %out : tensor<5120xi8>
}

// -----

// Without the constraint on its output and with rights on @l2_mem, the convolution's result may be in either, the
// preferred one first; and without those rights in @act_mem still.
accel.device @cpu kind "cpu" host
accel.device @accel kind "npu"
accel.device @other kind "npu"
memref_pool.pool @l2_mem workspace read [@cpu, @accel] write [@cpu, @accel]
memref_pool.pool @act_mem workspace
accel.intrinsic @accel.conv on @accel symbol "accel_conv2d" operands [
  #accel.operand<name = "x", access = in, pools = [@act_mem]>, #accel.operand<name = "y", access = out>]
accel.intrinsic @other.conv on @other symbol "accel_conv2d" operands [
  #accel.operand<name = "x", access = in, pools = [@act_mem]>, #accel.operand<name = "y", access = out>]

// CHECK-LABEL: func.func @granted
func.func @granted(%x: tensor<16xi8>, %i: index) -> (i8, i8) {
  // CHECK: memref_pool.copy %{{.*}} into %{{.*}} -> tensor<16xi8, #memref_pool.space<@act_mem>>
  %e = tensor.empty() : tensor<16xi8>
  // CHECK: accel.call @accel.conv {{.*}} -> tensor<16xi8, #memref_pool.space<[@l2_mem, @act_mem]>>
  %0 = accel.call @accel.conv ins(%x : tensor<16xi8>) outs(%e : tensor<16xi8>) -> tensor<16xi8>
  %f = tensor.empty() : tensor<16xi8>
  // CHECK-NOT: memref_pool.copy
  // CHECK: accel.call @other.conv {{.*}} -> tensor<16xi8, #memref_pool.space<@act_mem>>
  %1 = accel.call @other.conv ins(%x : tensor<16xi8>) outs(%f : tensor<16xi8>) -> tensor<16xi8>
  %2 = tensor.extract %0[%i] : tensor<16xi8>
  %3 = tensor.extract %1[%i] : tensor<16xi8>
  return %2, %3 : i8, i8
}

// -----

// Two convolutions in a row need no copy between them. Where one value is wanted in two pools there is one copy, made
// by the host, just before the first of those who want it there; all of them share it.
accel.device @cpu kind "cpu" host
accel.device @accel kind "npu"
memref_pool.pool @l2 workspace read [@cpu] write [@cpu]
memref_pool.pool @act workspace
accel.intrinsic @accel.conv on @accel symbol "conv" operands [
  #accel.operand<name = "x", access = in, pools = [@act]>, #accel.operand<name = "y", access = out, pools = [@act]>]
accel.intrinsic @accel.sum on @accel symbol "sum" operands [
  #accel.operand<name = "x", access = in, pools = [@l2]>, #accel.operand<name = "y", access = out, pools = [@act]>]

// CHECK-LABEL: func.func private @chain
func.func private @chain(%x: tensor<16xi8>) -> (tensor<16xi8>, tensor<16xi8>, tensor<16xi8>) attributes {accel.on = @accel} {
  %e = tensor.empty() : tensor<16xi8>
  // CHECK: %[[A:.*]] = accel.call @accel.conv
  %0 = accel.call @accel.conv ins(%x : tensor<16xi8>) outs(%e : tensor<16xi8>) -> tensor<16xi8>
  %f = tensor.empty() : tensor<16xi8>
  // CHECK: %[[B:.*]] = accel.call @accel.conv ins(%[[A]]
  %1 = accel.call @accel.conv ins(%0 : tensor<16xi8>) outs(%f : tensor<16xi8>) -> tensor<16xi8>
  %g = tensor.empty() : tensor<16xi8>
  // CHECK:      %[[T:.*]] = tensor.empty() : tensor<16xi8, #memref_pool.space<@l2>>
  // CHECK-NEXT: %[[C:.*]] = memref_pool.copy %[[B]] into %[[T]] {accel.on = @cpu}
  // WHY: memref_pool.copy {{.*}} loc("copy for operand \22x\22 of @accel.sum"("{{.*}}.mlir":[[# @LINE + 2]]:8))
  // CHECK-NEXT: accel.call @accel.sum ins(%[[C]]
  %2 = accel.call @accel.sum ins(%1 : tensor<16xi8>) outs(%g : tensor<16xi8>) -> tensor<16xi8>
  %h = tensor.empty() : tensor<16xi8>
  // CHECK-NOT:  memref_pool.copy
  // CHECK:      accel.call @accel.sum ins(%[[C]]
  %3 = accel.call @accel.sum ins(%1 : tensor<16xi8>) outs(%h : tensor<16xi8>) -> tensor<16xi8>
  // CHECK:      return %[[B]]
  return %1, %2, %3 : tensor<16xi8>, tensor<16xi8>, tensor<16xi8>
}

// -----

// A function that is called from two places is one: the caller whose tensor is elsewhere copies.
accel.device @cpu kind "cpu" host
accel.device @accel kind "npu"
memref_pool.pool @l2 workspace read [@cpu] write [@cpu]
memref_pool.pool @act workspace
accel.intrinsic @accel.neg on @accel symbol "neg" operands [
  #accel.operand<name = "x", access = in>, #accel.operand<name = "y", access = out>]

// CHECK-LABEL: func.func private @neg
// CHECK-SAME:    tensor<4xi8, #memref_pool.space<@act>>) -> tensor<4xi8, #memref_pool.space<@act>>
func.func private @neg(%x: tensor<4xi8>) -> tensor<4xi8> {
  %e = tensor.empty() : tensor<4xi8>
  %0 = accel.call @accel.neg ins(%x : tensor<4xi8>) outs(%e : tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: func.func @main
func.func @main(%v: i8) -> tensor<4xi8> {
  // CHECK: tensor.splat %{{.*}} : tensor<4xi8, #memref_pool.space<@act>>
  %0 = tensor.splat %v : tensor<4xi8>
  // CHECK-NOT: memref_pool.copy
  // CHECK: call @neg
  %1 = call @neg(%0) : (tensor<4xi8>) -> tensor<4xi8>
  // CHECK: %[[S:.*]] = tensor.splat %{{.*}} : tensor<4xi8, #memref_pool.space<@l2>>
  %2 = tensor.splat %v {memref_pool.candidates = #memref_pool.space<@l2>} : tensor<4xi8>
  // CHECK: %[[C:.*]] = memref_pool.copy %[[S]]
  // CHECK: call @neg(%[[C]])
  %3 = call @neg(%2) : (tensor<4xi8>) -> tensor<4xi8>
  // CHECK: memref_pool.copy
  // CHECK-NOT: memref_pool.copy
  return %3 : tensor<4xi8>
}

// -----

// A copy inside of a function counts for each of its calls, so the one input of both is copied outside, once. The part
// that does not begin its storage is copied before a call, which takes whole ones.
accel.device @cpu kind "cpu" host
accel.device @accel kind "npu"
memref_pool.pool @act workspace
accel.intrinsic @accel.neg on @accel symbol "neg" operands [
  #accel.operand<name = "x", access = in>, #accel.operand<name = "y", access = out>]

// CHECK-LABEL: func.func private @neg
// CHECK-SAME:    tensor<4xi8, #memref_pool.space<@act>>
// CHECK-NOT:     memref_pool.copy
func.func private @neg(%x: tensor<4xi8>) {
  %e = tensor.empty() : tensor<4xi8>
  %0 = accel.call @accel.neg ins(%x : tensor<4xi8>) outs(%e : tensor<4xi8>) -> tensor<4xi8>
  return
}

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4xi8>, %v: i8) {
  // CHECK: %[[C:.*]] = memref_pool.copy %{{.*}} : tensor<4xi8>, tensor<4xi8, #memref_pool.space<@act>>
  // CHECK: call @neg(%[[C]])
  call @neg(%x) : (tensor<4xi8>) -> ()
  // CHECK: call @neg(%[[C]])
  call @neg(%x) : (tensor<4xi8>) -> ()
  %s = tensor.splat %v : tensor<8xi8>
  // CHECK: %[[BEGIN:.*]] = tensor.extract_slice %{{.*}}[0] [4] [1]
  %0 = tensor.extract_slice %s[0] [4] [1] : tensor<8xi8> to tensor<4xi8>
  // CHECK: call @neg(%[[BEGIN]])
  call @neg(%0) : (tensor<4xi8>) -> ()
  // CHECK: %[[END:.*]] = tensor.extract_slice %{{.*}}[4] [4] [1]
  %1 = tensor.extract_slice %s[4] [4] [1] : tensor<8xi8> to tensor<4xi8>
  // CHECK: %[[D:.*]] = memref_pool.copy %[[END]]
  // CHECK: call @neg(%[[D]])
  call @neg(%1) : (tensor<4xi8>) -> ()
  return
}
