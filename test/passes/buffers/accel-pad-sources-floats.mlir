// RUN: forebay-opt %s --split-input-file --accel-pad-sources=cpu=cortex-m4 | FileCheck %s

#ws = #memref_pool.space<@ws>
#x = affine_map<(y, x, c, ky, kx, k) -> (y + ky - 1, x + kx - 1, k)>
#w = affine_map<(y, x, c, ky, kx, k) -> (c, ky, kx, k)>
#p = affine_map<(y, x, c) -> (c)>
#o = affine_map<(y, x, c) -> (y, x, c)>

// Zeros around the source add nothing to sums that begin with 0.0: the weights are finite.
// CHECK-LABEL: func.func @zeros(
// CHECK:         %[[COPY:.*]] = memref_pool.alloc : memref<10x10x8xf32, #memref_pool.space<@ws>>
// CHECK:         accel.reduce [10, 10, 8] ins(%{{.*}}) outs(%[[COPY]] {{.*}} init {
// CHECK-NEXT:      %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      accel.yield %[[ZERO]]
// CHECK:         accel.reduce [8, 8, 16 | 3, 3, 8] ins(%[[COPY]],
// CHECK:         return
memref_pool.pool @ws workspace
memref.global "private" constant @w : memref<16x3x3x8xf32> = dense<5.0>
memref.global "private" constant @b : memref<16xf32> = dense<1.0>
func.func @zeros(%in: memref<8x8x8xf32>, %out: memref<8x8x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %w = memref.get_global @w : memref<16x3x3x8xf32>
  %b = memref.get_global @b : memref<16xf32>
  %x = memref_pool.alloc : memref<8x8x8xf32, #ws>
  memref.copy %in, %x : memref<8x8x8xf32> to memref<8x8x8xf32, #ws>
  %y = memref_pool.alloc : memref<8x8x16xf32, #ws>
  accel.reduce [8, 8, 16 | 3, 3, 8] ins(%x, %w : memref<8x8x8xf32, #ws>, memref<16x3x3x8xf32>) params(%b : memref<16xf32>)
    outs(%y : memref<8x8x16xf32, #ws>) maps [#x, #w, #p, #o] init {
    ^bb0(%b0: f32):
      accel.yield %zero : f32
    } body {
    ^bb0(%acc: f32, %x0: f32, %w0: f32):
      %product = arith.mulf %x0, %w0 : f32
      %sum = arith.addf %acc, %product : f32
      accel.yield %sum : f32
    } finish {
    ^bb0(%acc: f32, %n: i32, %b0: f32):
      %r = arith.addf %acc, %b0 : f32
      accel.yield %r : f32
    }
  memref.copy %y, %out : memref<8x8x16xf32, #ws> to memref<8x8x16xf32>
  %z = memref_pool.alloc : memref<8x8x32xf32, #ws>
  memref.copy %z, %z : memref<8x8x32xf32, #ws> to memref<8x8x32xf32, #ws>
  return
}

// -----

#ws = #memref_pool.space<@ws>
#x = affine_map<(y, x, c, ky, kx, k) -> (y + ky - 1, x + kx - 1, k)>
#w = affine_map<(y, x, c, ky, kx, k) -> (c, ky, kx, k)>
#p = affine_map<(y, x, c) -> (c)>
#o = affine_map<(y, x, c) -> (y, x, c)>

// 0.0 times an infinite weight is no number.
// CHECK-LABEL: func.func @infinite(
// CHECK-NOT:     memref<10x10x8xf32
// CHECK:         return
memref_pool.pool @ws workspace
memref.global "private" constant @w : memref<16x3x3x8xf32> = dense<0x7F800000>
memref.global "private" constant @b : memref<16xf32> = dense<1.0>
func.func @infinite(%in: memref<8x8x8xf32>, %out: memref<8x8x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %w = memref.get_global @w : memref<16x3x3x8xf32>
  %b = memref.get_global @b : memref<16xf32>
  %x = memref_pool.alloc : memref<8x8x8xf32, #ws>
  memref.copy %in, %x : memref<8x8x8xf32> to memref<8x8x8xf32, #ws>
  %y = memref_pool.alloc : memref<8x8x16xf32, #ws>
  accel.reduce [8, 8, 16 | 3, 3, 8] ins(%x, %w : memref<8x8x8xf32, #ws>, memref<16x3x3x8xf32>) params(%b : memref<16xf32>)
    outs(%y : memref<8x8x16xf32, #ws>) maps [#x, #w, #p, #o] init {
    ^bb0(%b0: f32):
      accel.yield %zero : f32
    } body {
    ^bb0(%acc: f32, %x0: f32, %w0: f32):
      %product = arith.mulf %x0, %w0 : f32
      %sum = arith.addf %acc, %product : f32
      accel.yield %sum : f32
    } finish {
    ^bb0(%acc: f32, %n: i32, %b0: f32):
      %r = arith.addf %acc, %b0 : f32
      accel.yield %r : f32
    }
  memref.copy %y, %out : memref<8x8x16xf32, #ws> to memref<8x8x16xf32>
  %z = memref_pool.alloc : memref<8x8x32xf32, #ws>
  memref.copy %z, %z : memref<8x8x32xf32, #ws> to memref<8x8x32xf32, #ws>
  return
}

// -----

#ws = #memref_pool.space<@ws>
#x = affine_map<(y, x, c, ky, kx, k) -> (y + ky - 1, x + kx - 1, k)>
#w = affine_map<(y, x, c, ky, kx, k) -> (c, ky, kx, k)>
#p = affine_map<(y, x, c) -> (c)>
#o = affine_map<(y, x, c) -> (y, x, c)>

// -0.0 + 0.0 is 0.0, so a sum that begins with -0.0 may change.
// CHECK-LABEL: func.func @negative_zero(
// CHECK-NOT:     memref<10x10x8xf32
// CHECK:         return
memref_pool.pool @ws workspace
memref.global "private" constant @w : memref<16x3x3x8xf32> = dense<5.0>
memref.global "private" constant @b : memref<16xf32> = dense<1.0>
func.func @negative_zero(%in: memref<8x8x8xf32>, %out: memref<8x8x16xf32>) {
  %zero = arith.constant -0.0 : f32
  %w = memref.get_global @w : memref<16x3x3x8xf32>
  %b = memref.get_global @b : memref<16xf32>
  %x = memref_pool.alloc : memref<8x8x8xf32, #ws>
  memref.copy %in, %x : memref<8x8x8xf32> to memref<8x8x8xf32, #ws>
  %y = memref_pool.alloc : memref<8x8x16xf32, #ws>
  accel.reduce [8, 8, 16 | 3, 3, 8] ins(%x, %w : memref<8x8x8xf32, #ws>, memref<16x3x3x8xf32>) params(%b : memref<16xf32>)
    outs(%y : memref<8x8x16xf32, #ws>) maps [#x, #w, #p, #o] init {
    ^bb0(%b0: f32):
      accel.yield %zero : f32
    } body {
    ^bb0(%acc: f32, %x0: f32, %w0: f32):
      %product = arith.mulf %x0, %w0 : f32
      %sum = arith.addf %acc, %product : f32
      accel.yield %sum : f32
    } finish {
    ^bb0(%acc: f32, %n: i32, %b0: f32):
      %r = arith.addf %acc, %b0 : f32
      accel.yield %r : f32
    }
  memref.copy %y, %out : memref<8x8x16xf32, #ws> to memref<8x8x16xf32>
  %z = memref_pool.alloc : memref<8x8x32xf32, #ws>
  memref.copy %z, %z : memref<8x8x32xf32, #ws> to memref<8x8x32xf32, #ws>
  return
}

// -----

#ws = #memref_pool.space<@ws>
#x = affine_map<(y, x, c, ky, kx, k) -> (y + ky - 1, x + kx - 1, k)>
#w = affine_map<(y, x, c, ky, kx, k) -> (c, ky, kx, k)>
#p = affine_map<(y, x, c) -> (c)>
#o = affine_map<(y, x, c) -> (y, x, c)>

// The bias may be -0.0.
// CHECK-LABEL: func.func @unknown(
// CHECK-NOT:     memref<10x10x8xf32
// CHECK:         return
memref_pool.pool @ws workspace
memref.global "private" constant @w : memref<16x3x3x8xf32> = dense<5.0>
memref.global "private" constant @b : memref<16xf32> = dense<1.0>
func.func @unknown(%in: memref<8x8x8xf32>, %out: memref<8x8x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %w = memref.get_global @w : memref<16x3x3x8xf32>
  %b = memref.get_global @b : memref<16xf32>
  %x = memref_pool.alloc : memref<8x8x8xf32, #ws>
  memref.copy %in, %x : memref<8x8x8xf32> to memref<8x8x8xf32, #ws>
  %y = memref_pool.alloc : memref<8x8x16xf32, #ws>
  accel.reduce [8, 8, 16 | 3, 3, 8] ins(%x, %w : memref<8x8x8xf32, #ws>, memref<16x3x3x8xf32>) params(%b : memref<16xf32>)
    outs(%y : memref<8x8x16xf32, #ws>) maps [#x, #w, #p, #o] init {
    ^bb0(%b0: f32):
      accel.yield %b0 : f32
    } body {
    ^bb0(%acc: f32, %x0: f32, %w0: f32):
      %product = arith.mulf %x0, %w0 : f32
      %sum = arith.addf %acc, %product : f32
      accel.yield %sum : f32
    } finish {
    ^bb0(%acc: f32, %n: i32, %b0: f32):
      %r = arith.addf %acc, %b0 : f32
      accel.yield %r : f32
    }
  memref.copy %y, %out : memref<8x8x16xf32, #ws> to memref<8x8x16xf32>
  %z = memref_pool.alloc : memref<8x8x32xf32, #ws>
  memref.copy %z, %z : memref<8x8x32xf32, #ws> to memref<8x8x32xf32, #ws>
  return
}

// -----

#ws = #memref_pool.space<@ws>
#x = affine_map<(y, x, c, ky, kx, k) -> (y + ky - 1, x + kx - 1, k)>
#w = affine_map<(y, x, c, ky, kx, k) -> (c, ky, kx, k)>
#p = affine_map<(y, x, c) -> (c)>
#o = affine_map<(y, x, c) -> (y, x, c)>

// A sum that begins with another number never is -0.0.
// CHECK-LABEL: func.func @other_number(
// CHECK:         %[[COPY:.*]] = memref_pool.alloc : memref<10x10x8xf32, #memref_pool.space<@ws>>
// CHECK:         accel.reduce [10, 10, 8] ins(%{{.*}}) outs(%[[COPY]] {{.*}} init {
// CHECK-NEXT:      %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      accel.yield %[[ZERO]]
// CHECK:         accel.reduce [8, 8, 16 | 3, 3, 8] ins(%[[COPY]],
// CHECK:         return
memref_pool.pool @ws workspace
memref.global "private" constant @w : memref<16x3x3x8xf32> = dense<5.0>
memref.global "private" constant @b : memref<16xf32> = dense<1.0>
func.func @other_number(%in: memref<8x8x8xf32>, %out: memref<8x8x16xf32>) {
  %zero = arith.constant -1.5 : f32
  %w = memref.get_global @w : memref<16x3x3x8xf32>
  %b = memref.get_global @b : memref<16xf32>
  %x = memref_pool.alloc : memref<8x8x8xf32, #ws>
  memref.copy %in, %x : memref<8x8x8xf32> to memref<8x8x8xf32, #ws>
  %y = memref_pool.alloc : memref<8x8x16xf32, #ws>
  accel.reduce [8, 8, 16 | 3, 3, 8] ins(%x, %w : memref<8x8x8xf32, #ws>, memref<16x3x3x8xf32>) params(%b : memref<16xf32>)
    outs(%y : memref<8x8x16xf32, #ws>) maps [#x, #w, #p, #o] init {
    ^bb0(%b0: f32):
      accel.yield %zero : f32
    } body {
    ^bb0(%acc: f32, %x0: f32, %w0: f32):
      %product = arith.mulf %x0, %w0 : f32
      %sum = arith.addf %acc, %product : f32
      accel.yield %sum : f32
    } finish {
    ^bb0(%acc: f32, %n: i32, %b0: f32):
      %r = arith.addf %acc, %b0 : f32
      accel.yield %r : f32
    }
  memref.copy %y, %out : memref<8x8x16xf32, #ws> to memref<8x8x16xf32>
  %z = memref_pool.alloc : memref<8x8x32xf32, #ws>
  memref.copy %z, %z : memref<8x8x32xf32, #ws> to memref<8x8x32xf32, #ws>
  return
}
