// RUN: forebay-opt %s --accel-outline-operators --mlir-print-debuginfo | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#relu = loc("net.tflite":0:0)
#relu1 = loc("RELU"(#relu))
#a = loc("act"(#relu1))
#pad = loc("net.tflite":1:0)
#pad1 = loc("PAD"(#pad))
#b = loc("padded"(#pad1))

// One function per operator, with the operator's location; constants and views of the buffers come along.
// CHECK-LABEL: func.func private @relu_0
// CHECK:         arith.constant 0 : i8
// CHECK:         linalg.generic
// CHECK:       } loc(#[[RELU:loc[0-9]+]])
// CHECK-LABEL: func.func private @pad_1
// CHECK-SAME:    %[[OUT:arg0]]: memref<8xi8> {{.*}} %[[IN:arg1]]: memref<4xi8>
// CHECK:         memref.subview %[[OUT]][2] [4] [1]
// CHECK:         linalg.fill
// CHECK:         memref.copy %[[IN]]
// CHECK-LABEL: func.func @main
// CHECK:         call @relu_0(%{{.*}}, %{{.*}}) : (memref<4xi8>, memref<4xi8>) -> ()
// CHECK:         call @pad_1(%{{.*}}, %{{.*}}) : (memref<8xi8>, memref<4xi8>) -> ()
// CHECK:         memref.store
// CHECK-NEXT:    return
func.func @main(%base: memref<32xi8> {memref_pool.base}, %x: memref<4xi8>, %v: i8) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i8
  %0 = memref.view %base[%c0][] : memref<32xi8> to memref<4xi8>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<4xi8>) outs(%0 : memref<4xi8>) {
  ^bb0(%i: i8, %o: i8):
    %m = arith.maxsi %i, %zero : i8
    linalg.yield %m : i8
  } loc(#a)
  %1 = memref.view %base[%c16][] : memref<32xi8> to memref<8xi8>
  linalg.fill ins(%zero : i8) outs(%1 : memref<8xi8>) loc(#b)
  %2 = memref.subview %1[2] [4] [1] : memref<8xi8> to memref<4xi8, strided<[1], offset: 2>> loc(#b)
  memref.copy %0, %2 : memref<4xi8> to memref<4xi8, strided<[1], offset: 2>> loc(#b)
  // What belongs to no imported operator stays.
  memref.store %v, %0[%c0] : memref<4xi8>
  return
}

// A device's part of an operator is a function of that device; the host's part is one of its own,
// before it or behind. Calls without an operator are outlined as well, and loops around them.

#act = #memref_pool.space<@act>
#conv = loc("conv"("CONV_2D"("net.tflite":3:0)))
accel.device @cpu kind "cpu" host
accel.device @npu0 kind "npu"
accel.device @npu1 kind "npu"
memref_pool.pool @act workspace
accel.intrinsic @npu0.run on @npu0 symbol "run"
  operands [#accel.operand<name = "x", access = in>, #accel.operand<name = "y", access = out>]
accel.intrinsic @npu1.run on @npu1 symbol "run"
  operands [#accel.operand<name = "x", access = in>, #accel.operand<name = "y", access = out>]

// CHECK-LABEL: func.func private @conv_2d_3(
// CHECK-NOT:     accel.on
// CHECK:         linalg.fill
// CHECK-LABEL: func.func private @conv_2d_3_2(
// CHECK-SAME:    attributes {accel.on = @npu0}
// CHECK-NEXT:    accel.call @npu0.run
// CHECK-NEXT:    return
// CHECK-LABEL: func.func private @npu0_part(
// CHECK-SAME:    attributes {accel.on = @npu0}
// CHECK-NEXT:    accel.call @npu0.run
// CHECK-NEXT:    return
// CHECK-LABEL: func.func private @npu1_part(
// CHECK-SAME:    attributes {accel.on = @npu1}
// CHECK:         scf.for
// CHECK-NEXT:      accel.call @npu1.run
// CHECK-LABEL: func.func @parts
func.func @parts(%x: i8, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref_pool.alloc : memref<16xi8, #act>
  %b = memref_pool.alloc : memref<16xi8, #act>
  // CHECK: call @conv_2d_3(
  linalg.fill ins(%x : i8) outs(%a : memref<16xi8, #act>) loc(#conv)
  // CHECK-NEXT: call @conv_2d_3_2(
  accel.call @npu0.run ins(%a : memref<16xi8, #act>) outs(%b : memref<16xi8, #act>) loc(#conv)
  // CHECK-NEXT: call @npu0_part(
  accel.call @npu0.run ins(%b : memref<16xi8, #act>) outs(%a : memref<16xi8, #act>)
  // CHECK-NEXT: call @npu1_part(
  scf.for %i = %c0 to %n step %c1 {
    accel.call @npu1.run ins(%a : memref<16xi8, #act>) outs(%b : memref<16xi8, #act>)
  }
  // CHECK-NEXT: linalg.fill
  linalg.fill ins(%x : i8) outs(%b : memref<16xi8, #act>)
  return
}

// What a function computes already is not wrapped in another one; it says whose it is, with what it calls.
// CHECK-LABEL: func.func private @inner
// CHECK-SAME:    attributes {accel.on = @npu0}
// CHECK-LABEL: func.func private @outer
// CHECK-SAME:    attributes {accel.on = @npu0}
// CHECK-LABEL: func.func private @mixed
// CHECK-NOT:     accel.on
// CHECK:         return
// CHECK-LABEL: func.func @calls
func.func private @inner(%a: memref<16xi8, #act>, %b: memref<16xi8, #act>) {
  accel.call @npu0.run ins(%a : memref<16xi8, #act>) outs(%b : memref<16xi8, #act>)
  return
}
func.func private @outer(%a: memref<16xi8, #act>, %b: memref<16xi8, #act>) {
  call @inner(%a, %b) : (memref<16xi8, #act>, memref<16xi8, #act>) -> ()
  return
}
func.func private @mixed(%a: memref<16xi8, #act>, %b: memref<16xi8, #act>) {
  call @inner(%a, %b) : (memref<16xi8, #act>, memref<16xi8, #act>) -> ()
  memref.copy %b, %a : memref<16xi8, #act> to memref<16xi8, #act>
  return
}
func.func @calls() {
  %a = memref_pool.alloc : memref<16xi8, #act>
  %b = memref_pool.alloc : memref<16xi8, #act>
  // CHECK: call @outer(
  call @outer(%a, %b) : (memref<16xi8, #act>, memref<16xi8, #act>) -> () loc(#conv)
  // CHECK-NEXT: call @mixed(
  call @mixed(%a, %b) : (memref<16xi8, #act>, memref<16xi8, #act>) -> ()
  return
}
