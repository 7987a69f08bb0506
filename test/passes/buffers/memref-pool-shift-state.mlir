// RUN: forebay-opt %s --memref-pool-shift-state --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
memref_pool.pool @ws workspace
memref_pool.pool @kept state

// Two rows of 4 bytes last. The variable gets the 3 rows of the window, and the operator writes the new one into it.
// CHECK:       memref.global "private" @s : memref<3x4xi8, #memref_pool.space<@kept>> {memref_pool.carried_rows = array<i64: 0, 0, 2>}
memref.global "private" @s : memref<2x4xi8, #memref_pool.space<@kept>>

// The last reader is in front of the move, whose source begins at element 1 * 4.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %[[S:.*]] = memref.get_global @s : memref<3x4xi8
// CHECK-NEXT:    %[[FLAT:.*]] = memref.collapse_shape %[[S]]
// CHECK-NEXT:    %[[FIRST:.*]] = arith.constant 8 : index
// CHECK-NEXT:    %[[NEW:.*]] = memref.view %[[FLAT]][%[[FIRST]]][] : memref<12xi8, {{.*}}> to memref<1x4xi8,
// CHECK-NEXT:    linalg.generic {{.*}} outs(%[[NEW]] :
// CHECK:         linalg.generic {{.*}} ins(%[[S]] : memref<3x4xi8, #memref_pool.space<@kept>>)
// CHECK:         %[[FROM:.*]] = memref.subview %[[S]][1, 0] [2, 4] [1, 1]
// CHECK-NEXT:    %[[TO:.*]] = memref.subview %[[S]][0, 0] [2, 4] [1, 1]
// CHECK-NEXT:    memref_pool.copy %[[FROM]] into %[[TO]] : memref<2x4xi8, strided<[4, 1], offset: 4>
// CHECK-NEXT:    return
func.func @main(%x: memref<1x4xi8>, %y: memref<3x4xi8> {bufferize.result}) {
  %s = memref.get_global @s : memref<2x4xi8, #memref_pool.space<@kept>>
  %n = memref_pool.alloc : memref<1x4xi8, #memref_pool.space<@ws>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : memref<1x4xi8>) outs(%n : memref<1x4xi8, #memref_pool.space<@ws>>) {
  ^bb0(%a: i8, %o: i8):
    linalg.yield %a : i8
  }
  %w = memref_pool.alloc : memref<3x4xi8, #memref_pool.space<@ws>>
  %old = memref.subview %w[0, 0] [2, 4] [1, 1] : memref<3x4xi8, #memref_pool.space<@ws>> to memref<2x4xi8, strided<[4, 1]>, #memref_pool.space<@ws>>
  memref_pool.copy %s into %old : memref<2x4xi8, #memref_pool.space<@kept>>, memref<2x4xi8, strided<[4, 1]>, #memref_pool.space<@ws>>
  %new = memref.subview %w[2, 0] [1, 4] [1, 1] : memref<3x4xi8, #memref_pool.space<@ws>> to memref<1x4xi8, strided<[4, 1], offset: 8>, #memref_pool.space<@ws>>
  memref.copy %n, %new : memref<1x4xi8, #memref_pool.space<@ws>> to memref<1x4xi8, strided<[4, 1], offset: 8>, #memref_pool.space<@ws>>
  %next = memref.subview %w[1, 0] [2, 4] [1, 1] : memref<3x4xi8, #memref_pool.space<@ws>> to memref<2x4xi8, strided<[4, 1], offset: 4>, #memref_pool.space<@ws>>
  memref_pool.copy %next into %s : memref<2x4xi8, strided<[4, 1], offset: 4>, #memref_pool.space<@ws>>, memref<2x4xi8, #memref_pool.space<@kept>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : memref<3x4xi8, #memref_pool.space<@ws>>) outs(%y : memref<3x4xi8>) {
  ^bb0(%a: i8, %o: i8):
    linalg.yield %a : i8
  }
  return
}

// Another function uses the rows that last.
// CHECK-LABEL: func.func @reset
// CHECK-NEXT:    %[[S:.*]] = memref.get_global @s : memref<3x4xi8
// CHECK-NEXT:    %[[PART:.*]] = memref.subview %[[S]][0, 0] [2, 4] [1, 1]
// CHECK:         linalg.fill {{.*}} outs(%[[PART]]
func.func @reset() {
  %s = memref.get_global @s : memref<2x4xi8, #memref_pool.space<@kept>>
  %zero = arith.constant 0 : i8
  linalg.fill ins(%zero : i8) outs(%s : memref<2x4xi8, #memref_pool.space<@kept>>)
  return
}

// -----

// The window is the state: its elements move by one first, and then the last column is written.
// CHECK:       memref.global "private" @s : memref<8xi8, #memref_pool.space<@kept>>
// CHECK-NOT:   carried_rows
// CHECK-LABEL: func.func @whole
// CHECK-NEXT:    %[[S:.*]] = memref.get_global @s
// CHECK-NEXT:    %[[W:.*]] = memref.expand_shape %[[S]] {{.*}} into memref<2x4xi8, #memref_pool.space<@kept>>
// CHECK-NEXT:    %[[FROM:.*]] = memref.subview %[[S]][1] [7] [1]
// CHECK-NEXT:    %[[TO:.*]] = memref.subview %[[S]][0] [7] [1]
// CHECK-NEXT:    memref_pool.copy %[[FROM]] into %[[TO]]
// CHECK-NEXT:    %[[NEW:.*]] = memref.subview %[[W]][0, 3] [2, 1] [1, 1]
// CHECK-NEXT:    memref.copy %{{.*}}, %[[NEW]]
// CHECK-NOT:     memref_pool.copy
// CHECK:         return
#id = affine_map<(d0, d1) -> (d0, d1)>
memref_pool.pool @ws workspace
memref_pool.pool @kept state
memref.global "private" @s : memref<8xi8, #memref_pool.space<@kept>>
func.func @whole(%x: memref<2x1xi8>, %y: memref<2x4xi8> {bufferize.result}) {
  %s = memref.get_global @s : memref<8xi8, #memref_pool.space<@kept>>
  %e = memref.expand_shape %s [[0, 1]] output_shape [2, 4] : memref<8xi8, #memref_pool.space<@kept>> into memref<2x4xi8, #memref_pool.space<@kept>>
  %kept = memref.subview %e[0, 1] [2, 3] [1, 1] : memref<2x4xi8, #memref_pool.space<@kept>> to memref<2x3xi8, strided<[4, 1], offset: 1>, #memref_pool.space<@kept>>
  %w = memref_pool.alloc : memref<2x4xi8, #memref_pool.space<@ws>>
  %old = memref.subview %w[0, 0] [2, 3] [1, 1] : memref<2x4xi8, #memref_pool.space<@ws>> to memref<2x3xi8, strided<[4, 1]>, #memref_pool.space<@ws>>
  memref_pool.copy %kept into %old : memref<2x3xi8, strided<[4, 1], offset: 1>, #memref_pool.space<@kept>>, memref<2x3xi8, strided<[4, 1]>, #memref_pool.space<@ws>>
  %new = memref.subview %w[0, 3] [2, 1] [1, 1] : memref<2x4xi8, #memref_pool.space<@ws>> to memref<2x1xi8, strided<[4, 1], offset: 3>, #memref_pool.space<@ws>>
  memref.copy %x, %new : memref<2x1xi8> to memref<2x1xi8, strided<[4, 1], offset: 3>, #memref_pool.space<@ws>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : memref<2x4xi8, #memref_pool.space<@ws>>) outs(%y : memref<2x4xi8>) {
  ^bb0(%a: i8, %o: i8):
    linalg.yield %a : i8
  }
  %f = memref.collapse_shape %w [[0, 1]] : memref<2x4xi8, #memref_pool.space<@ws>> into memref<8xi8, #memref_pool.space<@ws>>
  memref_pool.copy %f into %s : memref<8xi8, #memref_pool.space<@ws>>, memref<8xi8, #memref_pool.space<@kept>>
  return
}

// -----

// Three new rows, two of which last: they are stored from the window, though the program stores them from the input.
// The variable and the window have 8 and 20 bytes, and the larger variable 20.
// CHECK:       memref.global "private" @s : memref<5x1xf32, #memref_pool.space<@kept>> {memref_pool.carried_rows = array<i64: 0, 0, 2>}
// CHECK-LABEL: func.func @more_new_rows
// CHECK:         memref.copy %{{.*}}, %{{.*}} : memref<3x1xf32> to memref<3x1xf32, strided<[1, 1], offset: 2>
// CHECK:         linalg.generic
// CHECK:         %[[FROM:.*]] = memref.subview %{{.*}}[3, 0] [2, 1] [1, 1]
// CHECK-NEXT:    %[[TO:.*]] = memref.subview %{{.*}}[0, 0] [2, 1] [1, 1]
// CHECK-NEXT:    memref_pool.copy %[[FROM]] into %[[TO]]
// CHECK-NEXT:    return
#id = affine_map<(d0, d1) -> (d0, d1)>
memref_pool.pool @ws workspace
memref_pool.pool @kept state
memref.global "private" @s : memref<2x1xf32, #memref_pool.space<@kept>>
func.func @more_new_rows(%x: memref<3x1xf32>, %y: memref<5x1xf32> {bufferize.result}) {
  %s = memref.get_global @s : memref<2x1xf32, #memref_pool.space<@kept>>
  %w = memref_pool.alloc : memref<5x1xf32, #memref_pool.space<@ws>>
  %old = memref.subview %w[0, 0] [2, 1] [1, 1] : memref<5x1xf32, #memref_pool.space<@ws>> to memref<2x1xf32, strided<[1, 1]>, #memref_pool.space<@ws>>
  memref_pool.copy %s into %old : memref<2x1xf32, #memref_pool.space<@kept>>, memref<2x1xf32, strided<[1, 1]>, #memref_pool.space<@ws>>
  %new = memref.subview %w[2, 0] [3, 1] [1, 1] : memref<5x1xf32, #memref_pool.space<@ws>> to memref<3x1xf32, strided<[1, 1], offset: 2>, #memref_pool.space<@ws>>
  memref.copy %x, %new : memref<3x1xf32> to memref<3x1xf32, strided<[1, 1], offset: 2>, #memref_pool.space<@ws>>
  %next = memref.subview %x[1, 0] [2, 1] [1, 1] : memref<3x1xf32> to memref<2x1xf32, strided<[1, 1], offset: 1>>
  memref_pool.copy %next into %s : memref<2x1xf32, strided<[1, 1], offset: 1>>, memref<2x1xf32, #memref_pool.space<@kept>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : memref<5x1xf32, #memref_pool.space<@ws>>) outs(%y : memref<5x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

// The window of 12 bytes is dead at the peak of 24 bytes: a variable of 12 bytes instead of 8 would only cost bytes.
// CHECK:       memref.global "private" @s : memref<2x4xi8, #memref_pool.space<@kept>>
// CHECK-LABEL: func.func @costs_bytes
// CHECK:         memref_pool.alloc : memref<3x4xi8
#id = affine_map<(d0, d1) -> (d0, d1)>
memref_pool.pool @ws workspace
memref_pool.pool @kept state
memref.global "private" @s : memref<2x4xi8, #memref_pool.space<@kept>>
func.func @costs_bytes(%x: memref<1x4xi8>, %y: memref<3x4xi8> {bufferize.result}) {
  %big = memref_pool.alloc : memref<24xi8, #memref_pool.space<@ws>>
  %zero = arith.constant 0 : i8
  linalg.fill ins(%zero : i8) outs(%big : memref<24xi8, #memref_pool.space<@ws>>)
  %s = memref.get_global @s : memref<2x4xi8, #memref_pool.space<@kept>>
  %w = memref_pool.alloc : memref<3x4xi8, #memref_pool.space<@ws>>
  %old = memref.subview %w[0, 0] [2, 4] [1, 1] : memref<3x4xi8, #memref_pool.space<@ws>> to memref<2x4xi8, strided<[4, 1]>, #memref_pool.space<@ws>>
  memref_pool.copy %s into %old : memref<2x4xi8, #memref_pool.space<@kept>>, memref<2x4xi8, strided<[4, 1]>, #memref_pool.space<@ws>>
  %new = memref.subview %w[2, 0] [1, 4] [1, 1] : memref<3x4xi8, #memref_pool.space<@ws>> to memref<1x4xi8, strided<[4, 1], offset: 8>, #memref_pool.space<@ws>>
  memref.copy %x, %new : memref<1x4xi8> to memref<1x4xi8, strided<[4, 1], offset: 8>, #memref_pool.space<@ws>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%w : memref<3x4xi8, #memref_pool.space<@ws>>) outs(%y : memref<3x4xi8>) {
  ^bb0(%a: i8, %o: i8):
    linalg.yield %a : i8
  }
  %next = memref.subview %w[1, 0] [2, 4] [1, 1] : memref<3x4xi8, #memref_pool.space<@ws>> to memref<2x4xi8, strided<[4, 1], offset: 4>, #memref_pool.space<@ws>>
  memref_pool.copy %next into %s : memref<2x4xi8, strided<[4, 1], offset: 4>, #memref_pool.space<@ws>>, memref<2x4xi8, #memref_pool.space<@kept>>
  return
}

// -----

// An operator writes the rows once that the window has twice: it writes the first ones, and the others are copied.
// CHECK-LABEL: func.func @twice
// CHECK:         %[[NEW:.*]] = memref.view %{{.*}} : memref<16xi8, {{.*}}> to memref<1x4xi8,
// CHECK:         linalg.fill {{.*}} outs(%[[NEW]]
// CHECK:         %[[AGAIN:.*]] = memref.subview %{{.*}}[3, 0] [1, 4] [1, 1]
// CHECK:         memref.copy %[[NEW]], %[[AGAIN]]
memref_pool.pool @ws workspace
memref_pool.pool @kept state
memref.global "private" @s : memref<2x4xi8, #memref_pool.space<@kept>>
func.func @twice(%v: i8, %y: memref<4x4xi8> {bufferize.result}) {
  %s = memref.get_global @s : memref<2x4xi8, #memref_pool.space<@kept>>
  %n = memref_pool.alloc : memref<1x4xi8, #memref_pool.space<@ws>>
  linalg.fill ins(%v : i8) outs(%n : memref<1x4xi8, #memref_pool.space<@ws>>)
  %w = memref_pool.alloc : memref<4x4xi8, #memref_pool.space<@ws>>
  %old = memref.subview %w[0, 0] [2, 4] [1, 1] : memref<4x4xi8, #memref_pool.space<@ws>> to memref<2x4xi8, strided<[4, 1]>, #memref_pool.space<@ws>>
  memref_pool.copy %s into %old : memref<2x4xi8, #memref_pool.space<@kept>>, memref<2x4xi8, strided<[4, 1]>, #memref_pool.space<@ws>>
  %one = memref.subview %w[2, 0] [1, 4] [1, 1] : memref<4x4xi8, #memref_pool.space<@ws>> to memref<1x4xi8, strided<[4, 1], offset: 8>, #memref_pool.space<@ws>>
  memref.copy %n, %one : memref<1x4xi8, #memref_pool.space<@ws>> to memref<1x4xi8, strided<[4, 1], offset: 8>, #memref_pool.space<@ws>>
  %two = memref.subview %w[3, 0] [1, 4] [1, 1] : memref<4x4xi8, #memref_pool.space<@ws>> to memref<1x4xi8, strided<[4, 1], offset: 12>, #memref_pool.space<@ws>>
  memref.copy %n, %two : memref<1x4xi8, #memref_pool.space<@ws>> to memref<1x4xi8, strided<[4, 1], offset: 12>, #memref_pool.space<@ws>>
  memref.copy %w, %y : memref<4x4xi8, #memref_pool.space<@ws>> to memref<4x4xi8>
  %next = memref.subview %w[2, 0] [2, 4] [1, 1] : memref<4x4xi8, #memref_pool.space<@ws>> to memref<2x4xi8, strided<[4, 1], offset: 8>, #memref_pool.space<@ws>>
  memref_pool.copy %next into %s : memref<2x4xi8, strided<[4, 1], offset: 8>, #memref_pool.space<@ws>>, memref<2x4xi8, #memref_pool.space<@kept>>
  return
}
