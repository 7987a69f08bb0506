// RUN: forebay-opt %s --accel-expand-softmax | FileCheck %s

// CHECK-LABEL: func.func @quantised(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x3x10xi8>
func.func @quantised(%x: tensor<2x3x10xi8>) -> tensor<2x3x10xi8> {
  // A row is the last dimension.
  // CHECK-NOT: tosa.reshape
  // exp(0) is the largest Q0.31.
  // CHECK: %[[EXPS:.*]] = arith.constant dense<{{.*}}> : tensor<256xi32>
  // CHECK: %[[HIGHEST:.*]] = accel.reduce [2, 3 | 10] ins(%[[X]]
  // CHECK: %[[ZEROS:.*]] = accel.reduce [2, 3] outs(
  // CHECK: %[[TOTAL:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]{{.*}} ins(%[[X]], %[[HIGHEST]] : {{.*}}) outs(%[[ZEROS]]
  // CHECK:   tensor.extract %[[EXPS]]
  // CHECK: %[[INVERSE:.*]] = accel.reduce [2, 3] params(%[[TOTAL]]
  // CHECK: %[[SHIFT:.*]] = accel.reduce [2, 3] params(%[[TOTAL]]
  // CHECK: %[[Y:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel"]{{.*}} ins(%[[X]], %[[HIGHEST]], %[[INVERSE]], %[[SHIFT]] : {{.*}}) outs(
  // CHECK:   tensor.extract %[[EXPS]]
  // CHECK: return %[[Y]]
  %y = tosa.custom %x {domain_name = "forebay.tflite", operator_name = "softmax", implementation_attrs = "",
    accel.softmax = {diff_min = -248 : i32, input_left_shift = 23 : i32, input_multiplier = 1717986918 : i32}}
    : (tensor<2x3x10xi8>) -> tensor<2x3x10xi8>
  return %y : tensor<2x3x10xi8>
}

// CHECK-LABEL: func.func @floats(
func.func @floats(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  // CHECK: %[[HIGHEST:.*]] = accel.reduce [| 4] ins(%[[X:[a-z0-9]+]] :
  // CHECK: %[[EXPS:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[HIGHEST]] :
  // CHECK:   math.exp
  // CHECK: %[[TOTAL:.*]] = accel.reduce [| 4] ins(%[[EXPS]] :
  // The quotients overwrite the exponentials.
  // CHECK: linalg.generic {{.*}} ins(%[[TOTAL]] : {{.*}}) outs(%[[EXPS]] :
  // CHECK:   arith.divf
  %y = tosa.custom %x {domain_name = "forebay.tflite", operator_name = "softmax", implementation_attrs = "",
    accel.softmax = {beta = 1.0 : f32}} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}
