// RUN: forebay-opt %s --split-input-file --accel-pad-sources | FileCheck %s

#ws = #memref_pool.space<@ws>
#x = affine_map<(y, x, c, ky, kx, k) -> (y + ky - 1, x + kx - 1, k)>
#w = affine_map<(y, x, c, ky, kx, k) -> (c, ky, kx, k)>
#p = affine_map<(y, x, c) -> (c)>
#o = affine_map<(y, x, c) -> (y, x, c)>

// At the peak of the plan: 512 + 1024 bytes are live. The whole copy has 800 bytes; a strip for 4 rows of the result has 480, for
// which there is room as the rows of %x die. Its last two rows are the first two of the next one.
// CHECK-DAG:   #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 + d3, d1 + d4, d5)>
// CHECK-LABEL: func.func @by_rows(
// CHECK:         %[[SOURCE:.*]] = memref_pool.alloc : memref<8x8x8xi8, {{.*}}>
// CHECK:         %[[OUT:.*]] = memref_pool.alloc : memref<8x8x16xi8, {{.*}}>
// CHECK:         %[[STRIP:.*]] = memref_pool.alloc : memref<6x10x8xi8, #memref_pool.space<@ws>>
// CHECK:         %[[ZERO:.*]] = arith.constant -3 : i8
// CHECK:         %[[ALL:.*]] = memref.collapse_shape %[[STRIP]] {{\[}}[0, 1, 2]]
// CHECK:         linalg.fill ins(%[[ZERO]] : i8) outs(%[[ALL]]
// CHECK-DAG:     %[[LAST:.*]] = memref.subview %[[STRIP]][5, 1, 0] [1, 8, 8] [1, 1, 1]
// CHECK-DAG:     %[[FIRST:.*]] = memref.subview %[[SOURCE]][0, 0, 0] [1, 8, 8] [1, 1, 1]
// CHECK:         memref.copy %[[FIRST]], %[[LAST]]
// CHECK:         scf.for %[[ROW:.*]] = %c0 to %c8 step %c4 {
// CHECK-DAG:       %[[END:.*]] = memref.subview %[[STRIP]][4, 0, 0] [2, 10, 8] [1, 1, 1]
// CHECK-DAG:       %[[FRONT:.*]] = memref.subview %[[STRIP]][0, 0, 0] [2, 10, 8] [1, 1, 1]
// CHECK:           memref.copy %[[END]], %[[FRONT]]
// CHECK:           %[[NEXT:.*]] = arith.addi %[[ROW]], %c1
// CHECK-DAG:       %[[INSIDE:.*]] = memref.subview %[[STRIP]][2, 1, 0] [3, 8, 8] [1, 1, 1]
// CHECK-DAG:       %[[ROWS:.*]] = memref.subview %[[SOURCE]][%[[NEXT]], 0, 0] [3, 8, 8] [1, 1, 1]
// CHECK:           memref.copy %[[ROWS]], %[[INSIDE]]
// CHECK:           %[[IN:.*]] = arith.cmpi slt, %[[ROW]], %c4
// CHECK:           scf.if %[[IN]] {
// CHECK:             %[[BEHIND:.*]] = arith.addi %[[NEXT]], %c3
// CHECK:             %[[AT:.*]] = arith.minsi %[[BEHIND]], %c7
// CHECK:             memref.subview %[[SOURCE]][%[[AT]], 0, 0] [1, 8, 8] [1, 1, 1]
// CHECK:             memref.copy
// CHECK:           } else {
// CHECK:             %[[BELOW:.*]] = memref.subview %[[STRIP]][5, 0, 0] [1, 10, 8] [1, 1, 1]
// CHECK:             %[[FLAT:.*]] = memref.collapse_shape %[[BELOW]] {{\[}}[0, 1, 2]]
// CHECK:             linalg.fill ins(%[[ZERO]] : i8) outs(%[[FLAT]]
// CHECK:           %[[RESULT:.*]] = memref.subview %[[OUT]][%[[ROW]], 0, 0] [4, 8, 16] [1, 1, 1]
// CHECK:           accel.reduce [4, 8, 16 | 3, 3, 8] ins(%[[STRIP]], {{.*}} outs(%[[RESULT]] {{.*}} maps [#[[X]], #{{.*}}
// CHECK:         } {memref_pool.by_rows}
memref_pool.pool @ws workspace
memref.global "private" constant @w : memref<16x3x3x8xi8> = dense<5>
memref.global "private" constant @b : memref<16xi32> = dense<5>
func.func @by_rows(%in: memref<8x8x8xi8>, %out: memref<8x8x16xi8>) {
  %c3 = arith.constant 3 : i32
  %w = memref.get_global @w : memref<16x3x3x8xi8>
  %b = memref.get_global @b : memref<16xi32>
  %x = memref_pool.alloc : memref<8x8x8xi8, #ws>
  memref.copy %in, %x : memref<8x8x8xi8> to memref<8x8x8xi8, #ws>
  %y = memref_pool.alloc : memref<8x8x16xi8, #ws>
  accel.reduce [8, 8, 16 | 3, 3, 8] ins(%x, %w : memref<8x8x8xi8, #ws>, memref<16x3x3x8xi8>) params(%b : memref<16xi32>)
    outs(%y : memref<8x8x16xi8, #ws>) maps [#x, #w, #p, #o]
    init {
    ^bb0(%b0: i32):
      accel.yield %b0 : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %x2 = arith.addi %x1, %c3 : i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x2, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %n: i32, %b0: i32):
      %r = arith.trunci %acc : i32 to i8
      accel.yield %r : i8
    }
  memref.copy %y, %out : memref<8x8x16xi8, #ws> to memref<8x8x16xi8>
  return
}

// -----

#ws = #memref_pool.space<@ws>
#x = affine_map<(y, x, c, ky, kx, k) -> (y + ky - 1, x + kx - 1, k)>
#w = affine_map<(y, x, c, ky, kx, k) -> (c, ky, kx, k)>
#p = affine_map<(y, x, c) -> (c)>
#o = affine_map<(y, x, c) -> (y, x, c)>

// The result has the shape of the source, which nothing reads later, so it takes its buffer.
// CHECK-LABEL: func.func @in_place(
// CHECK:         %[[SOURCE:.*]] = memref_pool.alloc : memref<8x8x8xi8, {{.*}}>
// CHECK:         %[[STRIP:.*]] = memref_pool.alloc : memref<6x10x8xi8, #memref_pool.space<@ws>>
// CHECK:         scf.for %[[ROW:.*]] = %c0 to %c8 step %c4 {
// CHECK:           %[[RESULT:.*]] = memref.subview %[[SOURCE]][%[[ROW]], 0, 0] [4, 8, 8] [1, 1, 1]
// CHECK:           accel.reduce [4, 8, 8 | 3, 3, 8] ins(%[[STRIP]], {{.*}} outs(%[[RESULT]]
// CHECK:         }
// CHECK-NOT:     by_rows
// CHECK:         memref.copy %[[SOURCE]], %arg1
memref_pool.pool @ws workspace
memref.global "private" constant @w : memref<8x3x3x8xi8> = dense<5>
memref.global "private" constant @b : memref<8xi32> = dense<5>
func.func @in_place(%in: memref<8x8x8xi8>, %out: memref<8x8x8xi8>) {
  %c3 = arith.constant 3 : i32
  %w = memref.get_global @w : memref<8x3x3x8xi8>
  %b = memref.get_global @b : memref<8xi32>
  %x = memref_pool.alloc : memref<8x8x8xi8, #ws>
  memref.copy %in, %x : memref<8x8x8xi8> to memref<8x8x8xi8, #ws>
  %y = memref_pool.alloc : memref<8x8x8xi8, #ws>
  accel.reduce [8, 8, 8 | 3, 3, 8] ins(%x, %w : memref<8x8x8xi8, #ws>, memref<8x3x3x8xi8>) params(%b : memref<8xi32>)
    outs(%y : memref<8x8x8xi8, #ws>) maps [#x, #w, #p, #o]
    init {
    ^bb0(%b0: i32):
      accel.yield %b0 : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %x2 = arith.addi %x1, %c3 : i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x2, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %n: i32, %b0: i32):
      %r = arith.trunci %acc : i32 to i8
      accel.yield %r : i8
    }
  memref.copy %y, %out : memref<8x8x8xi8, #ws> to memref<8x8x8xi8>
  return
}

// -----

#ws = #memref_pool.space<@ws>
#x = affine_map<(y, x, c, ky, kx, k) -> (y + ky - 1, x + kx - 1, k)>
#w = affine_map<(y, x, c, ky, kx, k) -> (c, ky, kx, k)>
#p = affine_map<(y, x, c) -> (c)>
#o = affine_map<(y, x, c) -> (y, x, c)>

// The source is read later, so nothing is free at any time.
// CHECK-LABEL: func.func @no_room(
// CHECK-NOT:     scf.for
// CHECK:         accel.reduce [8, 8, 16 | 3, 3, 8]
memref_pool.pool @ws workspace
memref.global "private" constant @w : memref<16x3x3x8xi8> = dense<5>
memref.global "private" constant @b : memref<16xi32> = dense<5>
func.func @no_room(%in: memref<8x8x8xi8>, %out: memref<8x8x16xi8>) {
  %c3 = arith.constant 3 : i32
  %w = memref.get_global @w : memref<16x3x3x8xi8>
  %b = memref.get_global @b : memref<16xi32>
  %x = memref_pool.alloc : memref<8x8x8xi8, #ws>
  memref.copy %in, %x : memref<8x8x8xi8> to memref<8x8x8xi8, #ws>
  %y = memref_pool.alloc : memref<8x8x16xi8, #ws>
  accel.reduce [8, 8, 16 | 3, 3, 8] ins(%x, %w : memref<8x8x8xi8, #ws>, memref<16x3x3x8xi8>) params(%b : memref<16xi32>)
    outs(%y : memref<8x8x16xi8, #ws>) maps [#x, #w, #p, #o]
    init {
    ^bb0(%b0: i32):
      accel.yield %b0 : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %x2 = arith.addi %x1, %c3 : i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x2, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %n: i32, %b0: i32):
      %r = arith.trunci %acc : i32 to i8
      accel.yield %r : i8
    }
  memref.copy %y, %out : memref<8x8x16xi8, #ws> to memref<8x8x16xi8>
  memref.copy %x, %in : memref<8x8x8xi8, #ws> to memref<8x8x8xi8>
  return
}
