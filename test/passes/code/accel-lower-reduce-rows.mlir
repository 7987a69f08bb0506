// RUN: forebay-opt %s --split-input-file --accel-lower-reduce --canonicalize --cse | FileCheck %s

#sram = #memref_pool.space<@sram>
#map = affine_map<(y, x, c, ky, kx) -> (0, y + ky - 1, x + kx, c)>
#out = affine_map<(y, x, c) -> (0, y, x, c)>

// One row of a pooling: the row of the output is known outside of all loops, a row of the window in the loop over
// the window's rows, which is clamped at the borders of the operand. Loads and stores inside are from single rows.
// CHECK-LABEL: func.func @window(
// CHECK-SAME:    %[[Y:.*]]: index, %[[X:.*]]: memref<1x8x8x2xi8, #memref_pool.rows<2>{{.*}}>, %[[OUT:.*]]: memref<1x8x7x2xi8, #memref_pool.rows<2>
func.func @window(%y: index, %x: memref<1x8x8x2xi8, #memref_pool.rows<2>, #sram>, %out: memref<1x8x7x2xi8, #memref_pool.rows<2>, #sram>) {
  // CHECK: %[[ABOVE:.*]] = arith.addi %[[Y]], %c-1
  // CHECK: %[[BEGIN:.*]] = arith.maxsi
  // CHECK: %[[END:.*]] = arith.minsi
  // CHECK: %[[TO:.*]] = memref_pool.row %[[OUT]][0, %[[Y]]] : memref<1x8x7x2xi8, #memref_pool.rows<2>, #memref_pool.space<@sram>> to memref<7x2xi8, #memref_pool.space<@sram>>
  // CHECK: scf.for %[[COLUMN:.*]] = %c0 to %c7
  // CHECK:   scf.for %[[C:arg[0-9]+]] = %c0 to
  // CHECK:     scf.for %[[KY:.*]] = %[[BEGIN]] to %[[END]]
  // CHECK:       %[[NUMBER:.*]] = arith.addi %[[ABOVE]], %[[KY]]
  // CHECK:       %[[FROM:.*]] = memref_pool.row %[[X]][0, %[[NUMBER]]]
  // CHECK:       scf.for %[[KX:arg[0-9]+]] =
  // CHECK:         %[[AT:.*]] = arith.addi %[[COLUMN]], %[[KX]]
  // CHECK:         memref.load %[[FROM]][%[[AT]], %[[C]]] : memref<8x2xi8, #memref_pool.space<@sram>>
  // CHECK:     memref.store %{{.*}}, %[[TO]][%[[COLUMN]], %[[C]]]
  accel.reduce [8, 7, 2 | 3, 2] at [%y, 0, 0 | 0, 0] sizes [1, 7, 2 | 3, 2]
    ins(%x : memref<1x8x8x2xi8, #memref_pool.rows<2>, #sram>) outs(%out : memref<1x8x7x2xi8, #memref_pool.rows<2>, #sram>)
    maps [#map, #out]
    init {
      %least = arith.constant -128 : i8
      accel.yield %least : i8
    } body {
    ^bb0(%most: i8, %x0: i8):
      %next = arith.maxsi %most, %x0 : i8
      accel.yield %next : i8
    } finish {
    ^bb0(%most: i8, %count: i32):
      accel.yield %most : i8
    }
  return
}

// -----

#sram = #memref_pool.space<@sram>

// One row of a sum over all rows, with accumulators: no loop over the single row.
// CHECK-LABEL: func.func @sum(
// CHECK-SAME:    %[[Y:.*]]: index, %[[X:.*]]: memref<4x8x2xi32, #memref_pool.rows<1>
func.func @sum(%y: index, %x: memref<4x8x2xi32, #memref_pool.rows<1>, #sram>, %sums: memref<2xi32, #sram>, %out: memref<2xi32, #sram>) {
  // CHECK: scf.for %[[C:arg[0-9]+]] = %c0 to %c2
  // CHECK:   scf.if
  // CHECK:   %[[ROW:.*]] = memref_pool.row %[[X]][%[[Y]]]
  // CHECK-NEXT: scf.for %[[COLUMN:arg[0-9]+]] = %c0 to %c8
  // CHECK-NEXT: memref.load %[[ROW]][%[[COLUMN]], %[[C]]] : memref<8x2xi32, #memref_pool.space<@sram>>
  accel.reduce [2 | 4, 8] at [0 | %y, 0] sizes [2 | 1, 8]
    ins(%x : memref<4x8x2xi32, #memref_pool.rows<1>, #sram>) outs(%out : memref<2xi32, #sram>) accumulators(%sums : memref<2xi32, #sram>)
    maps [affine_map<(c, y, x) -> (y, x, c)>, affine_map<(c) -> (c)>]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%sum: i32, %x0: i32):
      %next = arith.addi %sum, %x0 : i32
      accel.yield %next : i32
    } finish {
    ^bb0(%sum: i32, %count: i32):
      accel.yield %sum : i32
    }
  return
}

// -----

#sram = #memref_pool.space<@sram>

// A row of two window dimensions may not exist: it is taken only where it does.
// CHECK-LABEL: func.func @guarded(
func.func @guarded(%x: memref<4x2xi32, #memref_pool.rows<1>, #sram>, %out: memref<4x2xi32, #memref_pool.rows<1>, #sram>) {
  // CHECK: scf.if
  // CHECK-NEXT: memref_pool.row
  // CHECK-NEXT: memref.load
  accel.reduce [4, 2 | 2, 2]
    ins(%x : memref<4x2xi32, #memref_pool.rows<1>, #sram>) outs(%out : memref<4x2xi32, #memref_pool.rows<1>, #sram>)
    maps [affine_map<(y, c, i, j) -> (y + i + j, c)>, affine_map<(y, c) -> (y, c)>]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%sum: i32, %x0: i32):
      %next = arith.addi %sum, %x0 : i32
      accel.yield %next : i32
    } finish {
    ^bb0(%sum: i32, %count: i32):
      accel.yield %sum : i32
    }
  return
}

// -----

#sram = #memref_pool.space<@sram>
#in = affine_map<(y, c, ky, kx) -> (y + ky - 1, kx, c)>
#weights = affine_map<(y, c, ky, kx) -> (ky, kx, c)>
#out = affine_map<(y, c) -> (y, c)>

// One row of a depthwise convolution. Where the window is inside, its three rows are taken once, outside of all loops, and
// its points are unrolled. At the borders a row is taken in the loop over the window's rows, which is clamped.
// CHECK-LABEL: func.func @unrolled(
// CHECK-SAME:    %[[Y:.*]]: index, %[[X:.*]]: memref<8x3x4xi8, #memref_pool.rows<1>
func.func @unrolled(%y: index, %x: memref<8x3x4xi8, #memref_pool.rows<1>, #sram>, %w: memref<3x3x4xi8>,
                    %out: memref<8x4xi32, #sram>) {
  // CHECK: %[[FIRST:.*]] = arith.cmpi sge, %[[Y]], %c1
  // CHECK: %[[LAST:.*]] = arith.cmpi slt, %[[Y]], %c7
  // CHECK: %[[INSIDE:.*]] = arith.andi %[[FIRST]], %[[LAST]]
  // CHECK: scf.if %[[INSIDE]] {
  // CHECK-DAG: %[[ABOVE:.*]] = arith.addi %[[Y]], %c-1
  // CHECK-DAG: memref_pool.row %[[X]][%[[ABOVE]]]
  // CHECK-DAG: memref_pool.row %[[X]][%[[Y]]]
  // CHECK-DAG: %[[BELOW:.*]] = arith.addi %[[Y]], %c1
  // CHECK-DAG: memref_pool.row %[[X]][%[[BELOW]]]
  // CHECK:   scf.for
  // CHECK-NOT: scf.for
  // CHECK-NOT: = memref_pool.row
  // CHECK: } else {
  // CHECK:   scf.for
  // CHECK:     scf.for
  // CHECK:       memref_pool.row
  accel.reduce [8, 4 | 3, 3] at [%y, 0 | 0, 0] sizes [1, 4 | 3, 3]
    ins(%x, %w : memref<8x3x4xi8, #memref_pool.rows<1>, #sram>, memref<3x3x4xi8>) outs(%out : memref<8x4xi32, #sram>)
    maps [#in, #weights, #out] blocks [1, 1, 3, 3] peeled [0]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%sum: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %next = arith.addi %sum, %product : i32
      accel.yield %next : i32
    } finish {
    ^bb0(%sum: i32, %count: i32):
      accel.yield %sum : i32
    }
  return
}

// -----

#sram = #memref_pool.space<@sram>

// Blocks of two of six rows: a step takes both.
// CHECK-LABEL: func.func @blocked(
// CHECK-SAME:    %[[X:.*]]: memref<6x4xi8, #memref_pool.rows<1>
func.func @blocked(%x: memref<6x4xi8, #memref_pool.rows<1>, #sram>, %w: memref<6x4xi8>, %out: memref<4xi32, #sram>) {
  // CHECK: scf.for
  // CHECK:   scf.for %[[K:.*]] = %c0 to %c6 step %c2
  // CHECK:     memref_pool.row %[[X]][%[[K]]]
  // CHECK:     %[[NEXT:.*]] = arith.addi %[[K]], %c1
  // CHECK:     memref_pool.row %[[X]][%[[NEXT]]]
  // CHECK-NOT: = memref_pool.row
  // CHECK: return
  accel.reduce [4 | 6] ins(%x, %w : memref<6x4xi8, #memref_pool.rows<1>, #sram>, memref<6x4xi8>) outs(%out : memref<4xi32, #sram>)
    maps [affine_map<(c, k) -> (k, c)>, affine_map<(c, k) -> (k, c)>, affine_map<(c) -> (c)>] blocks [1, 2]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%sum: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %next = arith.addi %sum, %product : i32
      accel.yield %next : i32
    } finish {
    ^bb0(%sum: i32, %count: i32):
      accel.yield %sum : i32
    }
  return
}
