// RUN: forebay-opt %s --split-input-file --accel-pad-sources=cpu=cascadelake | FileCheck %s

#ws = #memref_pool.space<@ws>
#rom = #memref_pool.space<@rom>
#x = affine_map<(y, x, c, ky, kx, k) -> (y + ky - 1, x + kx - 1, k)>
#w = affine_map<(y, x, c, ky, kx, k) -> (c, ky, kx, k)>
#p = affine_map<(y, x, c) -> (c)>
#o = affine_map<(y, x, c) -> (y, x, c)>

// The processor adds the products of words of 4 to each sum. Rows of windows of 9 elements become three words, with zero
// weights for a fourth column; the copy has 11 columns. The bias takes (3 - 128) * the sum of 27 weights.
// CHECK:       memref.global "private" constant @w : memref<16x3x4x3xi8, #{{.*}}> = dense<"0x050505050505050505000000050505
// CHECK:       memref.global "private" constant @b : memref<16xi32, #{{.*}}> = dense<-16870>
// CHECK-LABEL: func.func @wider(
// CHECK:         %[[COPY:.*]] = memref_pool.alloc : memref<10x11x3xi8
// CHECK:         %[[W:.*]] = memref.get_global @w : memref<16x3x4x3xi8
// CHECK:         accel.reduce [8, 8, 16 | 3, 4, 3] ins(%[[COPY]], %[[W]] :
// CHECK:         arith.addi %{{.*}}, %c128_i32
memref_pool.pool @ws workspace
memref_pool.pool @rom constant
memref.global "private" constant @w : memref<16x3x3x3xi8, #rom> = dense<5>
memref.global "private" constant @b : memref<16xi32, #rom> = dense<5>
func.func @wider(%in: memref<8x8x3xi8>, %out: memref<8x8x16xi8>) {
  %c3 = arith.constant 3 : i32
  %w = memref.get_global @w : memref<16x3x3x3xi8, #rom>
  %b = memref.get_global @b : memref<16xi32, #rom>
  %x = memref_pool.alloc : memref<8x8x3xi8, #ws>
  memref.copy %in, %x : memref<8x8x3xi8> to memref<8x8x3xi8, #ws>
  %y = memref_pool.alloc : memref<8x8x16xi8, #ws>
  accel.reduce [8, 8, 16 | 3, 3, 3] ins(%x, %w : memref<8x8x3xi8, #ws>, memref<16x3x3x3xi8, #rom>)
    params(%b : memref<16xi32, #rom>) outs(%y : memref<8x8x16xi8, #ws>) maps [#x, #w, #p, #o]
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
    ^bb0(%acc: i32, %count: i32, %b0: i32):
      %m = arith.constant 1073741824 : i32
      %s = arith.constant 40 : i8
      %low = arith.constant -128 : i32
      %high = arith.constant 127 : i32
      %scaled = tosa.apply_scale %acc, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %least = arith.maxsi %scaled, %low : i32
      %limited = arith.minsi %least, %high : i32
      %q = arith.trunci %limited : i32 to i8
      accel.yield %q : i8
    }
  memref.copy %y, %out : memref<8x8x16xi8, #ws> to memref<8x8x16xi8>
  %z = memref_pool.alloc : memref<8x8x32xi8, #ws>
  memref.copy %z, %z : memref<8x8x32xi8, #ws> to memref<8x8x32xi8, #ws>
  return
}

// -----

#ws = #memref_pool.space<@ws>
#rom = #memref_pool.space<@rom>
#x = affine_map<(y, x, c, ky, kx, k) -> (y + ky - 1, x + kx - 1, k)>
#w = affine_map<(y, x, c, ky, kx, k) -> (c, ky, kx, k)>
#p = affine_map<(y, x, c) -> (c)>
#o = affine_map<(y, x, c) -> (y, x, c)>

// A pool of constants with a capacity gets no zeros.
// CHECK:       memref.global "private" constant @w : memref<16x3x3x3xi8
// CHECK-LABEL: func.func @limited(
// CHECK:         memref_pool.alloc : memref<10x10x3xi8
// CHECK:         accel.reduce [8, 8, 16 | 3, 3, 3]
memref_pool.pool @ws workspace
memref_pool.pool @rom constant capacity 4096
memref.global "private" constant @w : memref<16x3x3x3xi8, #rom> = dense<5>
memref.global "private" constant @b : memref<16xi32, #rom> = dense<5>
func.func @limited(%in: memref<8x8x3xi8>, %out: memref<8x8x16xi8>) {
  %c3 = arith.constant 3 : i32
  %w = memref.get_global @w : memref<16x3x3x3xi8, #rom>
  %b = memref.get_global @b : memref<16xi32, #rom>
  %x = memref_pool.alloc : memref<8x8x3xi8, #ws>
  memref.copy %in, %x : memref<8x8x3xi8> to memref<8x8x3xi8, #ws>
  %y = memref_pool.alloc : memref<8x8x16xi8, #ws>
  accel.reduce [8, 8, 16 | 3, 3, 3] ins(%x, %w : memref<8x8x3xi8, #ws>, memref<16x3x3x3xi8, #rom>)
    params(%b : memref<16xi32, #rom>) outs(%y : memref<8x8x16xi8, #ws>) maps [#x, #w, #p, #o]
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
    ^bb0(%acc: i32, %count: i32, %b0: i32):
      %m = arith.constant 1073741824 : i32
      %s = arith.constant 40 : i8
      %low = arith.constant -128 : i32
      %high = arith.constant 127 : i32
      %scaled = tosa.apply_scale %acc, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %least = arith.maxsi %scaled, %low : i32
      %limited = arith.minsi %least, %high : i32
      %q = arith.trunci %limited : i32 to i8
      accel.yield %q : i8
    }
  memref.copy %y, %out : memref<8x8x16xi8, #ws> to memref<8x8x16xi8>
  %z = memref_pool.alloc : memref<8x8x32xi8, #ws>
  memref.copy %z, %z : memref<8x8x32xi8, #ws> to memref<8x8x32xi8, #ws>
  return
}

// -----

#ws = #memref_pool.space<@ws>
#rom = #memref_pool.space<@rom>
#x = affine_map<(y, x, c, ky, kx, k) -> (y + ky - 1, x + kx - 1, k)>
#w = affine_map<(y, x, c, ky, kx, k) -> (c, ky, kx, k)>
#p = affine_map<(y, x, c) -> (c)>
#o = affine_map<(y, x, c) -> (y, x, c)>

// The plan has 1,340 bytes. Beside %y, with 1,024, fits a copy of 10 columns, with 300, but none of 11.
// CHECK-LABEL: func.func @narrow(
// CHECK:         memref_pool.alloc : memref<10x10x3xi8
// CHECK:         accel.reduce [8, 8, 16 | 3, 3, 3]
memref_pool.pool @ws workspace
memref_pool.pool @rom constant
memref.global "private" constant @w : memref<16x3x3x3xi8, #rom> = dense<5>
memref.global "private" constant @b : memref<16xi32, #rom> = dense<5>
func.func @narrow(%in: memref<8x8x3xi8>, %out: memref<8x8x16xi8>) {
  %c3 = arith.constant 3 : i32
  %w = memref.get_global @w : memref<16x3x3x3xi8, #rom>
  %b = memref.get_global @b : memref<16xi32, #rom>
  %x = memref_pool.alloc : memref<8x8x3xi8, #ws>
  memref.copy %in, %x : memref<8x8x3xi8> to memref<8x8x3xi8, #ws>
  %y = memref_pool.alloc : memref<8x8x16xi8, #ws>
  accel.reduce [8, 8, 16 | 3, 3, 3] ins(%x, %w : memref<8x8x3xi8, #ws>, memref<16x3x3x3xi8, #rom>)
    params(%b : memref<16xi32, #rom>) outs(%y : memref<8x8x16xi8, #ws>) maps [#x, #w, #p, #o]
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
    ^bb0(%acc: i32, %count: i32, %b0: i32):
      %m = arith.constant 1073741824 : i32
      %s = arith.constant 40 : i8
      %low = arith.constant -128 : i32
      %high = arith.constant 127 : i32
      %scaled = tosa.apply_scale %acc, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %least = arith.maxsi %scaled, %low : i32
      %limited = arith.minsi %least, %high : i32
      %q = arith.trunci %limited : i32 to i8
      accel.yield %q : i8
    }
  memref.copy %y, %out : memref<8x8x16xi8, #ws> to memref<8x8x16xi8>
  %z = memref_pool.alloc : memref<1340xi8, #ws>
  memref.copy %z, %z : memref<1340xi8, #ws> to memref<1340xi8, #ws>
  return
}
