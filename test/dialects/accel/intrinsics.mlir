// RUN: forebay-opt %s | forebay-opt | FileCheck %s
// RUN: forebay-opt %s --mlir-print-op-generic | forebay-opt | FileCheck %s

// CHECK: accel.device @cpu kind "cortex-m" host
accel.device @cpu kind "cortex-m" host
// CHECK: accel.device @npu0 kind "npu" base 1073741824
accel.device @npu0 kind "npu" base 1073741824

memref_pool.pool @act_mem workspace read [@cpu, @npu0] write [@cpu, @npu0]

// CHECK:      accel.intrinsic @npu0.scale on @npu0 symbol "npu_scale"
// CHECK-SAME:   operands [#accel.operand<name = "x", access = in, pools = [@act_mem], align = 16>,
// CHECK-SAME:             #accel.operand<name = "y", access = out>]
// CHECK-SAME:   scalars ["factor"] {
// CHECK-NEXT: ^bb0(%{{.*}}: memref<?xi8>, %{{.*}}: memref<?xi8>, %{{.*}}: i32):
// CHECK:        accel.yield
accel.intrinsic @npu0.scale on @npu0 symbol "npu_scale"
  operands [#accel.operand<name = "x", access = in, pools = [@act_mem], align = 16>,
            #accel.operand<name = "y", access = out>]
  scalars ["factor"] {
^bb0(%x: memref<?xi8>, %y: memref<?xi8>, %factor: i32):
  %zero = arith.constant 0 : index
  %value = memref.load %x[%zero] : memref<?xi8>
  %narrow = arith.trunci %factor : i32 to i8
  %product = arith.muli %value, %narrow : i8
  memref.store %product, %y[%zero] : memref<?xi8>
  accel.yield
}

// CHECK: accel.intrinsic @npu0.add on @npu0 symbol "npu_add" operands [#accel.operand<name = "y", access = inout>]{{$}}
accel.intrinsic @npu0.add on @npu0 symbol "npu_add" operands [#accel.operand<name = "y", access = inout>]

// CHECK-LABEL: func.func @on_tensors
func.func @on_tensors(%x: tensor<1xi8>, %e: tensor<1xi8>) -> tensor<1xi8> {
  // CHECK: %[[Y:.*]] = accel.call @npu0.scale ins(%{{.*}} : tensor<1xi8>) outs(%{{.*}} : tensor<1xi8>) config {factor = 3 : i64} -> tensor<1xi8>
  %y = accel.call @npu0.scale ins(%x : tensor<1xi8>) outs(%e : tensor<1xi8>) config {factor = 3} -> tensor<1xi8>
  // CHECK: accel.call @npu0.add outs(%[[Y]] : tensor<1xi8>) accumulate [0] -> tensor<1xi8>
  %z = accel.call @npu0.add outs(%y : tensor<1xi8>) accumulate [0] -> tensor<1xi8>
  return %z : tensor<1xi8>
}

// CHECK-LABEL: func.func @on_memrefs
// CHECK-SAME:    attributes {accel.on = @npu0}
func.func @on_memrefs(%x: memref<1xi8>, %y: memref<1xi8>) attributes {accel.on = @npu0} {
  // CHECK: accel.call @npu0.scale ins(%{{.*}} : memref<1xi8>) outs(%{{.*}} : memref<1xi8>) config {factor = 3 : i64}{{$}}
  accel.call @npu0.scale ins(%x : memref<1xi8>) outs(%y : memref<1xi8>) config {factor = 3}
  return
}
