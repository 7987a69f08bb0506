// RUN: forebay-opt %s --accel-share-kernels=cpu=cortex-m4 --split-input-file --mlir-print-debuginfo | FileCheck %s
// RUN: forebay-opt %s --accel-share-kernels --split-input-file | FileCheck %s --check-prefix=SCALAR

#x = affine_map<(d0, d1) -> (d1)>
#w = affine_map<(d0, d1) -> (d0, d1)>
#p = affine_map<(d0) -> (d0)>
#f0 = loc("net.tflite":0:0)
#k0 = loc("OP"(#f0))
#n0 = loc("t0"(#k0))
#f1 = loc("net.tflite":1:0)
#k1 = loc("OP"(#f1))
#n1 = loc("t1"(#k1))
#f2 = loc("net.tflite":2:0)
#k2 = loc("OP"(#f2))
#n2 = loc("t2"(#k2))
#f3 = loc("net.tflite":3:0)
#k3 = loc("OP"(#f3))
#n3 = loc("t3"(#k3))
#f4 = loc("net.tflite":4:0)
#k4 = loc("OP"(#f4))
#n4 = loc("t4"(#k4))
#f5 = loc("net.tflite":5:0)
#k5 = loc("OP"(#f5))
#n5 = loc("t5"(#k5))
#f6 = loc("net.tflite":6:0)
#k6 = loc("OP"(#f6))
#n6 = loc("t6"(#k6))
#f7 = loc("net.tflite":7:0)
#k7 = loc("OP"(#f7))
#n7 = loc("t7"(#k7))
#f8 = loc("net.tflite":8:0)
#k8 = loc("OP"(#f8))
#n8 = loc("t8"(#k8))
#f9 = loc("net.tflite":9:0)
#k9 = loc("OP"(#f9))
#n9 = loc("t9"(#k9))
#f10 = loc("net.tflite":10:0)
#k10 = loc("OP"(#f10))
#n10 = loc("t10"(#k10))
#f11 = loc("net.tflite":11:0)
#k11 = loc("OP"(#f11))
#n11 = loc("t11"(#k11))

// Different factors behind a reduction become arguments. Another zero point is another function on a processor with
// instructions on vectors, and an argument on others.
// SCALAR-LABEL: func.func private @fully_connected_0
// SCALAR-SAME:    %[[M:[a-z0-9]+]]: i32, %[[S:[a-z0-9]+]]: i8, %[[Z:[a-z0-9]+]]: i32)
// SCALAR-NOT:     arith.constant
// SCALAR:         %[[SCALED:.*]] = tosa.apply_scale %{{.*}}, %[[M]], %[[S]]
// SCALAR:         arith.addi %[[SCALED]], %[[Z]]
// SCALAR-NOT:   func.func private
// SCALAR-LABEL: func.func @main
// CHECK-LABEL: func.func private @fully_connected_0
// CHECK-SAME:    %[[M:[a-z0-9]+]]: i32 {{.*}}, %[[S:[a-z0-9]+]]: i8
// CHECK-NOT:     arith.constant {{[0-9]+}}
// CHECK:         arith.constant -5 : i32
// CHECK:         tosa.apply_scale %{{.*}}, %[[M]], %[[S]]
// CHECK-NOT:   @fully_connected_1
// CHECK:       func.func private @fully_connected_2
// CHECK-NEXT:    arith.constant 1073741824 : i32
// CHECK-NOT:   func.func private
// CHECK-LABEL: func.func @main
func.func private @fully_connected_0(%x: memref<3xi8>, %w: memref<4x3xi8>, %b: memref<4xi32>, %y: memref<4xi8>) {
  %m = arith.constant 1073741824 : i32
  %s = arith.constant 36 : i8
  %z = arith.constant -5 : i32
  accel.reduce [4 | 3] ins(%x, %w : memref<3xi8>, memref<4x3xi8>) params(%b : memref<4xi32>) outs(%y : memref<4xi8>) maps [#x, #w, #p, #p] init {
  ^bb0(%i: i32):
    accel.yield %i : i32
  } body {
  ^bb0(%acc: i32, %l: i8, %r: i8):
    %0 = arith.extsi %l : i8 to i32
    %1 = arith.extsi %r : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %acc, %2 : i32
    accel.yield %3 : i32
  } finish {
  ^bb0(%acc: i32, %n: i32, %q: i32):
    %0 = tosa.apply_scale %acc, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
    %1 = arith.addi %0, %z : i32
    %2 = arith.trunci %1 : i32 to i8
    accel.yield %2 : i8
  }
  return
} loc(#n0)
func.func private @fully_connected_1(%x: memref<3xi8>, %w: memref<4x3xi8>, %b: memref<4xi32>, %y: memref<4xi8>) {
  %m = arith.constant 1181116006 : i32
  %s = arith.constant 35 : i8
  %z = arith.constant -5 : i32
  accel.reduce [4 | 3] ins(%x, %w : memref<3xi8>, memref<4x3xi8>) params(%b : memref<4xi32>) outs(%y : memref<4xi8>) maps [#x, #w, #p, #p] init {
  ^bb0(%i: i32):
    accel.yield %i : i32
  } body {
  ^bb0(%acc: i32, %l: i8, %r: i8):
    %0 = arith.extsi %l : i8 to i32
    %1 = arith.extsi %r : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %acc, %2 : i32
    accel.yield %3 : i32
  } finish {
  ^bb0(%acc: i32, %n: i32, %q: i32):
    %0 = tosa.apply_scale %acc, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
    %1 = arith.addi %0, %z : i32
    %2 = arith.trunci %1 : i32 to i8
    accel.yield %2 : i8
  }
  return
} loc(#n1)
func.func private @fully_connected_2(%x: memref<3xi8>, %w: memref<4x3xi8>, %b: memref<4xi32>, %y: memref<4xi8>) {
  %m = arith.constant 1073741824 : i32
  %s = arith.constant 36 : i8
  %z = arith.constant 6 : i32
  accel.reduce [4 | 3] ins(%x, %w : memref<3xi8>, memref<4x3xi8>) params(%b : memref<4xi32>) outs(%y : memref<4xi8>) maps [#x, #w, #p, #p] init {
  ^bb0(%i: i32):
    accel.yield %i : i32
  } body {
  ^bb0(%acc: i32, %l: i8, %r: i8):
    %0 = arith.extsi %l : i8 to i32
    %1 = arith.extsi %r : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %acc, %2 : i32
    accel.yield %3 : i32
  } finish {
  ^bb0(%acc: i32, %n: i32, %q: i32):
    %0 = tosa.apply_scale %acc, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
    %1 = arith.addi %0, %z : i32
    %2 = arith.trunci %1 : i32 to i8
    accel.yield %2 : i8
  }
  return
} loc(#n2)
func.func @main(%x: memref<3xi8>, %w: memref<4x3xi8>, %b: memref<4xi32>, %y: memref<4xi8>) {
  // CHECK:      %[[M0:.*]] = arith.constant 1073741824 : i32
  // CHECK:      %[[S0:.*]] = arith.constant 36 : i8
  // CHECK:      call @fully_connected_0(%{{.*}}, %[[M0]], %[[S0]]) {{.*}} loc(#[[FIRST:loc[0-9]+]])
  // CHECK:      %[[M1:.*]] = arith.constant 1181116006 : i32
  // CHECK:      %[[S1:.*]] = arith.constant 35 : i8
  // CHECK:      call @fully_connected_0(%{{.*}}, %[[M1]], %[[S1]]) {{.*}} loc(#[[SECOND:loc[0-9]+]])
  // CHECK:      call @fully_connected_2
  // SCALAR:     %[[Z0:.*]] = arith.constant -5 : i32
  // SCALAR:     call @fully_connected_0({{.*}}, %[[Z0]])
  // SCALAR:     %[[Z2:.*]] = arith.constant 6 : i32
  // SCALAR:     call @fully_connected_0({{.*}}, %[[Z2]])
  call @fully_connected_0(%x, %w, %b, %y) : (memref<3xi8>, memref<4x3xi8>, memref<4xi32>, memref<4xi8>) -> () loc(#n0)
  call @fully_connected_1(%x, %w, %b, %y) : (memref<3xi8>, memref<4x3xi8>, memref<4xi32>, memref<4xi8>) -> () loc(#n1)
  call @fully_connected_2(%x, %w, %b, %y) : (memref<3xi8>, memref<4x3xi8>, memref<4xi32>, memref<4xi8>) -> () loc(#n2)
  return
}
// Each call has the location of its operator.
// CHECK-DAG: #[[FIRST]] = loc("t0"
// CHECK-DAG: #[[SECOND]] = loc("t1"

// -----

#f0 = loc("net.tflite":0:0)
#k0 = loc("OP"(#f0))
#n0 = loc("t0"(#k0))
#f1 = loc("net.tflite":1:0)
#k1 = loc("OP"(#f1))
#n1 = loc("t1"(#k1))
#f2 = loc("net.tflite":2:0)
#k2 = loc("OP"(#f2))
#n2 = loc("t2"(#k2))
#f3 = loc("net.tflite":3:0)
#k3 = loc("OP"(#f3))
#n3 = loc("t3"(#k3))
#f4 = loc("net.tflite":4:0)
#k4 = loc("OP"(#f4))
#n4 = loc("t4"(#k4))
#f5 = loc("net.tflite":5:0)
#k5 = loc("OP"(#f5))
#n5 = loc("t5"(#k5))
#f6 = loc("net.tflite":6:0)
#k6 = loc("OP"(#f6))
#n6 = loc("t6"(#k6))
#f7 = loc("net.tflite":7:0)
#k7 = loc("OP"(#f7))
#n7 = loc("t7"(#k7))
#f8 = loc("net.tflite":8:0)
#k8 = loc("OP"(#f8))
#n8 = loc("t8"(#k8))
#f9 = loc("net.tflite":9:0)
#k9 = loc("OP"(#f9))
#n9 = loc("t9"(#k9))
#f10 = loc("net.tflite":10:0)
#k10 = loc("OP"(#f10))
#n10 = loc("t10"(#k10))
#f11 = loc("net.tflite":11:0)
#k11 = loc("OP"(#f11))
#n11 = loc("t11"(#k11))

accel.device @npu kind "npu"
accel.device @cpu kind "cpu" host
// Functions of a device, of a loop, of several calls, of another entry and of no operator stay.
// CHECK:     func.func private @copy_0
// CHECK-NOT: func.func private @copy_1
// CHECK:     func.func private @copy_2
// CHECK:     func.func private @copy_3
// CHECK:     func.func private @copy_4
// CHECK:     func.func private @copy_5
// CHECK:     func.func private @plain
func.func private @copy_0(%x: memref<4xi8>, %y: memref<4xi8>) {
  memref.copy %x, %y : memref<4xi8> to memref<4xi8>
  return
} loc(#n0)
func.func private @copy_1(%x: memref<4xi8>, %y: memref<4xi8>) {
  memref.copy %x, %y : memref<4xi8> to memref<4xi8>
  return
} loc(#n1)
func.func private @copy_2(%x: memref<4xi8>, %y: memref<4xi8>) attributes {accel.on = @npu} {
  memref.copy %x, %y : memref<4xi8> to memref<4xi8>
  return
} loc(#n2)
func.func private @copy_3(%x: memref<4xi8>, %y: memref<4xi8>) {
  memref.copy %x, %y : memref<4xi8> to memref<4xi8>
  return
} loc(#n3)
func.func private @copy_4(%x: memref<4xi8>, %y: memref<4xi8>) {
  memref.copy %x, %y : memref<4xi8> to memref<4xi8>
  return
} loc(#n4)
func.func private @copy_5(%x: memref<4xi8>, %y: memref<4xi8>) {
  memref.copy %x, %y : memref<4xi8> to memref<4xi8>
  return
} loc(#n5)
func.func private @plain(%x: memref<4xi8>, %y: memref<4xi8>) {
  memref.copy %x, %y : memref<4xi8> to memref<4xi8>
  return
}
func.func @main(%x: memref<4xi8>, %y: memref<4xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  call @copy_0(%x, %y) : (memref<4xi8>, memref<4xi8>) -> () loc(#n0)
  call @copy_1(%y, %x) : (memref<4xi8>, memref<4xi8>) -> () loc(#n1)
  call @copy_2(%x, %y) : (memref<4xi8>, memref<4xi8>) -> () loc(#n2)
  scf.for %i = %c0 to %c9 step %c1 {
    func.call @copy_3(%x, %y) : (memref<4xi8>, memref<4xi8>) -> () loc(#n3)
  }
  call @copy_4(%x, %y) : (memref<4xi8>, memref<4xi8>) -> () loc(#n4)
  call @copy_4(%y, %x) : (memref<4xi8>, memref<4xi8>) -> () loc(#n4)
  call @plain(%x, %y) : (memref<4xi8>, memref<4xi8>) -> ()
  return
}
func.func @reset(%x: memref<4xi8>, %y: memref<4xi8>) {
  call @copy_5(%x, %y) : (memref<4xi8>, memref<4xi8>) -> () loc(#n5)
  return
}

// -----

#f0 = loc("net.tflite":0:0)
#k0 = loc("OP"(#f0))
#n0 = loc("t0"(#k0))
#f1 = loc("net.tflite":1:0)
#k1 = loc("OP"(#f1))
#n1 = loc("t1"(#k1))
#f2 = loc("net.tflite":2:0)
#k2 = loc("OP"(#f2))
#n2 = loc("t2"(#k2))
memref_pool.pool @fast workspace
memref_pool.pool @slow workspace

// Buffers with the same candidate pools are in different ones; a function has one address space.
// CHECK-LABEL: memref_pool.pool @slow workspace
// CHECK:         func.func private @copy_0
// CHECK:         func.func private @copy_1
// CHECK-NOT:     func.func private @copy_2
func.func private @copy_0(%x: memref<4xi8>, %y: memref<4xi8, #memref_pool.space<[@fast, @slow]>>) {
  memref.copy %x, %y : memref<4xi8> to memref<4xi8, #memref_pool.space<[@fast, @slow]>>
  return
} loc(#n0)
func.func private @copy_1(%x: memref<4xi8>, %y: memref<4xi8, #memref_pool.space<[@fast, @slow]>>) {
  memref.copy %x, %y : memref<4xi8> to memref<4xi8, #memref_pool.space<[@fast, @slow]>>
  return
} loc(#n1)
func.func private @copy_2(%x: memref<4xi8>, %y: memref<4xi8, #memref_pool.space<[@fast, @slow]>>) {
  memref.copy %x, %y : memref<4xi8> to memref<4xi8, #memref_pool.space<[@fast, @slow]>>
  return
} loc(#n2)
// CHECK-LABEL: func.func @two_pools
// CHECK:         call @copy_0
// CHECK:         call @copy_1
// CHECK:         call @copy_0
func.func @two_pools(%x: memref<4xi8>) {
  %a = memref_pool.alloc at <@fast, 0> : memref<4xi8, #memref_pool.space<[@fast, @slow]>>
  %b = memref_pool.alloc at <@slow, 0> : memref<4xi8, #memref_pool.space<[@fast, @slow]>>
  %c = memref_pool.alloc at <@fast, 16> : memref<4xi8, #memref_pool.space<[@fast, @slow]>>
  call @copy_0(%x, %a) : (memref<4xi8>, memref<4xi8, #memref_pool.space<[@fast, @slow]>>) -> () loc(#n0)
  call @copy_1(%x, %b) : (memref<4xi8>, memref<4xi8, #memref_pool.space<[@fast, @slow]>>) -> () loc(#n1)
  call @copy_2(%x, %c) : (memref<4xi8>, memref<4xi8, #memref_pool.space<[@fast, @slow]>>) -> () loc(#n2)
  return
}
