// RUN: forebay-opt %s --accel-expand-scale --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @scales(
func.func @scales(%x: i32, %unused: i32, %m: i32) -> (i32, i32, i32, i32, i32) {
  %one = arith.constant 1073741824 : i32
  %odd = arith.constant 1073741825 : i32
  %s10 = arith.constant 10 : i8
  %s30 = arith.constant 30 : i8
  %s31 = arith.constant 31 : i8
  // 2^30 / 2^10 = 2^20.
  // CHECK: %[[WIDENED:.*]] = arith.muli %arg0, %c1048576_i32 overflow<nsw> : i32
  %0 = tosa.apply_scale %x, %one, %s10 {rounding_mode = SINGLE_ROUND} : (i32, i32, i8) -> i32
  // 2^30 / 2^30 = 1.
  %1 = tosa.apply_scale %x, %one, %s30 {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
  // One half is no whole number, nor is 1 + 2^-30; a factor that is not known may be any.
  // CHECK: %[[HALF:.*]] = tosa.apply_scale %arg0, %c1073741824_i32, %c31_i8
  %2 = tosa.apply_scale %x, %one, %s31 {rounding_mode = SINGLE_ROUND} : (i32, i32, i8) -> i32
  // CHECK: %[[MORE:.*]] = tosa.apply_scale %arg0, %c1073741825_i32, %c30_i8
  %3 = tosa.apply_scale %x, %odd, %s30 {rounding_mode = SINGLE_ROUND} : (i32, i32, i8) -> i32
  // CHECK: %[[ANY:.*]] = tosa.apply_scale %arg0, %arg2, %c30_i8
  %4 = tosa.apply_scale %x, %m, %s30 {rounding_mode = SINGLE_ROUND} : (i32, i32, i8) -> i32
  // CHECK: return %[[WIDENED]], %arg0, %[[HALF]], %[[MORE]], %[[ANY]]
  return %0, %1, %2, %3, %4 : i32, i32, i32, i32, i32
}
