// RUN: forebay-opt %s --split-input-file --accel-schedule-kernels=cpu=cortex-m55 | FileCheck %s --check-prefix=MVE
// RUN: forebay-opt %s --split-input-file --accel-schedule-kernels=cpu=cortex-m4 | FileCheck %s --check-prefix=DSP
// RUN: forebay-opt %s --split-input-file --accel-schedule-kernels | FileCheck %s --check-prefix=GENERIC
// RUN: forebay-opt %s --split-input-file --accel-schedule-kernels=cpu=cortex-m55 --accel-lower-reduce | FileCheck %s --check-prefix=LOOPS

#in = affine_map<(y, c, ky) -> (y * 2 + ky, c)>
#out = affine_map<(y, c) -> (y, c)>

// Channels are one vector after the other; the last 8 of 24 are a shorter one.
// MVE-LABEL:     func.func @max(
// MVE:             accel.reduce [6, 24 | 2] {{.*}} blocks [1, 16, 1] lanes [1, 16, 1]
// DSP-LABEL:     func.func @max(
// DSP:             accel.reduce [6, 24 | 2] {{.*}} blocks [1, 4, 1] lanes [1, 4, 1]
// GENERIC-LABEL: func.func @max(
// GENERIC-NOT:     lanes
// LOOPS-LABEL:   func.func @max(
// LOOPS:           scf.for %[[Y:.*]] =
// LOOPS:             scf.for %[[C:.*]] = %{{.*}} to %[[MIDDLE:.*]] step
// LOOPS:               scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (vector<16xi8>)
// LOOPS:                 %[[X:.*]] = vector.load %{{.*}} : memref<12x24xi8>, vector<16xi8>
// LOOPS:                 %[[L:.*]] = arith.maxsi %[[A]], %[[X]] : vector<16xi8>
// LOOPS:                 scf.yield %[[L]] : vector<16xi8>
// LOOPS:               vector.store %{{.*}}[%[[Y]], %[[C]]] : memref<6x24xi8>, vector<16xi8>
// LOOPS:             scf.for %[[D:.*]] = %[[MIDDLE]] to
// LOOPS:               vector.load %{{.*}} : memref<12x24xi8>, vector<8xi8>
// LOOPS:               vector.store %{{.*}}[%[[Y]], %[[D]]] : memref<6x24xi8>, vector<8xi8>
func.func @max(%x: memref<12x24xi8>, %y: memref<6x24xi8>) {
  accel.reduce [6, 24 | 2] ins(%x : memref<12x24xi8>) outs(%y : memref<6x24xi8>) maps [#in, #out]
  init {
    %lowest = arith.constant -128 : i8
    accel.yield %lowest : i8
  } body {
  ^bb0(%acc: i8, %value: i8):
    %largest = arith.maxsi %acc, %value : i8
    accel.yield %largest : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  }
  return
}

// -----

#in = affine_map<(y, c, ky) -> (y * 2 + ky, c)>
#out = affine_map<(y, c) -> (y, c)>

// Sums are no extremes, and columns are no neighbours.
// MVE-LABEL: func.func @sum(
// MVE-NOT:     lanes
// MVE-LABEL: func.func @columns(
// MVE-NOT:     lanes
func.func @sum(%x: memref<12x24xi8>, %y: memref<6x24xi8>) {
  accel.reduce [6, 24 | 2] ins(%x : memref<12x24xi8>) outs(%y : memref<6x24xi8>) maps [#in, #out]
  init {
    %zero = arith.constant 0 : i8
    accel.yield %zero : i8
  } body {
  ^bb0(%acc: i8, %value: i8):
    %sum = arith.addi %acc, %value : i8
    accel.yield %sum : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  }
  return
}

#columns = affine_map<(c, y, ky) -> (y * 2 + ky, c)>
#rows = affine_map<(c, y) -> (c, y)>
func.func @columns(%x: memref<12x24xi8>, %y: memref<24x6xi8>) {
  accel.reduce [24, 6 | 2] ins(%x : memref<12x24xi8>) outs(%y : memref<24x6xi8>) maps [#columns, #rows]
  init {
    %lowest = arith.constant -128 : i8
    accel.yield %lowest : i8
  } body {
  ^bb0(%acc: i8, %value: i8):
    %largest = arith.maxsi %acc, %value : i8
    accel.yield %largest : i8
  } finish {
  ^bb0(%acc: i8, %count: i32):
    accel.yield %acc : i8
  }
  return
}

// -----

#in = affine_map<(y, c, ky) -> (y * 2 + ky, c)>
#out = affine_map<(y, c) -> (y, c)>

// Sums of 32 bits are vectors, of which each lane is finished alone. Words of a Cortex-M4 have no sums.
// MVE-LABEL:   func.func @mean(
// MVE:           accel.reduce [6, 5 | 2] {{.*}} blocks [1, 4, 1] lanes [1, 4, 1]
// DSP-LABEL:   func.func @mean(
// DSP-NOT:       lanes
// LOOPS-LABEL: func.func @mean(
// LOOPS:         scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (vector<4xi32>)
// LOOPS:           %[[X:.*]] = accel.load_extended %{{.*}} : memref<12x5xi8>, vector<4xi32>
// LOOPS:           %[[O:.*]] = vector.broadcast %{{.*}} : i32 to vector<4xi32>
// LOOPS:           %[[V:.*]] = arith.addi %[[X]], %[[O]] : vector<4xi32>
// LOOPS:           %[[S:.*]] = arith.addi %[[A]], %[[V]] : vector<4xi32>
// LOOPS:         %[[L:.*]] = vector.extract %{{.*}}[0] : i32 from vector<4xi32>
// LOOPS:         arith.divsi %[[L]], %{{.*}} : i32
// LOOPS:         vector.extract %{{.*}}[3] : i32 from vector<4xi32>
// LOOPS:         arith.divsi
// LOOPS:         arith.divsi
func.func @mean(%x: memref<12x5xi8>, %y: memref<6x5xi8>) {
  accel.reduce [6, 5 | 2] ins(%x : memref<12x5xi8>) outs(%y : memref<6x5xi8>) maps [#in, #out]
  init {
    %zero = arith.constant 0 : i32
    accel.yield %zero : i32
  } body {
  ^bb0(%acc: i32, %value: i8):
    %offset = arith.constant 5 : i32
    %wide = arith.extsi %value : i8 to i32
    %moved = arith.addi %wide, %offset : i32
    %sum = arith.addi %acc, %moved : i32
    accel.yield %sum : i32
  } finish {
  ^bb0(%acc: i32, %count: i32):
    %mean = arith.divsi %acc, %count : i32
    %narrow = arith.trunci %mean : i32 to i8
    accel.yield %narrow : i8
  }
  return
}
