// RUN: forebay-opt %s --split-input-file "--accel-schedule-kernels=cpu=cortex-m4" | FileCheck %s
// RUN: forebay-opt %s --split-input-file "--accel-schedule-kernels=cpu=cortex-m4" --accel-lower-reduce --canonicalize --cse | FileCheck %s --check-prefix LOOPS
// RUN: forebay-opt %s --split-input-file "--accel-schedule-kernels=cpu=generic" | FileCheck %s --check-prefix GENERIC

#sram = #memref_pool.space<@sram>
#in = affine_map<(y, x, c, ky, kx, k) -> (0, y + ky - 1, x + kx - 1, k)>
#weights = affine_map<(y, x, c, ky, kx, k) -> (c, ky, kx, k)>
#out = affine_map<(y, x, c) -> (0, y, x, c)>

// One row of a convolution: columns and channels of a window are a run of memory in each row, wherever it lies. The rows
// and the dimension of the row that is computed stay.
// CHECK-LABEL: func.func @row(
// CHECK:         %[[IN:.*]] = builtin.unrealized_conversion_cast %{{.*}} : memref<1x8x6x8xi8, #memref_pool.rows<2>, #memref_pool.space<@sram>> to memref<1x8x48xi8, #memref_pool.rows<2>, #memref_pool.space<@sram>>
// CHECK:         %[[W:.*]] = memref.collapse_shape %{{.*}} : memref<4x3x3x8xi8> into memref<4x3x24xi8>
// CHECK:         accel.reduce [8, 6, 4 | 3, 24] at [%{{.*}}, 0, 0 | 0, 0] sizes [1, 6, 4 | 3, 24] ins(%[[IN]], %[[W]] :
// CHECK-SAME:      words [1, 1, 1, 1, 4]

// LOOPS-LABEL: func.func @row(
// LOOPS-NOT:     unrealized_conversion_cast
// LOOPS:         %[[ROW:.*]] = memref_pool.row %{{.*}}[0, %{{.*}}] : memref<1x8x6x8xi8
// LOOPS:         memref.collapse_shape %[[ROW]] {{.*}} into memref<48xi8
func.func @row(%y: index, %in: memref<1x8x6x8xi8, #memref_pool.rows<2>, #sram>, %weights: memref<4x3x3x8xi8>,
               %out: memref<1x8x6x4xi32, #memref_pool.rows<2>, #sram>) {
  accel.reduce [8, 6, 4 | 3, 3, 8] at [%y, 0, 0 | 0, 0, 0] sizes [1, 6, 4 | 3, 3, 8]
    ins(%in, %weights : memref<1x8x6x8xi8, #memref_pool.rows<2>, #sram>, memref<4x3x3x8xi8>)
    outs(%out : memref<1x8x6x4xi32, #memref_pool.rows<2>, #sram>) maps [#in, #weights, #out]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%sum: i32, %x: i8, %w: i8):
      %x32 = arith.extsi %x : i8 to i32
      %w32 = arith.extsi %w : i8 to i32
      %product = arith.muli %x32, %w32 : i32
      %next = arith.addi %sum, %product : i32
      accel.yield %next : i32
    } finish {
    ^bb0(%sum: i32, %count: i32):
      accel.yield %sum : i32
    }
  return
}

// -----

#in = affine_map<(y, x, k) -> (y, x, k)>
#out = affine_map<(y, x) -> (y, x)>

// A box with some columns only: columns and channels stay apart from the rows, and a part of a dimension does not merge.
// CHECK-LABEL: func.func @part(
// CHECK:         accel.reduce [8, 6 | 8] at [%{{.*}}, 2 | 0] sizes [1, 3 | 8]
func.func @part(%y: index, %in: memref<8x6x8xi8>, %out: memref<8x6xi32>) {
  accel.reduce [8, 6 | 8] at [%y, 2 | 0] sizes [1, 3 | 8]
    ins(%in, %in : memref<8x6x8xi8>, memref<8x6x8xi8>)
    outs(%out : memref<8x6xi32>) maps [#in, #in, #out]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%sum: i32, %x: i8, %w: i8):
      %x32 = arith.extsi %x : i8 to i32
      %w32 = arith.extsi %w : i8 to i32
      %product = arith.muli %x32, %w32 : i32
      %next = arith.addi %sum, %product : i32
      accel.yield %next : i32
    } finish {
    ^bb0(%sum: i32, %count: i32):
      accel.yield %sum : i32
    }
  return
}

// -----

#in = affine_map<(n, y, x, ky) -> (n, y + ky - 2, x)>
#weights = affine_map<(n, y, x, ky) -> (ky)>
#out = affine_map<(n, y, x) -> (n, y, x)>

// Rows and columns of one image of a batch: the bounds of a window along merged positions would be quotients, which do not
// show that no other image is read. So they stay apart.
// CHECK-LABEL: func.func @window(
// CHECK:         accel.reduce [2, 4, 9 | 5] at [%{{.*}}, 0, 0 | 0] sizes [1, 4, 9 | 5]
func.func @window(%n: index, %in: memref<2x4x9xi8>, %weights: memref<5xi8>, %out: memref<2x4x9xi32>) {
  accel.reduce [2, 4, 9 | 5] at [%n, 0, 0 | 0] sizes [1, 4, 9 | 5]
    ins(%in, %weights : memref<2x4x9xi8>, memref<5xi8>)
    outs(%out : memref<2x4x9xi32>) maps [#in, #weights, #out]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%sum: i32, %x: i8, %w: i8):
      %x32 = arith.extsi %x : i8 to i32
      %w32 = arith.extsi %w : i8 to i32
      %product = arith.muli %x32, %w32 : i32
      %next = arith.addi %sum, %product : i32
      accel.yield %next : i32
    } finish {
    ^bb0(%sum: i32, %count: i32):
      accel.yield %sum : i32
    }
  return
}

// -----

#in = affine_map<(y, x, c, k) -> (y, x, k)>
#weights = affine_map<(y, x, c, k) -> (c, k)>
#out = affine_map<(y, x, c) -> (y, x, c)>

// The code of a row is the same for all 25 rows, so it is as large as that of all rows at once: words in pairs of columns and
// channels, and longer blocks for the fifth column.
// CHECK-LABEL: func.func @rows(
// CHECK:         accel.reduce [25, 5, 64 | 64] {{.*}} blocks [1, 2, 2, 16] words [1, 1, 1, 4] peeled [1]
func.func @rows(%y: index, %in: memref<25x5x64xi8>, %weights: memref<64x64xi8>, %out: memref<25x5x64xi32>) {
  accel.reduce [25, 5, 64 | 64] at [%y, 0, 0 | 0] sizes [1, 5, 64 | 64]
    ins(%in, %weights : memref<25x5x64xi8>, memref<64x64xi8>)
    outs(%out : memref<25x5x64xi32>) maps [#in, #weights, #out]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%sum: i32, %x: i8, %w: i8):
      %x32 = arith.extsi %x : i8 to i32
      %w32 = arith.extsi %w : i8 to i32
      %product = arith.muli %x32, %w32 : i32
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
#in = affine_map<(y, x, c, ky, kx) -> (y + ky - 1, x + kx - 1, c)>
#weights = affine_map<(y, x, c, ky, kx) -> (ky, kx, c)>
#out = affine_map<(y, x, c) -> (y, x, c)>

// The rows of a window lie anywhere: all of its points are one step, with code of its own where the window is inside.
// GENERIC-LABEL: func.func @depthwise(
// GENERIC:         accel.reduce [24, 5, 64 | 3, 3] {{.*}} blocks [1, {{[0-9]+}}, {{[0-9]+}}, 3, 3] peeled [0
func.func @depthwise(%y: index, %in: memref<24x5x64xi8, #memref_pool.rows<1>, #sram>, %weights: memref<3x3x64xi8>,
                     %out: memref<24x5x64xi32, #memref_pool.rows<1>, #sram>) {
  accel.reduce [24, 5, 64 | 3, 3] at [%y, 0, 0 | 0, 0] sizes [1, 5, 64 | 3, 3]
    ins(%in, %weights : memref<24x5x64xi8, #memref_pool.rows<1>, #sram>, memref<3x3x64xi8>)
    outs(%out : memref<24x5x64xi32, #memref_pool.rows<1>, #sram>) maps [#in, #weights, #out]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%sum: i32, %x: i8, %w: i8):
      %offset = arith.constant 128 : i32
      %x32 = arith.extsi %x : i8 to i32
      %w32 = arith.extsi %w : i8 to i32
      %z32 = arith.addi %x32, %offset : i32
      %product = arith.muli %z32, %w32 : i32
      %next = arith.addi %sum, %product : i32
      accel.yield %next : i32
    } finish {
    ^bb0(%sum: i32, %count: i32):
      accel.yield %sum : i32
    }
  return
}
