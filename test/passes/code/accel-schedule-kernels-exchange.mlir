// RUN: forebay-opt %s --split-input-file --accel-schedule-kernels=cpu=cortex-m4 | FileCheck %s --check-prefixes=CHECK,M4
// RUN: forebay-opt %s --split-input-file --accel-schedule-kernels=cpu=cortex-m55 | FileCheck %s --check-prefixes=CHECK,M55
// RUN: forebay-opt %s --split-input-file --accel-schedule-kernels | FileCheck %s --check-prefix=PLAIN

#x = affine_map<(p, c, k) -> (p, k)>
#w = affine_map<(p, c, k) -> (c, k)>
#o = affine_map<(p, c) -> (p, c)>

// The weights have a zero point. They become the first factors, since products of words add a constant to these only.
// CHECK-LABEL: func.func @weights_with_zero_point(
// CHECK-SAME:    %[[X:.*]]: memref<48x64xi8>, %[[W:.*]]: memref<32x64xi8>
// M4:            accel.reduce [48, 32 | 64] ins(%[[W]], %[[X]] : {{.*}} words [1, 1, 4] init
// M55:           accel.reduce [{{48, 32|32, 48}} | 64] ins(%[[W]], %[[X]] : {{.*}} words [1, 1, 16] init
// CHECK:         ^bb0(%{{.*}}: i32, %[[FIRST:.*]]: i8, %[[SECOND:.*]]: i8):
// CHECK-DAG:       arith.extsi %[[SECOND]]
// CHECK-DAG:       %[[WIDE:.*]] = arith.extsi %[[FIRST]]
// CHECK:           arith.addi %[[WIDE]], %c39_i32
// Without words the order is that of before.
// PLAIN-LABEL: func.func @weights_with_zero_point(
// PLAIN-SAME:    %[[X:.*]]: memref<48x64xi8>, %[[W:.*]]: memref<32x64xi8>
// PLAIN:         ins(%[[X]], %[[W]] :
func.func @weights_with_zero_point(%x: memref<48x64xi8>, %w: memref<32x64xi8>, %o: memref<48x32xi32>) {
  accel.reduce [48, 32 | 64] ins(%x, %w : memref<48x64xi8>, memref<32x64xi8>)
    outs(%o : memref<48x32xi32>) maps [#x, #w, #o] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %c39_i32 = arith.constant 39 : i32
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %w2 = arith.addi %w1, %c39_i32 : i32
      %product = arith.muli %x1, %w2 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

#x = affine_map<(p, c, k) -> (p, k)>
#w = affine_map<(p, c, k) -> (c, k)>
#o = affine_map<(p, c) -> (p, c)>

// Both factors have a zero point, so there are no words.
// CHECK-LABEL: func.func @two_zero_points(
// CHECK-SAME:    %[[X:.*]]: memref<48x64xi8>, %[[W:.*]]: memref<32x64xi8>
// CHECK:         ins(%[[X]], %[[W]] :
// CHECK-NOT:     words
func.func @two_zero_points(%x: memref<48x64xi8>, %w: memref<32x64xi8>, %o: memref<48x32xi32>) {
  accel.reduce [48, 32 | 64] ins(%x, %w : memref<48x64xi8>, memref<32x64xi8>)
    outs(%o : memref<48x32xi32>) maps [#x, #w, #o] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %c39_i32 = arith.constant 39 : i32
      %x1 = arith.extsi %x0 : i8 to i32
      %x2 = arith.addi %x1, %c39_i32 : i32
      %w1 = arith.extsi %w0 : i8 to i32
      %w2 = arith.addi %w1, %c39_i32 : i32
      %product = arith.muli %x2, %w2 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}
