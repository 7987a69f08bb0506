// RUN: forebay-opt %s --memref-pool-hoist-stores | FileCheck %s

memref_pool.pool @ws workspace
memref_pool.pool @kept state
memref.global "private" @s : memref<4xi8, #memref_pool.space<@kept>>
#id = affine_map<(d0) -> (d0)>

// The new value is complete after the first sum; the old one is read for the last time by the second.
// CHECK-LABEL: func.func @main
// CHECK:         linalg.generic
// CHECK:         linalg.generic
// CHECK:         memref_pool.copy %[[NEW:.*]] into %{{.*}} : memref<4xi8, #memref_pool.space<@ws>>, memref<4xi8, #memref_pool.space<@kept>>
// CHECK:         linalg.generic {{.*}} ins(%[[NEW]]
// CHECK:         return
func.func @main(%x: memref<4xi8>, %y: memref<4xi8> {bufferize.result}, %z: memref<4xi8> {bufferize.result}) {
  %s = memref.get_global @s : memref<4xi8, #memref_pool.space<@kept>>
  %n = memref_pool.alloc : memref<4xi8, #memref_pool.space<@ws>>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %s : memref<4xi8>, memref<4xi8, #memref_pool.space<@kept>>) outs(%n : memref<4xi8, #memref_pool.space<@ws>>) {
  ^bb0(%a: i8, %b: i8, %o: i8):
    %t = arith.addi %a, %b : i8
    linalg.yield %t : i8
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%s : memref<4xi8, #memref_pool.space<@kept>>) outs(%y : memref<4xi8>) {
  ^bb0(%a: i8, %o: i8):
    %t = arith.addi %a, %a : i8
    linalg.yield %t : i8
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%n : memref<4xi8, #memref_pool.space<@ws>>) outs(%z : memref<4xi8>) {
  ^bb0(%a: i8, %o: i8):
    %t = arith.addi %a, %a : i8
    linalg.yield %t : i8
  }
  memref_pool.copy %n into %s : memref<4xi8, #memref_pool.space<@ws>>, memref<4xi8, #memref_pool.space<@kept>>
  return
}

// A later write to what is stored keeps the store behind it.
// CHECK-LABEL: func.func @again
// CHECK:         memref.store
// CHECK-NEXT:    memref_pool.copy
// CHECK-NEXT:    return
func.func @again(%v: i8) {
  %c0 = arith.constant 0 : index
  %s = memref.get_global @s : memref<4xi8, #memref_pool.space<@kept>>
  %n = memref_pool.alloc : memref<4xi8, #memref_pool.space<@ws>>
  linalg.fill ins(%v : i8) outs(%n : memref<4xi8, #memref_pool.space<@ws>>)
  memref.store %v, %n[%c0] : memref<4xi8, #memref_pool.space<@ws>>
  memref_pool.copy %n into %s : memref<4xi8, #memref_pool.space<@ws>>, memref<4xi8, #memref_pool.space<@kept>>
  return
}

// A view of the new value moves along; it does not count as a use.
// CHECK-LABEL: func.func @part
// CHECK:         linalg.fill
// CHECK-NEXT:    %[[PART:.*]] = memref.subview
// CHECK-NEXT:    memref_pool.copy %[[PART]] into
// CHECK-NEXT:    linalg.generic
func.func @part(%v: i8, %y: memref<8xi8> {bufferize.result}) {
  %s = memref.get_global @s : memref<4xi8, #memref_pool.space<@kept>>
  %n = memref_pool.alloc : memref<8xi8, #memref_pool.space<@ws>>
  linalg.fill ins(%v : i8) outs(%n : memref<8xi8, #memref_pool.space<@ws>>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%n : memref<8xi8, #memref_pool.space<@ws>>) outs(%y : memref<8xi8>) {
  ^bb0(%a: i8, %o: i8):
    %t = arith.addi %a, %a : i8
    linalg.yield %t : i8
  }
  %p = memref.subview %n[4] [4] [1] : memref<8xi8, #memref_pool.space<@ws>> to memref<4xi8, strided<[1], offset: 4>, #memref_pool.space<@ws>>
  memref_pool.copy %p into %s : memref<4xi8, strided<[1], offset: 4>, #memref_pool.space<@ws>>, memref<4xi8, #memref_pool.space<@kept>>
  return
}

// What is stored may be a result, in the caller's memory: the store waits for it. A copy to a result is no store.
// CHECK-LABEL: func.func @result
// CHECK:         linalg.fill
// CHECK-NEXT:    memref.collapse_shape
// CHECK-NEXT:    memref.get_global
// CHECK-NEXT:    memref_pool.copy
// CHECK-NEXT:    linalg.generic
// CHECK:         memref_pool.copy
// CHECK-NEXT:    return
func.func @result(%v: i8, %y: memref<2x2xi8> {bufferize.result}, %z: memref<2x2xi8> {bufferize.result}, %w: memref<2x2xi8> {bufferize.result}) {
  linalg.fill ins(%v : i8) outs(%y : memref<2x2xi8>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%y : memref<2x2xi8>) outs(%w : memref<2x2xi8>) {
  ^bb0(%a: i8, %o: i8):
    linalg.yield %a : i8
  }
  memref_pool.copy %w into %z : memref<2x2xi8>, memref<2x2xi8>
  %s = memref.get_global @s : memref<4xi8, #memref_pool.space<@kept>>
  %f = memref.collapse_shape %y [[0, 1]] : memref<2x2xi8> into memref<4xi8>
  memref_pool.copy %f into %s : memref<4xi8>, memref<4xi8, #memref_pool.space<@kept>>
  return
}

// A call that only reads the new value is behind the store; the one that writes it is before.
accel.device @npu kind "npu"
accel.intrinsic @npu.make on @npu symbol "make" operands [#accel.operand<name = "y", access = out>]
accel.intrinsic @npu.use on @npu symbol "use"
  operands [#accel.operand<name = "x", access = in>, #accel.operand<name = "y", access = out>]
// CHECK-LABEL: func.func @calls
// CHECK:         accel.call @npu.make
// CHECK-NEXT:    memref_pool.copy
// CHECK-NEXT:    accel.call @npu.use
// CHECK-NEXT:    return
func.func @calls() {
  %s = memref.get_global @s : memref<4xi8, #memref_pool.space<@kept>>
  %n = memref_pool.alloc : memref<4xi8, #memref_pool.space<@ws>>
  %m = memref_pool.alloc : memref<4xi8, #memref_pool.space<@ws>>
  accel.call @npu.make outs(%n : memref<4xi8, #memref_pool.space<@ws>>)
  accel.call @npu.use ins(%n : memref<4xi8, #memref_pool.space<@ws>>) outs(%m : memref<4xi8, #memref_pool.space<@ws>>)
  memref_pool.copy %n into %s : memref<4xi8, #memref_pool.space<@ws>>, memref<4xi8, #memref_pool.space<@kept>>
  return
}

// What was started reads the old value until the wait. A function reads it by the global's name.
memref_pool.pool @spad workspace local capacity 64 read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 2
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@kept] to [@spad] rank 1 queue @npu.load
// CHECK-LABEL: func.func @in_flight
// CHECK:         accel.wait
// CHECK-NEXT:    memref_pool.copy
// CHECK-NEXT:    return
func.func @in_flight(%x: memref<4xi8>) {
  %s = memref.get_global @s : memref<4xi8, #memref_pool.space<@kept>>
  %t = memref_pool.alloc : memref<4xi8, #memref_pool.space<@spad>>
  %token = accel.start @npu.mvin %s into %t : memref<4xi8, #memref_pool.space<@kept>>, memref<4xi8, #memref_pool.space<@spad>>
  accel.wait %token
  memref_pool.copy %x into %s : memref<4xi8>, memref<4xi8, #memref_pool.space<@kept>>
  return
}

// CHECK-LABEL: func.func @function
// CHECK:         call @reader
// CHECK-NEXT:    memref.get_global
// CHECK-NEXT:    memref_pool.copy
// CHECK-NEXT:    return
func.func @function(%x: memref<4xi8>, %y: memref<4xi8> {bufferize.result}) {
  func.call @reader(%y) : (memref<4xi8>) -> ()
  %s = memref.get_global @s : memref<4xi8, #memref_pool.space<@kept>>
  memref_pool.copy %x into %s : memref<4xi8>, memref<4xi8, #memref_pool.space<@kept>>
  return
}

func.func private @reader(%y: memref<4xi8>) {
  %s = memref.get_global @s : memref<4xi8, #memref_pool.space<@kept>>
  memref_pool.copy %s into %y : memref<4xi8, #memref_pool.space<@kept>>, memref<4xi8>
  return
}
