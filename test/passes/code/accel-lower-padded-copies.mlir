// RUN: forebay-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(accel-lower-padded-copies))" | FileCheck %s

#in = affine_map<(n, y, x, c) -> (n, y - 1, x - 2, c)>
#out = affine_map<(n, y, x, c) -> (n, y, x, c)>

// The whole copy: the padding in three parts, above and left of the first row, between two rows, and the rest.
// CHECK-LABEL: func.func @whole(
// CHECK-SAME:    %[[SOURCE:.*]]: memref<1x4x4x3xi8>, %[[PADDED:.*]]: memref<1x6x7x3xi8>
// CHECK:         %[[VALUE:.*]] = arith.constant -7 : i8
// CHECK:         %[[FLAT:.*]] = memref.collapse_shape %[[PADDED]]
// CHECK:         %[[FIRST:.*]] = memref.subview %[[FLAT]][0] [27] [1]
// CHECK:         linalg.fill ins(%[[VALUE]] : i8) outs(%[[FIRST]]
// CHECK:         %[[SIDES:.*]] = memref.subview %[[FLAT]][39] [63] [1]
// CHECK:         %[[ROWS:.*]] = memref.expand_shape %[[SIDES]] {{\[}}[0, 1]] output_shape [3, 21]
// CHECK:         %[[PAIRS:.*]] = memref.subview %[[ROWS]][0, 0] [3, 9] [1, 1]
// CHECK:         linalg.fill ins(%[[VALUE]] : i8) outs(%[[PAIRS]]
// CHECK:         %[[LAST:.*]] = memref.subview %[[FLAT]][102] [24] [1]
// CHECK:         linalg.fill ins(%[[VALUE]] : i8) outs(%[[LAST]]
// CHECK:         %[[INSIDE:.*]] = memref.subview %[[PADDED]][0, 1, 2, 0] [1, 4, 4, 3] [1, 1, 1, 1]
// CHECK:         memref.copy %[[SOURCE]], %[[INSIDE]]
// CHECK-NOT:     accel.reduce
func.func @whole(%source: memref<1x4x4x3xi8>, %padded: memref<1x6x7x3xi8>) {
  accel.reduce [1, 6, 7, 3] ins(%source : memref<1x4x4x3xi8>) outs(%padded : memref<1x6x7x3xi8>) maps [#in, #out]
    init {
      %value = arith.constant -7 : i8
      accel.yield %value : i8
    } body {
    ^bb0(%sum: i8, %element: i8):
      accel.yield %element : i8
    } finish {
    ^bb0(%sum: i8, %count: i32):
      accel.yield %sum : i8
    }
  return
}

// -----

#ws = #memref_pool.space<@ws>
#in = affine_map<(n, y, x, c) -> (n, y - 1, x - 2, c)>
#out = affine_map<(n, y, x, c) -> (n, y, x, c)>

// One row of a copy whose rows lie anywhere: the columns left and right of the row of the source, or all of it.
// CHECK-LABEL: func.func @row(
// CHECK-SAME:    %[[SOURCE:.*]]: memref<1x4x4x3xi8>, %[[PADDED:.*]]: memref<1x6x7x3xi8, {{.*}}, %[[Y:.*]]: index)
// CHECK:         %[[ROW:.*]] = memref_pool.row %[[PADDED]][0, %[[Y]]]
// CHECK:         %[[ABOVE:.*]] = arith.cmpi sge, %[[Y]], %c1
// CHECK:         %[[BELOW:.*]] = arith.cmpi slt, %[[Y]], %c5
// CHECK:         %[[IN:.*]] = arith.andi %[[ABOVE]], %[[BELOW]]
// CHECK:         scf.if %[[IN]] {
// CHECK:           %[[AT:.*]] = arith.addi %[[Y]], %c-1
// CHECK:           %[[PART:.*]] = memref.subview %[[SOURCE]][0, %[[AT]], 0, 0] [1, 1, 4, 3] [1, 1, 1, 1]
// CHECK:           %[[OWN:.*]] = memref.collapse_shape %[[PART]] {{\[}}[0, 1, 2], [3]]
// CHECK:           %[[FLAT:.*]] = memref.collapse_shape %[[ROW]] {{\[}}[0, 1]]
// CHECK:           %[[LEFT:.*]] = memref.subview %[[FLAT]][0] [6] [1]
// CHECK:           linalg.fill ins(%{{.*}} : i8) outs(%[[LEFT]]
// CHECK:           %[[RIGHT:.*]] = memref.subview %[[FLAT]][18] [3] [1]
// CHECK:           linalg.fill ins(%{{.*}} : i8) outs(%[[RIGHT]]
// CHECK:           %[[INSIDE:.*]] = memref.subview %[[ROW]][2, 0] [4, 3] [1, 1]
// CHECK:           memref.copy %[[OWN]], %[[INSIDE]]
// CHECK:         } else {
// CHECK:           %[[ALL:.*]] = memref.collapse_shape %[[ROW]] {{\[}}[0, 1]]
// CHECK:           linalg.fill ins(%{{.*}} : i8) outs(%[[ALL]]
// CHECK-NOT:     accel.reduce
func.func @row(%source: memref<1x4x4x3xi8>, %padded: memref<1x6x7x3xi8, #memref_pool.rows<2>, #ws>, %y: index) {
  accel.reduce [1, 6, 7, 3] at [0, %y, 0, 0] sizes [1, 1, 7, 3] ins(%source : memref<1x4x4x3xi8>)
    outs(%padded : memref<1x6x7x3xi8, #memref_pool.rows<2>, #ws>) maps [#in, #out]
    init {
      %value = arith.constant -7 : i8
      accel.yield %value : i8
    } body {
    ^bb0(%sum: i8, %element: i8):
      accel.yield %element : i8
    } finish {
    ^bb0(%sum: i8, %count: i32):
      accel.yield %sum : i8
    }
  return
}

// -----

#in = affine_map<(y, x) -> (y - 1, x - 2)>
#out = affine_map<(y, x) -> (y, x)>
#moved = affine_map<(y, x) -> (x, y)>

// Two rows are a box for accel-lower-reduce. A transposed result is no copy, and neither is a sum that is changed.
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-3: accel.reduce
// CHECK-NOT:   linalg.fill
func.func @others(%source: memref<4x4xi8>, %padded: memref<6x6xi8>, %y: index) {
  accel.reduce [6, 6] at [%y, 0] sizes [2, 6] ins(%source : memref<4x4xi8>) outs(%padded : memref<6x6xi8>) maps [#in, #out]
    init {
      %value = arith.constant -7 : i8
      accel.yield %value : i8
    } body {
    ^bb0(%sum: i8, %element: i8):
      accel.yield %element : i8
    } finish {
    ^bb0(%sum: i8, %count: i32):
      accel.yield %sum : i8
    }
  accel.reduce [6, 6] ins(%source : memref<4x4xi8>) outs(%padded : memref<6x6xi8>) maps [#in, #moved]
    init {
      %value = arith.constant -7 : i8
      accel.yield %value : i8
    } body {
    ^bb0(%sum: i8, %element: i8):
      accel.yield %element : i8
    } finish {
    ^bb0(%sum: i8, %count: i32):
      accel.yield %sum : i8
    }
  accel.reduce [6, 6] ins(%source : memref<4x4xi8>) outs(%padded : memref<6x6xi8>) maps [#in, #out]
    init {
      %value = arith.constant -7 : i8
      accel.yield %value : i8
    } body {
    ^bb0(%sum: i8, %element: i8):
      %more = arith.addi %sum, %element : i8
      accel.yield %more : i8
    } finish {
    ^bb0(%sum: i8, %count: i32):
      accel.yield %sum : i8
    }
  return
}
