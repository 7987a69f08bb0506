// RUN: forebay-opt %s --split-input-file --memref-pool-assign --memref-pool-check-assigned | FileCheck %s

// One program, three machines that differ in which operands are constrained to @act: the output alone needs no copy,
// what is overwritten in place one, and operand 1 one of that very operand.
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @l2 workspace
memref_pool.pool @act workspace
accel.intrinsic @npu.out on @npu symbol "f" operands [
  #accel.operand<name = "a", access = in>, #accel.operand<name = "b", access = in>,
  #accel.operand<name = "y", access = out, pools = [@act]>]
accel.intrinsic @npu.inout on @npu symbol "f" operands [
  #accel.operand<name = "a", access = in>, #accel.operand<name = "b", access = in>,
  #accel.operand<name = "y", access = inout, pools = [@act]>]
accel.intrinsic @npu.b on @npu symbol "f" operands [
  #accel.operand<name = "a", access = in>, #accel.operand<name = "b", access = in, pools = [@act]>,
  #accel.operand<name = "y", access = out>]

// CHECK-LABEL: func.func @out
func.func @out(%v: i8, %i: index) -> i8 {
  // CHECK-COUNT-2: tensor.splat %{{.*}} : tensor<4xi8, #memref_pool.space<@l2>>
  // CHECK-NOT:     memref_pool.copy
  %a = tensor.splat %v {memref_pool.candidates = #memref_pool.space<@l2>} : tensor<4xi8>
  %b = tensor.splat %v {memref_pool.candidates = #memref_pool.space<@l2>} : tensor<4xi8>
  // CHECK: accel.call @npu.out {{.*}} -> tensor<4xi8, #memref_pool.space<@act>>
  %y = accel.call @npu.out ins(%a, %b : tensor<4xi8>, tensor<4xi8>) outs(%a : tensor<4xi8>) -> tensor<4xi8>
  %r = tensor.extract %y[%i] : tensor<4xi8>
  return %r : i8
}

// CHECK-LABEL: func.func @inout
func.func @inout(%v: i8, %i: index) -> i8 {
  // CHECK: %[[A:.*]] = tensor.splat
  %a = tensor.splat %v {memref_pool.candidates = #memref_pool.space<@l2>} : tensor<4xi8>
  // CHECK: %[[B:.*]] = tensor.splat
  %b = tensor.splat %v {memref_pool.candidates = #memref_pool.space<@l2>} : tensor<4xi8>
  // CHECK: %[[COPY:.*]] = memref_pool.copy %[[A]]
  // CHECK: accel.call @npu.inout ins(%[[A]], %[[B]] : {{.*}} outs(%[[COPY]] : tensor<4xi8, #memref_pool.space<@act>>)
  // CHECK-NOT: memref_pool.copy
  %y = accel.call @npu.inout ins(%a, %b : tensor<4xi8>, tensor<4xi8>) outs(%a : tensor<4xi8>) accumulate [0] -> tensor<4xi8>
  %r = tensor.extract %y[%i] : tensor<4xi8>
  return %r : i8
}

// CHECK-LABEL: func.func @operand_b
func.func @operand_b(%v: i8, %i: index) -> i8 {
  // CHECK: %[[A:.*]] = tensor.splat
  %a = tensor.splat %v {memref_pool.candidates = #memref_pool.space<@l2>} : tensor<4xi8>
  // CHECK: %[[B:.*]] = tensor.splat
  %b = tensor.splat %v {memref_pool.candidates = #memref_pool.space<@l2>} : tensor<4xi8>
  %e = tensor.empty() : tensor<4xi8>
  // CHECK: %[[COPY:.*]] = memref_pool.copy %[[B]]
  // CHECK: accel.call @npu.b ins(%[[A]], %[[COPY]] :
  // CHECK-SAME: -> tensor<4xi8, #memref_pool.space<[@l2, @act]>>
  // CHECK-NOT: memref_pool.copy
  %y = accel.call @npu.b ins(%a, %b : tensor<4xi8>, tensor<4xi8>) outs(%e : tensor<4xi8>) -> tensor<4xi8>
  %r = tensor.extract %y[%i] : tensor<4xi8>
  return %r : i8
}

// -----

// Devices are compared by their whole names: @c is neither @accel nor @cpu, and what @accel uses is never in @dtcm.
accel.device @cpu kind "cpu" host
accel.device @accel kind "npu"
accel.device @c kind "npu"
memref_pool.pool @dtcm workspace capacity 1000 read [@cpu, @c] write [@cpu, @c]
memref_pool.pool @sram workspace read [@cpu, @accel] write [@cpu, @accel]
memref_pool.pool @itcm constant capacity 5000 read [@cpu]
memref_pool.pool @flash constant read [@cpu, @accel]
accel.intrinsic @accel.f on @accel symbol "f" operands [
  #accel.operand<name = "x", access = in>, #accel.operand<name = "w", access = in>, #accel.operand<name = "y", access = out>]
accel.intrinsic @c.g on @c symbol "g" operands [#accel.operand<name = "y", access = out>]

// CHECK-LABEL: func.func @main
func.func @main(%v: i8, %i: index) -> (i8, i8, i8) {
  // CHECK: arith.constant dense<1> : tensor<4xi8, #memref_pool.space<@flash>>
  %w = arith.constant dense<1> : tensor<4xi8>
  // CHECK: arith.constant dense<2> : tensor<4xi8, #memref_pool.space<[@itcm, @flash]>>
  %k = arith.constant dense<2> : tensor<4xi8>
  // CHECK: tensor.splat %{{.*}} : tensor<1001xi8, #memref_pool.space<[@dtcm, @sram]>>
  %h = tensor.splat %v : tensor<1001xi8>
  // CHECK: tensor.splat %{{.*}} : tensor<4xi8, #memref_pool.space<@sram>>
  %x = tensor.splat %v : tensor<4xi8>
  %e = tensor.empty() : tensor<4xi8>
  // CHECK: accel.call @accel.f {{.*}} -> tensor<4xi8, #memref_pool.space<@sram>>
  %y = accel.call @accel.f ins(%x, %w : tensor<4xi8>, tensor<4xi8>) outs(%e : tensor<4xi8>) -> tensor<4xi8>
  // CHECK: accel.call @c.g {{.*}} -> tensor<4xi8, #memref_pool.space<@dtcm>>
  %z = accel.call @c.g outs(%e : tensor<4xi8>) -> tensor<4xi8>
  %0 = tensor.extract %y[%i] : tensor<4xi8>
  %1 = tensor.extract %z[%i] : tensor<4xi8>
  %2 = tensor.extract %k[%i] : tensor<4xi8>
  %3 = tensor.extract %h[%i] : tensor<1001xi8>
  %4 = arith.addi %2, %3 : i8
  return %0, %1, %4 : i8, i8, i8
}

// -----

// A part with gaps is copied before an intrinsic gets it; a row of it is not, wherever it begins. A constant that two
// devices read in different pools of constants is there twice, which copies nothing at run time; one that a device can
// only read in a workspace is copied. Copies of what a loop leaves alone are made before it.
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @ws workspace
memref_pool.pool @flash constant read [@cpu]
memref_pool.pool @wei constant read [@npu]
accel.intrinsic @npu.f on @npu symbol "f" operands [
  #accel.operand<name = "x", access = in>, #accel.operand<name = "y", access = out>]
accel.intrinsic @npu.g on @npu symbol "g" operands [
  #accel.operand<name = "x", access = in, pools = [@ws]>, #accel.operand<name = "y", access = out>]

// CHECK-LABEL: func.func @parts
func.func @parts(%v: i8, %i: index) -> (i8, i8) {
  %x = tensor.splat %v : tensor<4x4xi8>
  %e = tensor.empty() : tensor<8xi8>
  // CHECK: %[[ROWS:.*]] = tensor.extract_slice %{{.*}}[2, 0] [2, 4] [1, 1]
  // CHECK-NOT: memref_pool.copy
  // CHECK: accel.call @npu.f ins(%[[ROWS]]
  %rows = tensor.extract_slice %x[2, 0] [2, 4] [1, 1] : tensor<4x4xi8> to tensor<2x4xi8>
  %0 = accel.call @npu.f ins(%rows : tensor<2x4xi8>) outs(%e : tensor<8xi8>) -> tensor<8xi8>
  // CHECK: %[[COLUMNS:.*]] = tensor.extract_slice %{{.*}}[0, 0] [4, 2] [1, 1]
  // CHECK: %[[COPY:.*]] = memref_pool.copy %[[COLUMNS]]
  // CHECK: accel.call @npu.f ins(%[[COPY]]
  %columns = tensor.extract_slice %x[0, 0] [4, 2] [1, 1] : tensor<4x4xi8> to tensor<4x2xi8>
  %f = tensor.empty() : tensor<8xi8>
  %1 = accel.call @npu.f ins(%columns : tensor<4x2xi8>) outs(%f : tensor<8xi8>) -> tensor<8xi8>
  %2 = tensor.extract %0[%i] : tensor<8xi8>
  %3 = tensor.extract %1[%i] : tensor<8xi8>
  return %2, %3 : i8, i8
}

// CHECK-LABEL: func.func @constants
func.func @constants(%i: index, %n: index) -> (i8, i8, i8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK-DAG: %[[HERE:.*]] = arith.constant dense<[1, 2]> : tensor<2xi8, #memref_pool.space<@flash>>
  // CHECK-DAG: %[[THERE:.*]] = arith.constant dense<[1, 2]> : tensor<2xi8, #memref_pool.space<@wei>>
  %w = arith.constant dense<[1, 2]> : tensor<2xi8>
  // CHECK-NOT: memref_pool.copy
  // CHECK: tensor.extract %[[HERE]]
  %0 = tensor.extract %w[%i] : tensor<2xi8>
  // CHECK: accel.call @npu.f ins(%[[THERE]]
  %e = tensor.empty() : tensor<2xi8>
  %1 = accel.call @npu.f ins(%w : tensor<2xi8>) outs(%e : tensor<2xi8>) -> tensor<2xi8>
  // CHECK: %[[COPY:.*]] = memref_pool.copy %{{.*}} into %{{.*}} : tensor<2xi8, #memref_pool.space<@flash>>
  // CHECK: scf.for
  // CHECK: accel.call @npu.g ins(%[[COPY]]
  // CHECK-NOT: memref_pool.copy
  %k = arith.constant dense<[3, 4]> : tensor<2xi8>
  %f = tensor.empty() : tensor<2xi8>
  %2 = scf.for %j = %c0 to %n step %c1 iter_args(%it = %f) -> tensor<2xi8> {
    %4 = accel.call @npu.g ins(%k : tensor<2xi8>) outs(%it : tensor<2xi8>) -> tensor<2xi8>
    scf.yield %4 : tensor<2xi8>
  }
  %5 = tensor.extract %1[%i] : tensor<2xi8>
  %6 = tensor.extract %2[%i] : tensor<2xi8>
  return %0, %5, %6 : i8, i8, i8
}
