// RUN: forebay-opt %s --pass-pipeline='builtin.module(func.func(accel-expand-rounding,canonicalize))' | FileCheck %s

// Halves away from zero: the number below one half with the sign of the value.
// CHECK-LABEL: func.func @away(
// CHECK-DAG:     %[[LOW:.*]] = arith.constant -1.280000e+02 : f32
// CHECK-DAG:     %[[HIGH:.*]] = arith.constant 1.270000e+02 : f32
// CHECK-DAG:     %[[UP:.*]] = arith.constant 0.49999997 : f32
// CHECK-DAG:     %[[DOWN:.*]] = arith.constant -0.49999997 : f32
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[ABOVE:.*]] = arith.cmpf ogt, %arg0, %[[LOW]] : f32
// CHECK-NEXT:    %[[RAISED:.*]] = arith.select %[[ABOVE]], %arg0, %[[LOW]] : f32
// CHECK-NEXT:    %[[BELOW:.*]] = arith.cmpf olt, %[[RAISED]], %[[HIGH]] : f32
// CHECK-NEXT:    %[[LIMITED:.*]] = arith.select %[[BELOW]], %[[RAISED]], %[[HIGH]] : f32
// CHECK-NEXT:    %[[NEGATIVE:.*]] = arith.cmpf olt, %[[LIMITED]], %[[ZERO]] : f32
// CHECK-NEXT:    %[[HALF:.*]] = arith.select %[[NEGATIVE]], %[[DOWN]], %[[UP]] : f32
// CHECK-NEXT:    %[[SUM:.*]] = arith.addf %[[LIMITED]], %[[HALF]] : f32
// CHECK-NEXT:    %[[RESULT:.*]] = arith.fptosi %[[SUM]] : f32 to i32
// CHECK-NEXT:    return %[[RESULT]]
func.func @away(%x: f32) -> i32 {
  %low = arith.constant -128.0 : f32
  %high = arith.constant 127.0 : f32
  %0 = math.round %x : f32
  %1 = arith.maxnumf %0, %low : f32
  %2 = arith.minnumf %1, %high : f32
  %3 = arith.fptosi %2 : f32 to i32
  return %3 : i32
}

// Values from zero on need no sign. The limits are applied in the order that they had.
// CHECK-LABEL: func.func @positive(
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.000000e+00 : f64
// CHECK-DAG:     %[[HIGH:.*]] = arith.constant 2.550000e+02 : f64
// CHECK-DAG:     %[[UP:.*]] = arith.constant 0.49999999999999994 : f64
// CHECK:         %[[BELOW:.*]] = arith.cmpf olt, %arg0, %[[HIGH]] : f64
// CHECK-NEXT:    %[[LOWERED:.*]] = arith.select %[[BELOW]], %arg0, %[[HIGH]] : f64
// CHECK-NEXT:    %[[ABOVE:.*]] = arith.cmpf ogt, %[[LOWERED]], %[[ZERO]] : f64
// CHECK-NEXT:    %[[LIMITED:.*]] = arith.select %[[ABOVE]], %[[LOWERED]], %[[ZERO]] : f64
// CHECK-NEXT:    %[[SUM:.*]] = arith.addf %[[LIMITED]], %[[UP]] : f64
// CHECK-NEXT:    arith.fptosi %[[SUM]] : f64 to i32
func.func @positive(%x: f64) -> i32 {
  %low = arith.constant 0.0 : f64
  %high = arith.constant 255.0 : f64
  %0 = math.round %x : f64
  %1 = arith.minimumf %0, %high : f64
  %2 = arith.maximumf %1, %low : f64
  %3 = arith.fptosi %2 : f64 to i32
  return %3 : i32
}

// Halves to even: the sum with 1.5 * 2^23 has no bits behind the point.
// CHECK-LABEL: func.func @even(
// CHECK:         %[[LARGE:.*]] = arith.constant 0x4B400000 : f32
// CHECK:         %[[SUM:.*]] = arith.addf %{{.*}}, %[[LARGE]] : f32
// CHECK-NEXT:    %[[ROUNDED:.*]] = arith.subf %[[SUM]], %[[LARGE]] : f32
// CHECK-NEXT:    arith.fptosi %[[ROUNDED]] : f32 to i32
func.func @even(%x: f32) -> i32 {
  %low = arith.constant -128.0 : f32
  %high = arith.constant 127.0 : f32
  %0 = math.roundeven %x : f32
  %1 = arith.maxnumf %0, %low : f32
  %2 = arith.minnumf %1, %high : f32
  %3 = arith.fptosi %2 : f32 to i32
  return %3 : i32
}

// What stays: a limit that is no whole number, one that is too large, a value with one limit, one
// whose limit is not known, one that is not rounded, and one that stays a float.
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-5: math.round
// CHECK-NOT:     arith.cmpf
func.func @others(%x: f32, %y: f32) -> (i32, i32, i32, i32, i32, f32) {
  %low = arith.constant -128.0 : f32
  %high = arith.constant 127.0 : f32
  %odd = arith.constant 127.5 : f32
  %large = arith.constant 4194305.0 : f32
  %0 = math.round %x : f32
  %1 = arith.maxnumf %0, %low : f32
  %2 = arith.minnumf %1, %odd : f32
  %3 = arith.fptosi %2 : f32 to i32
  %4 = math.round %y : f32
  %5 = arith.maxnumf %4, %low : f32
  %6 = arith.minnumf %5, %large : f32
  %7 = arith.fptosi %6 : f32 to i32
  %8 = math.round %x : f32
  %9 = arith.maxnumf %8, %low : f32
  %10 = arith.fptosi %9 : f32 to i32
  %11 = math.round %x : f32
  %12 = arith.maxnumf %11, %low : f32
  %13 = arith.minnumf %12, %y : f32
  %14 = arith.fptosi %13 : f32 to i32
  %15 = arith.maxnumf %x, %low : f32
  %16 = arith.minnumf %15, %high : f32
  %17 = arith.fptosi %16 : f32 to i32
  %18 = math.round %x : f32
  %19 = arith.maxnumf %18, %low : f32
  %20 = arith.minnumf %19, %high : f32
  return %3, %7, %10, %14, %17, %20 : i32, i32, i32, i32, i32, f32
}

// A lower limit above the upper one gives one number.
// CHECK-LABEL: func.func @crossed(
// CHECK:         math.round
func.func @crossed(%x: f32) -> i32 {
  %low = arith.constant 3.0 : f32
  %high = arith.constant 2.0 : f32
  %0 = math.round %x : f32
  %1 = arith.maxnumf %0, %low : f32
  %2 = arith.minnumf %1, %high : f32
  %3 = arith.fptosi %2 : f32 to i32
  return %3 : i32
}

// A float of 16 bits, and vectors.
// CHECK-LABEL: func.func @types(
// CHECK-COUNT-2: math.round
// CHECK-NOT:     arith.cmpf
func.func @types(%x: f16, %y: vector<4xf32>) -> (i32, vector<4xi32>) {
  %low = arith.constant -128.0 : f16
  %high = arith.constant 127.0 : f16
  %lows = arith.constant dense<-128.0> : vector<4xf32>
  %highs = arith.constant dense<127.0> : vector<4xf32>
  %0 = math.round %x : f16
  %1 = arith.maxnumf %0, %low : f16
  %2 = arith.minnumf %1, %high : f16
  %3 = arith.fptosi %2 : f16 to i32
  %4 = math.round %y : vector<4xf32>
  %5 = arith.maxnumf %4, %lows : vector<4xf32>
  %6 = arith.minnumf %5, %highs : vector<4xf32>
  %7 = arith.fptosi %6 : vector<4xf32> to vector<4xi32>
  return %3, %7 : i32, vector<4xi32>
}
