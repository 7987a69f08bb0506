// RUN: forebay-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map buffer-alignment=0" | FileCheck %s

#x = affine_map<(c, k) -> (c + k)>
#o = affine_map<(c) -> (c)>

// outs is written and not read: no copy of it, and the result is its buffer.
// CHECK-LABEL: func.func @sum
// CHECK-SAME:    %[[X:.*]]: memref<4xi8>
// CHECK:         %[[OUT:.*]] = memref.alloc() : memref<3xi8>
// CHECK-NOT:     memref.copy
// CHECK:         accel.reduce [3 | 2] ins(%[[X]] : memref<4xi8>) outs(%[[OUT]] : memref<3xi8>)
// CHECK:         return %[[OUT]] : memref<3xi8>
func.func @sum(%x: tensor<4xi8>) -> tensor<3xi8> {
  %e = tensor.empty() : tensor<3xi8>
  %r = accel.reduce [3 | 2] ins(%x : tensor<4xi8>) outs(%e : tensor<3xi8>) maps [#x, #o] init {
    %z = arith.constant 0 : i8
    accel.yield %z : i8
  } body {
  ^bb0(%acc: i8, %xe: i8):
    %s = arith.addi %acc, %xe : i8
    accel.yield %s : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  } -> tensor<3xi8>
  return %r : tensor<3xi8>
}

accel.device @npu kind "npu"
accel.intrinsic @fill on @npu symbol "fill" operands [#accel.operand<name = "y", access = out>]
accel.intrinsic @add on @npu symbol "add"
  operands [#accel.operand<name = "x", access = in>, #accel.operand<name = "y", access = inout>]

// An out is written and not read: the function's result needs no copy of %x.
// CHECK-LABEL: func.func @call_out
// CHECK:         %[[OUT:.*]] = memref.alloc() : memref<4xi8>
// CHECK-NOT:     memref.copy
// CHECK:         accel.call @fill outs(%[[OUT]] : memref<4xi8>)
// CHECK:         return
func.func @call_out(%x: tensor<4xi8> {bufferization.writable = false}) -> tensor<4xi8> {
  %0 = accel.call @fill outs(%x : tensor<4xi8>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// An inout is read as well: its old value is copied where it must survive.
// CHECK-LABEL: func.func @call_inout
// CHECK-SAME:    %[[X:.*]]: memref<4xi8>
// CHECK:         %[[OUT:.*]] = memref.alloc() : memref<4xi8>
// CHECK:         memref.copy %[[X]], %[[OUT]]
// CHECK:         accel.call @add ins(%[[X]] : memref<4xi8>) outs(%[[OUT]] : memref<4xi8>) accumulate [0]
func.func @call_inout(%x: tensor<4xi8> {bufferization.writable = false}) -> tensor<4xi8> {
  %0 = accel.call @add ins(%x : tensor<4xi8>) outs(%x : tensor<4xi8>) accumulate [0] -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

#row = affine_map<(c, k) -> (c, k)>
// The rest of outs stays as it is, so %o, which has another use, is copied; the first box does not read the accumulator.
// CHECK-LABEL: func.func @box_of_sums
// CHECK-SAME:    %[[X:.*]]: memref<4x2xi8>, %[[O:[a-z0-9]*]]: memref<4xi8>
// CHECK-DAG:     %[[SUMS:.*]] = memref.alloc() : memref<2xi8>
// CHECK-DAG:     %[[OUT:.*]] = memref.alloc() : memref<4xi8>
// CHECK:         memref.copy %[[O]], %[[OUT]]
// CHECK-NOT:     memref.copy
// CHECK:         accel.reduce [4 | 2] at [%[[Y:.*]] | 0] sizes [2 | 1] ins(%[[X]] : memref<4x2xi8>) outs(%[[OUT]] : memref<4xi8>) accumulators(%[[SUMS]] : memref<2xi8>)
// CHECK:         accel.reduce [4 | 2] at [%[[Y]] | 1] sizes [2 | 1] ins(%[[X]] : memref<4x2xi8>) outs(%[[OUT]] : memref<4xi8>) accumulators(%[[SUMS]] : memref<2xi8>)
// CHECK:         return %[[OUT]], %[[O]]
func.func @box_of_sums(%x: tensor<4x2xi8>, %o: tensor<4xi8>, %y: index) -> (tensor<4xi8>, tensor<4xi8>) {
  %e = tensor.empty() : tensor<2xi8>
  %0:2 = accel.reduce [4 | 2] at [%y | 0] sizes [2 | 1] ins(%x : tensor<4x2xi8>) outs(%o : tensor<4xi8>) accumulators(%e : tensor<2xi8>) maps [#row, #o] init {
    %z = arith.constant 0 : i8
    accel.yield %z : i8
  } body {
  ^bb0(%acc: i8, %xe: i8):
    %s = arith.addi %acc, %xe : i8
    accel.yield %s : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  } -> tensor<4xi8>, tensor<2xi8>
  %1:2 = accel.reduce [4 | 2] at [%y | 1] sizes [2 | 1] ins(%x : tensor<4x2xi8>) outs(%0#0 : tensor<4xi8>) accumulators(%0#1 : tensor<2xi8>) maps [#row, #o] init {
    %z = arith.constant 0 : i8
    accel.yield %z : i8
  } body {
  ^bb0(%acc: i8, %xe: i8):
    %s = arith.addi %acc, %xe : i8
    accel.yield %s : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  } -> tensor<4xi8>, tensor<2xi8>
  return %1#0, %o : tensor<4xi8>, tensor<4xi8>
}
