// RUN: forebay-opt %s --split-input-file --accel-interleave-weights=cpu=x86-64-v3 | FileCheck %s
// RUN: forebay-opt %s --split-input-file --accel-interleave-weights=cpu=x86-64-v3 --accel-schedule-kernels=cpu=x86-64-v3 --accel-lower-reduce | FileCheck %s --check-prefix=LOOPS
// RUN: forebay-opt %s --split-input-file --accel-interleave-weights=cpu=cortex-m55 | FileCheck %s --check-prefix=M55

// Vectors of MVE make zeros of subnormal numbers.
// M55-NOT: accel.interleaved

#x = affine_map<(p, c, k) -> (p, k)>
#w = affine_map<(p, c, k) -> (c, k)>
#p = affine_map<(p, c) -> (c)>
#o = affine_map<(p, c) -> (p, c)>

// First the elements of k = 0 of 8 channels. A product is rounded before it is added.
// CHECK:       memref.global "private" constant @w : memref<16x32xf32> = dense<2.500000e+00> {accel.interleaved = 8 : i64}
// CHECK-LABEL: func.func @conv(
// CHECK:         accel.reduce [48, 2, 8 | 32]
// LOOPS-LABEL: func.func @conv(
// LOOPS:         scf.for
// LOOPS:           %[[X:.*]] = memref.load %{{.*}} : memref<{{.*}}xf32
// LOOPS:           %[[EACH:.*]] = vector.broadcast %[[X]] : f32 to vector<8xf32>
// LOOPS:           %[[W:.*]] = vector.load {{.*}}, vector<8xf32>
// LOOPS:           %[[PRODUCT:.*]] = arith.mulf %[[EACH]], %[[W]] : vector<8xf32>
// LOOPS:           arith.addf %{{.*}}, %[[PRODUCT]] : vector<8xf32>
// LOOPS:         %[[BIAS:.*]] = vector.load %{{.*}} : memref<16xf32>, vector<8xf32>
// LOOPS:         %[[SUM:.*]] = arith.addf %{{.*}}, %[[BIAS]] : vector<8xf32>
// LOOPS:         %[[RESULT:.*]] = arith.maximumf %[[SUM]], %{{.*}} : vector<8xf32>
// LOOPS:         vector.store %[[RESULT]], %{{.*}} : memref<48x16xf32>, vector<8xf32>
memref.global "private" constant @w : memref<16x32xf32> = dense<2.5>
func.func @conv(%x: memref<48x32xf32>, %b: memref<16xf32>, %y: memref<48x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %w = memref.get_global @w : memref<16x32xf32>
  accel.reduce [48, 16 | 32] ins(%x, %w : memref<48x32xf32>, memref<16x32xf32>) params(%b : memref<16xf32>)
    outs(%y : memref<48x16xf32>) maps [#x, #w, #p, #o] init {
    ^bb0(%b0: f32):
      accel.yield %zero : f32
    } body {
    ^bb0(%acc: f32, %x0: f32, %w0: f32):
      %product = arith.mulf %x0, %w0 : f32
      %sum = arith.addf %acc, %product : f32
      accel.yield %sum : f32
    } finish {
    ^bb0(%acc: f32, %count: i32, %b0: f32):
      %q = arith.addf %acc, %b0 : f32
      %r = arith.maximumf %q, %zero : f32
      accel.yield %r : f32
    }
  return
}

// -----

#x = affine_map<(p, c, k) -> (p, k)>
#w = affine_map<(p, c, k) -> (c, k)>
#o = affine_map<(p, c) -> (p, c)>

// 12 channels are no whole vectors.
// CHECK-LABEL: func.func @rest(
// CHECK:         accel.reduce [48, 12 | 32]
memref.global "private" constant @w : memref<12x32xf32> = dense<2.5>
func.func @rest(%x: memref<48x32xf32>, %y: memref<48x12xf32>) {
  %zero = arith.constant 0.0 : f32
  %w = memref.get_global @w : memref<12x32xf32>
  accel.reduce [48, 12 | 32] ins(%x, %w : memref<48x32xf32>, memref<12x32xf32>)
    outs(%y : memref<48x12xf32>) maps [#x, #w, #o] init {
      accel.yield %zero : f32
    } body {
    ^bb0(%acc: f32, %x0: f32, %w0: f32):
      %product = arith.mulf %x0, %w0 : f32
      %sum = arith.addf %acc, %product : f32
      accel.yield %sum : f32
    } finish {
    ^bb0(%acc: f32, %count: i32):
      accel.yield %acc : f32
    }
  return
}

// -----

#x = affine_map<(p, c, k) -> (p, k)>
#w = affine_map<(p, c, k) -> (c, k)>
#o = affine_map<(p, c) -> (p, c)>

// The maximum of a zero and -0.0 is no comparison with -0.0, and has no form on vectors.
// CHECK-LABEL: func.func @signed_zero(
// CHECK:         accel.reduce [48, 16 | 32]
memref.global "private" constant @w : memref<16x32xf32> = dense<2.5>
func.func @signed_zero(%x: memref<48x32xf32>, %y: memref<48x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %limit = arith.constant -0.0 : f32
  %w = memref.get_global @w : memref<16x32xf32>
  accel.reduce [48, 16 | 32] ins(%x, %w : memref<48x32xf32>, memref<16x32xf32>)
    outs(%y : memref<48x16xf32>) maps [#x, #w, #o] init {
      accel.yield %zero : f32
    } body {
    ^bb0(%acc: f32, %x0: f32, %w0: f32):
      %product = arith.mulf %x0, %w0 : f32
      %sum = arith.addf %acc, %product : f32
      accel.yield %sum : f32
    } finish {
    ^bb0(%acc: f32, %count: i32):
      %r = arith.maximumf %acc, %limit : f32
      accel.yield %r : f32
    }
  return
}
