// RUN: forebay-opt %s --memref-pool-forward-results | FileCheck %s

memref_pool.pool @ws workspace
#id = affine_map<(d0) -> (d0)>

// The buffer behind the copy becomes the result, through the view that the copy sees.
// CHECK-LABEL: func.func @direct
// CHECK-SAME:    %[[X:.*]]: memref<4xi8>, %[[Y:.*]]: memref<2x2xi8> {bufferize.result}
// CHECK-NOT:     memref_pool.alloc
// CHECK:         %[[FLAT:.*]] = memref.reinterpret_cast %[[Y]] to offset: [0], sizes: [4], strides: [1] : memref<2x2xi8> to memref<4xi8>
// CHECK:         linalg.generic {{.*}} ins(%[[X]] : memref<4xi8>) outs(%[[FLAT]] : memref<4xi8>)
// CHECK-NOT:     memref_pool.copy
func.func @direct(%x: memref<4xi8>, %y: memref<2x2xi8> {bufferize.result}) {
  %b = memref_pool.alloc : memref<4xi8, #memref_pool.space<@ws>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<4xi8>) outs(%b : memref<4xi8, #memref_pool.space<@ws>>) {
  ^bb0(%a: i8, %o: i8):
    linalg.yield %a : i8
  }
  %v = memref.expand_shape %b [[0, 1]] output_shape [2, 2] : memref<4xi8, #memref_pool.space<@ws>> into memref<2x2xi8, #memref_pool.space<@ws>>
  memref_pool.copy %v into %y : memref<2x2xi8, #memref_pool.space<@ws>>, memref<2x2xi8>
  return
}

// Two results of one buffer: the first is the buffer, the second a copy of it.
// CHECK-LABEL: func.func @twice
// CHECK-SAME:    %[[Y:.*]]: memref<4xi8> {bufferize.result}, %[[Z:.*]]: memref<4xi8> {bufferize.result}
// CHECK:         linalg.fill ins(%{{.*}}) outs(%[[Y]] : memref<4xi8>)
// CHECK-NEXT:    memref_pool.copy %[[Y]] into %[[Z]] : memref<4xi8>, memref<4xi8>
// CHECK-NEXT:    return
func.func @twice(%y: memref<4xi8> {bufferize.result}, %z: memref<4xi8> {bufferize.result}) {
  %c = arith.constant 7 : i8
  %b = memref_pool.alloc : memref<4xi8, #memref_pool.space<@ws>>
  linalg.fill ins(%c : i8) outs(%b : memref<4xi8, #memref_pool.space<@ws>>)
  memref_pool.copy %b into %y : memref<4xi8, #memref_pool.space<@ws>>, memref<4xi8>
  memref_pool.copy %b into %z : memref<4xi8, #memref_pool.space<@ws>>, memref<4xi8>
  return
}

func.func private @fill(%b: memref<4xi8, #memref_pool.space<@ws>>) {
  %c = arith.constant 7 : i8
  linalg.fill ins(%c : i8) outs(%b : memref<4xi8, #memref_pool.space<@ws>>)
  return
}

func.func private @fills_too(%b: memref<4xi8, #memref_pool.space<@ws>>) {
  func.call @fill(%b) : (memref<4xi8, #memref_pool.space<@ws>>) -> ()
  return
}

// What a function of two callers gets, what is pinned, and what is only a part of a buffer stays where it is.
// CHECK-LABEL: func.func @stays
// CHECK-COUNT-3: memref_pool.copy
func.func @stays(%x: memref<4xi8> {bufferize.result}, %y: memref<4xi8> {bufferize.result}, %z: memref<2xi8> {bufferize.result}) {
  %c = arith.constant 7 : i8
  %a = memref_pool.alloc : memref<4xi8, #memref_pool.space<@ws>>
  func.call @fill(%a) : (memref<4xi8, #memref_pool.space<@ws>>) -> ()
  %p = memref_pool.alloc pinned <@ws, 0> : memref<4xi8, #memref_pool.space<@ws>>
  linalg.fill ins(%c : i8) outs(%p : memref<4xi8, #memref_pool.space<@ws>>)
  %w = memref_pool.alloc : memref<4xi8, #memref_pool.space<@ws>>
  linalg.fill ins(%c : i8) outs(%w : memref<4xi8, #memref_pool.space<@ws>>)
  %s = memref.subview %w[0] [2] [1] : memref<4xi8, #memref_pool.space<@ws>> to memref<2xi8, strided<[1]>, #memref_pool.space<@ws>>
  memref_pool.copy %a into %x : memref<4xi8, #memref_pool.space<@ws>>, memref<4xi8>
  memref_pool.copy %p into %y : memref<4xi8, #memref_pool.space<@ws>>, memref<4xi8>
  memref_pool.copy %s into %z : memref<2xi8, strided<[1]>, #memref_pool.space<@ws>>, memref<2xi8>
  return
}

// A result that is used before the copy into it is no place to compute in.
// CHECK-LABEL: func.func @used_before
// CHECK:         memref_pool.alloc
// CHECK:         memref_pool.copy
func.func @used_before(%y: memref<4xi8> {bufferize.result}, %z: memref<4xi8> {bufferize.result}) {
  %c = arith.constant 7 : i8
  %b = memref_pool.alloc : memref<4xi8, #memref_pool.space<@ws>>
  linalg.fill ins(%c : i8) outs(%b : memref<4xi8, #memref_pool.space<@ws>>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%y : memref<4xi8>) outs(%z : memref<4xi8>) {
  ^bb0(%a: i8, %o: i8):
    linalg.yield %a : i8
  }
  memref_pool.copy %b into %y : memref<4xi8, #memref_pool.space<@ws>>, memref<4xi8>
  return
}
