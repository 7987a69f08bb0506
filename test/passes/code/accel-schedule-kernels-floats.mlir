// RUN: forebay-opt %s --split-input-file --accel-schedule-kernels | FileCheck %s
// RUN: forebay-opt %s --split-input-file --accel-schedule-kernels=cpu=cortex-m4 | FileCheck %s --check-prefix=M4
// RUN: forebay-opt %s --split-input-file --accel-schedule-kernels=cpu=rv32imc | FileCheck %s --check-prefix=RV32

#x = affine_map<(y, x, c, k) -> (0, y, x, k)>
#w = affine_map<(y, x, c, k) -> (c, 0, 0, k)>
#p = affine_map<(y, x, c) -> (c)>
#o = affine_map<(y, x, c) -> (0, y, x, c)>

// 16 sums of a Cortex-M4's 32 registers for floats, or 8 of 16 ones. Without an FPU each sum is a call of a function.
// CHECK-LABEL: func.func @pointwise(
// CHECK:         accel.reduce [48, 32 | 16] {{.*}} blocks [4, 2, 4] init
// M4-LABEL:    func.func @pointwise(
// M4:            accel.reduce [48, 32 | 16] {{.*}} blocks [4, 4, 2] init
// RV32-LABEL:  func.func @pointwise(
// RV32:          accel.reduce [6, 8, 32 | 16] {{.*}} maps [{{[^]]*}}] init
func.func @pointwise(%x: memref<1x6x8x16xf32>, %w: memref<32x1x1x16xf32>, %b: memref<32xf32>, %o: memref<1x6x8x32xf32>) {
  %zero = arith.constant 0.0 : f32
  accel.reduce [6, 8, 32 | 16] ins(%x, %w : memref<1x6x8x16xf32>, memref<32x1x1x16xf32>) params(%b : memref<32xf32>)
    outs(%o : memref<1x6x8x32xf32>) maps [#x, #w, #p, #o] init {
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
      accel.yield %q : f32
    }
  return
}

// -----

#x = affine_map<(c, k) -> (k)>
#w = affine_map<(c, k) -> (c, k)>
#o = affine_map<(c) -> (c)>

// Sums in double precision keep their loops.
// CHECK-LABEL: func.func @double(
// CHECK-NOT:     blocks
func.func @double(%x: memref<16xf64>, %w: memref<32x16xf64>, %o: memref<32xf64>) {
  %zero = arith.constant 0.0 : f64
  accel.reduce [32 | 16] ins(%x, %w : memref<16xf64>, memref<32x16xf64>) outs(%o : memref<32xf64>) maps [#x, #w, #o] init {
      accel.yield %zero : f64
    } body {
    ^bb0(%acc: f64, %x0: f64, %w0: f64):
      %product = arith.mulf %x0, %w0 : f64
      %sum = arith.addf %acc, %product : f64
      accel.yield %sum : f64
    } finish {
    ^bb0(%acc: f64, %count: i32):
      accel.yield %acc : f64
    }
  return
}

// -----

#x = affine_map<(c, k) -> (k)>
#w = affine_map<(c, k) -> (c, k)>
#o = affine_map<(c) -> (c)>

// So does a product of the sum.
// CHECK-LABEL: func.func @polynomial(
// CHECK-NOT:     blocks
func.func @polynomial(%x: memref<16xf32>, %w: memref<32x16xf32>, %o: memref<32xf32>) {
  %zero = arith.constant 0.0 : f32
  accel.reduce [32 | 16] ins(%x, %w : memref<16xf32>, memref<32x16xf32>) outs(%o : memref<32xf32>) maps [#x, #w, #o] init {
      accel.yield %zero : f32
    } body {
    ^bb0(%acc: f32, %x0: f32, %w0: f32):
      %product = arith.mulf %acc, %x0 : f32
      %sum = arith.addf %w0, %product : f32
      accel.yield %sum : f32
    } finish {
    ^bb0(%acc: f32, %count: i32):
      accel.yield %acc : f32
    }
  return
}
