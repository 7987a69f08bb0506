// RUN: forebay-opt %s --split-input-file --accel-fuse-host=offset=128 | FileCheck %s

// The bias takes the zero point, but for 128: 10 - (-4 + 128) * (1 + 2 + 3) = -734.
// CHECK-LABEL: func.func @zero_point_in_bias(
func.func @zero_point_in_bias(%x: tensor<1x2x2x3xi8>) -> tensor<1x2x2x1xi32> {
  %w = "tosa.const"() <{values = dense<[[[[1, 2, 3]]]]> : tensor<1x1x1x3xi8>}> : () -> tensor<1x1x1x3xi8>
  %b = "tosa.const"() <{values = dense<10> : tensor<1xi32>}> : () -> tensor<1xi32>
  %zx = "tosa.const"() <{values = dense<-4> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zw = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // CHECK:      %[[BIAS:.*]] = "tosa.const"() <{values = dense<-734> : tensor<1xi32>}>
  // CHECK:      accel.reduce [2, 2 | 3] {{.*}} params(%[[BIAS]] :
  // CHECK:        arith.constant 128 : i32
  %0 = tosa.conv2d %x, %w, %b, %zx, %zw {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x2x2x3xi8>, tensor<1x1x1x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2x1xi32>
  return %0 : tensor<1x2x2x1xi32>
}

// -----

// A source of floats has no zero point, and gets none.
// CHECK-LABEL: func.func @floats(
func.func @floats(%x: tensor<1x2x2x3xf32>) -> tensor<1x2x2x1xf32> {
  %w = "tosa.const"() <{values = dense<[[[[1.0, 2.0, 3.0]]]]> : tensor<1x1x1x3xf32>}> : () -> tensor<1x1x1x3xf32>
  %b = "tosa.const"() <{values = dense<10.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  // CHECK:      accel.reduce [2, 2 | 3]
  // CHECK-NOT:  128
  // CHECK:      arith.mulf
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x2x2x3xf32>, tensor<1x1x1x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x2x1xf32>
  return %0 : tensor<1x2x2x1xf32>
}
