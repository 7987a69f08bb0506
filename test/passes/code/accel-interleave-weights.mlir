// RUN: forebay-opt %s --split-input-file --accel-interleave-weights=cpu=cortex-m55 | FileCheck %s
// RUN: forebay-opt %s --split-input-file --accel-interleave-weights | FileCheck %s --check-prefix=PORTABLE

// Portable code has no vectors of channels.
// PORTABLE-NOT: accel.interleaved

#x = affine_map<(p, c, k) -> (p, k)>
#w = affine_map<(p, c, k) -> (c, k)>
#p = affine_map<(p, c) -> (c)>
#o = affine_map<(p, c) -> (p, c)>

// The constants that calls hand in as weights begin with the elements of k = 0 of 8 channels, then those of k = 1.
// CHECK-DAG:   #[[X:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3)>
// CHECK-DAG:   #[[W:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3, d2)>
// CHECK-DAG:   #[[P:.*]] = affine_map<(d0, d1, d2) -> (d1 * 8 + d2)>
// CHECK-DAG:   #[[O:.*]] = affine_map<(d0, d1, d2) -> (d0, d1 * 8 + d2)>
// CHECK:       memref.global "private" constant @first : memref<16x3xi8> = dense<{{\[}}[0, 3, 6], [9, 12, 15], [18, 21, 1],
// CHECK-SAME:    {accel.interleaved = 8 : i64}
// CHECK:       memref.global "private" constant @second : memref<16x3xi8> = dense<5> {accel.interleaved = 8 : i64}
// CHECK-LABEL: func.func private @conv(
// CHECK-SAME:    %[[WEIGHTS:[a-z0-9]+]]: memref<16x3xi8>
// CHECK:         %[[FLAT:.*]] = memref.collapse_shape %[[WEIGHTS]] {{\[}}[0, 1]] : memref<16x3xi8> into memref<48xi8>
// CHECK:         %[[VIEW:.*]] = memref.expand_shape %[[FLAT]] {{\[}}[0, 1, 2]] output_shape [2, 3, 8]
// CHECK:         accel.reduce [48, 2, 8 | 3] ins(%{{.*}}, %[[VIEW]] : {{.*}} maps [#[[X]], #[[W]], #[[P]], #[[O]]]
memref.global "private" constant @first : memref<16x3xi8> = dense<[[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11], [12, 13, 14], [15, 16, 17], [18, 19, 20], [21, 22, 23], [24, 25, 26], [27, 28, 29], [30, 31, 32], [33, 34, 35], [36, 37, 38], [39, 40, 41], [42, 43, 44], [45, 46, 47]]>
memref.global "private" constant @second : memref<16x3xi8> = dense<5>
func.func private @conv(%x: memref<48x3xi8>, %w: memref<16x3xi8>, %b: memref<16xi32>, %y: memref<48x16xi8>) {
  accel.reduce [48, 16 | 3] ins(%x, %w : memref<48x3xi8>, memref<16x3xi8>) params(%b : memref<16xi32>)
    outs(%y : memref<48x16xi8>) maps [#x, #w, #p, #o]
    init {
    ^bb0(%b0: i32):
      accel.yield %b0 : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32, %b0: i32):
      %m = arith.constant 1073741824 : i32
      %s = arith.constant 36 : i8
      %low = arith.constant -128 : i32
      %high = arith.constant 127 : i32
      %scaled = tosa.apply_scale %acc, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %least = arith.maxsi %scaled, %low : i32
      %limited = arith.minsi %least, %high : i32
      %q = arith.trunci %limited : i32 to i8
      accel.yield %q : i8
    }
  return
}
func.func @main(%x: memref<48x3xi8>, %b: memref<16xi32>, %y: memref<48x16xi8>) {
  %first = memref.get_global @first : memref<16x3xi8>
  %second = memref.get_global @second : memref<16x3xi8>
  call @conv(%x, %first, %b, %y) : (memref<48x3xi8>, memref<16x3xi8>, memref<16xi32>, memref<48x16xi8>) -> ()
  call @conv(%x, %second, %b, %y) : (memref<48x3xi8>, memref<16x3xi8>, memref<16xi32>, memref<48x16xi8>) -> ()
  return
}

// -----

#x = affine_map<(p, c, k) -> (p, k)>
#w = affine_map<(p, c, k) -> (c, k)>
#p = affine_map<(p, c) -> (c)>
#o = affine_map<(p, c) -> (p, c)>

// A kernel that reads a constant itself.
// CHECK:       memref.global {{.*}} @weights : memref<8x3xi8> {{.*}} {accel.interleaved = 8 : i64}
// CHECK-LABEL: func.func @own(
// CHECK:         %[[WEIGHTS:.*]] = memref.get_global @weights
// CHECK:         memref.collapse_shape %[[WEIGHTS]]
// CHECK:         accel.reduce [48, 1, 8 | 3]
memref.global "private" constant @weights : memref<8x3xi8> = dense<[[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11], [12, 13, 14], [15, 16, 17], [18, 19, 20], [21, 22, 23]]>
func.func @own(%x: memref<48x3xi8>, %b: memref<8xi32>, %y: memref<48x8xi8>) {
  %w = memref.get_global @weights : memref<8x3xi8>
  accel.reduce [48, 8 | 3] ins(%x, %w : memref<48x3xi8>, memref<8x3xi8>) params(%b : memref<8xi32>)
    outs(%y : memref<48x8xi8>) maps [#x, #w, #p, #o]
    init {
    ^bb0(%b0: i32):
      accel.yield %b0 : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32, %b0: i32):
      %m = arith.constant 1073741824 : i32
      %s = arith.constant 36 : i8
      %low = arith.constant -128 : i32
      %high = arith.constant 127 : i32
      %scaled = tosa.apply_scale %acc, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %least = arith.maxsi %scaled, %low : i32
      %limited = arith.minsi %least, %high : i32
      %q = arith.trunci %limited : i32 to i8
      accel.yield %q : i8
    }
  return
}

// -----

#x = affine_map<(p, c, k) -> (p, k)>
#w = affine_map<(p, c, k) -> (c, k)>
#p = affine_map<(p, c) -> (c)>
#o = affine_map<(p, c) -> (p, c)>

// Another op reads the constant, in the order of the model.
// CHECK-NOT:   accel.interleaved
// CHECK:       accel.reduce [48, 16 | 3]
memref.global "private" constant @weights : memref<16x3xi8> = dense<[[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11], [12, 13, 14], [15, 16, 17], [18, 19, 20], [21, 22, 23], [24, 25, 26], [27, 28, 29], [30, 31, 32], [33, 34, 35], [36, 37, 38], [39, 40, 41], [42, 43, 44], [45, 46, 47]]>
func.func private @conv(%x: memref<48x3xi8>, %w: memref<16x3xi8>, %b: memref<16xi32>, %y: memref<48x16xi8>) {
  accel.reduce [48, 16 | 3] ins(%x, %w : memref<48x3xi8>, memref<16x3xi8>) params(%b : memref<16xi32>)
    outs(%y : memref<48x16xi8>) maps [#x, #w, #p, #o]
    init {
    ^bb0(%b0: i32):
      accel.yield %b0 : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32, %b0: i32):
      %m = arith.constant 1073741824 : i32
      %s = arith.constant 36 : i8
      %low = arith.constant -128 : i32
      %high = arith.constant 127 : i32
      %scaled = tosa.apply_scale %acc, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %least = arith.maxsi %scaled, %low : i32
      %limited = arith.minsi %least, %high : i32
      %q = arith.trunci %limited : i32 to i8
      accel.yield %q : i8
    }
  return
}
func.func @main(%x: memref<48x3xi8>, %b: memref<16xi32>, %y: memref<48x16xi8>, %z: memref<16x3xi8>) {
  %weights = memref.get_global @weights : memref<16x3xi8>
  call @conv(%x, %weights, %b, %y) : (memref<48x3xi8>, memref<16x3xi8>, memref<16xi32>, memref<48x16xi8>) -> ()
  memref.copy %weights, %z : memref<16x3xi8> to memref<16x3xi8>
  return
}

// -----

#x = affine_map<(p, c, k) -> (p, k)>
#w = affine_map<(p, c, k) -> (c, k)>
#p = affine_map<(p, c) -> (c)>
#o = affine_map<(p, c) -> (p, c)>

// One call hands in weights that are no constant, so the function reads all in the order of the model.
// CHECK-NOT:   accel.interleaved
// CHECK:       accel.reduce [48, 16 | 3]
memref.global "private" constant @weights : memref<16x3xi8> = dense<[[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11], [12, 13, 14], [15, 16, 17], [18, 19, 20], [21, 22, 23], [24, 25, 26], [27, 28, 29], [30, 31, 32], [33, 34, 35], [36, 37, 38], [39, 40, 41], [42, 43, 44], [45, 46, 47]]>
func.func private @conv(%x: memref<48x3xi8>, %w: memref<16x3xi8>, %b: memref<16xi32>, %y: memref<48x16xi8>) {
  accel.reduce [48, 16 | 3] ins(%x, %w : memref<48x3xi8>, memref<16x3xi8>) params(%b : memref<16xi32>)
    outs(%y : memref<48x16xi8>) maps [#x, #w, #p, #o]
    init {
    ^bb0(%b0: i32):
      accel.yield %b0 : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32, %b0: i32):
      %m = arith.constant 1073741824 : i32
      %s = arith.constant 36 : i8
      %low = arith.constant -128 : i32
      %high = arith.constant 127 : i32
      %scaled = tosa.apply_scale %acc, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %least = arith.maxsi %scaled, %low : i32
      %limited = arith.minsi %least, %high : i32
      %q = arith.trunci %limited : i32 to i8
      accel.yield %q : i8
    }
  return
}
func.func @main(%x: memref<48x3xi8>, %b: memref<16xi32>, %y: memref<48x16xi8>, %z: memref<16x3xi8>) {
  %weights = memref.get_global @weights : memref<16x3xi8>
  call @conv(%x, %weights, %b, %y) : (memref<48x3xi8>, memref<16x3xi8>, memref<16xi32>, memref<48x16xi8>) -> ()
  call @conv(%x, %z, %b, %y) : (memref<48x3xi8>, memref<16x3xi8>, memref<16xi32>, memref<48x16xi8>) -> ()
  return
}

// -----

#x = affine_map<(p, c, k) -> (p, k)>
#w = affine_map<(p, c, k) -> (c, k)>
#p = affine_map<(p, c) -> (c)>
#o = affine_map<(p, c) -> (p, c)>

// Two functions read the constant.
// CHECK-NOT:   accel.interleaved
// CHECK:       accel.reduce [48, 16 | 3]
// CHECK:       accel.reduce [48, 16 | 3]
memref.global "private" constant @weights : memref<16x3xi8> = dense<[[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11], [12, 13, 14], [15, 16, 17], [18, 19, 20], [21, 22, 23], [24, 25, 26], [27, 28, 29], [30, 31, 32], [33, 34, 35], [36, 37, 38], [39, 40, 41], [42, 43, 44], [45, 46, 47]]>
func.func private @conv(%x: memref<48x3xi8>, %w: memref<16x3xi8>, %b: memref<16xi32>, %y: memref<48x16xi8>) {
  accel.reduce [48, 16 | 3] ins(%x, %w : memref<48x3xi8>, memref<16x3xi8>) params(%b : memref<16xi32>)
    outs(%y : memref<48x16xi8>) maps [#x, #w, #p, #o]
    init {
    ^bb0(%b0: i32):
      accel.yield %b0 : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32, %b0: i32):
      %m = arith.constant 1073741824 : i32
      %s = arith.constant 36 : i8
      %low = arith.constant -128 : i32
      %high = arith.constant 127 : i32
      %scaled = tosa.apply_scale %acc, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %least = arith.maxsi %scaled, %low : i32
      %limited = arith.minsi %least, %high : i32
      %q = arith.trunci %limited : i32 to i8
      accel.yield %q : i8
    }
  return
}
func.func private @other(%x: memref<48x3xi8>, %w: memref<16x3xi8>, %b: memref<16xi32>, %y: memref<48x16xi8>) {
  accel.reduce [48, 16 | 3] ins(%x, %w : memref<48x3xi8>, memref<16x3xi8>) params(%b : memref<16xi32>)
    outs(%y : memref<48x16xi8>) maps [#x, #w, #p, #o]
    init {
    ^bb0(%b0: i32):
      accel.yield %b0 : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32, %b0: i32):
      %m = arith.constant 1073741824 : i32
      %s = arith.constant 36 : i8
      %low = arith.constant -128 : i32
      %high = arith.constant 127 : i32
      %scaled = tosa.apply_scale %acc, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %least = arith.maxsi %scaled, %low : i32
      %limited = arith.minsi %least, %high : i32
      %q = arith.trunci %limited : i32 to i8
      accel.yield %q : i8
    }
  return
}
func.func @main(%x: memref<48x3xi8>, %b: memref<16xi32>, %y: memref<48x16xi8>) {
  %weights = memref.get_global @weights : memref<16x3xi8>
  call @conv(%x, %weights, %b, %y) : (memref<48x3xi8>, memref<16x3xi8>, memref<16xi32>, memref<48x16xi8>) -> ()
  call @other(%x, %weights, %b, %y) : (memref<48x3xi8>, memref<16x3xi8>, memref<16xi32>, memref<48x16xi8>) -> ()
  return
}

// -----

#x = affine_map<(p, c, k) -> (p, k)>
#w = affine_map<(p, c, k) -> (c, k)>
#p = affine_map<(p, c) -> (c)>
#o = affine_map<(p, c) -> (p, c)>

// The vectors would not be whole.
// CHECK-NOT:   accel.interleaved
// CHECK:       accel.reduce [48, 12 | 3]
memref.global "private" constant @weights : memref<12x3xi8> = dense<[[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11], [12, 13, 14], [15, 16, 17], [18, 19, 20], [21, 22, 23], [24, 25, 26], [27, 28, 29], [30, 31, 32], [33, 34, 35]]>
func.func private @conv(%x: memref<48x3xi8>, %w: memref<12x3xi8>, %b: memref<12xi32>, %y: memref<48x12xi8>) {
  accel.reduce [48, 12 | 3] ins(%x, %w : memref<48x3xi8>, memref<12x3xi8>) params(%b : memref<12xi32>)
    outs(%y : memref<48x12xi8>) maps [#x, #w, #p, #o]
    init {
    ^bb0(%b0: i32):
      accel.yield %b0 : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32, %b0: i32):
      %m = arith.constant 1073741824 : i32
      %s = arith.constant 36 : i8
      %low = arith.constant -128 : i32
      %high = arith.constant 127 : i32
      %scaled = tosa.apply_scale %acc, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %least = arith.maxsi %scaled, %low : i32
      %limited = arith.minsi %least, %high : i32
      %q = arith.trunci %limited : i32 to i8
      accel.yield %q : i8
    }
  return
}
func.func @main(%x: memref<48x3xi8>, %b: memref<12xi32>, %y: memref<48x12xi8>) {
  %weights = memref.get_global @weights : memref<12x3xi8>
  call @conv(%x, %weights, %b, %y) : (memref<48x3xi8>, memref<12x3xi8>, memref<12xi32>, memref<48x12xi8>) -> ()
  return
}

// -----

#x = affine_map<(p, c, k) -> (p, k)>
#w = affine_map<(p, c, k) -> (c, k)>
#p = affine_map<(p, c) -> (c)>
#o = affine_map<(p, c) -> (p, c)>

// Other code may call a public function.
// CHECK-NOT:   accel.interleaved
// CHECK:       accel.reduce [48, 16 | 3]
memref.global "private" constant @weights : memref<16x3xi8> = dense<[[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11], [12, 13, 14], [15, 16, 17], [18, 19, 20], [21, 22, 23], [24, 25, 26], [27, 28, 29], [30, 31, 32], [33, 34, 35], [36, 37, 38], [39, 40, 41], [42, 43, 44], [45, 46, 47]]>
func.func @conv(%x: memref<48x3xi8>, %w: memref<16x3xi8>, %b: memref<16xi32>, %y: memref<48x16xi8>) {
  accel.reduce [48, 16 | 3] ins(%x, %w : memref<48x3xi8>, memref<16x3xi8>) params(%b : memref<16xi32>)
    outs(%y : memref<48x16xi8>) maps [#x, #w, #p, #o]
    init {
    ^bb0(%b0: i32):
      accel.yield %b0 : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32, %b0: i32):
      %m = arith.constant 1073741824 : i32
      %s = arith.constant 36 : i8
      %low = arith.constant -128 : i32
      %high = arith.constant 127 : i32
      %scaled = tosa.apply_scale %acc, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %least = arith.maxsi %scaled, %low : i32
      %limited = arith.minsi %least, %high : i32
      %q = arith.trunci %limited : i32 to i8
      accel.yield %q : i8
    }
  return
}
func.func @main(%x: memref<48x3xi8>, %b: memref<16xi32>, %y: memref<48x16xi8>) {
  %weights = memref.get_global @weights : memref<16x3xi8>
  call @conv(%x, %weights, %b, %y) : (memref<48x3xi8>, memref<16x3xi8>, memref<16xi32>, memref<48x16xi8>) -> ()
  return
}

// -----

#x = affine_map<(p, c, k) -> (p, k)>
#w = affine_map<(p, c, k) -> (c, k)>
#p = affine_map<(p, c) -> (c)>
#o = affine_map<(p, c) -> (p, c)>

// A variable has other values later.
// CHECK-NOT:   accel.interleaved
// CHECK:       accel.reduce [48, 16 | 3]
memref.global "private" @weights : memref<16x3xi8> = dense<[[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11], [12, 13, 14], [15, 16, 17], [18, 19, 20], [21, 22, 23], [24, 25, 26], [27, 28, 29], [30, 31, 32], [33, 34, 35], [36, 37, 38], [39, 40, 41], [42, 43, 44], [45, 46, 47]]>
func.func private @conv(%x: memref<48x3xi8>, %w: memref<16x3xi8>, %b: memref<16xi32>, %y: memref<48x16xi8>) {
  accel.reduce [48, 16 | 3] ins(%x, %w : memref<48x3xi8>, memref<16x3xi8>) params(%b : memref<16xi32>)
    outs(%y : memref<48x16xi8>) maps [#x, #w, #p, #o]
    init {
    ^bb0(%b0: i32):
      accel.yield %b0 : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32, %b0: i32):
      %m = arith.constant 1073741824 : i32
      %s = arith.constant 36 : i8
      %low = arith.constant -128 : i32
      %high = arith.constant 127 : i32
      %scaled = tosa.apply_scale %acc, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %least = arith.maxsi %scaled, %low : i32
      %limited = arith.minsi %least, %high : i32
      %q = arith.trunci %limited : i32 to i8
      accel.yield %q : i8
    }
  return
}
func.func @main(%x: memref<48x3xi8>, %b: memref<16xi32>, %y: memref<48x16xi8>) {
  %weights = memref.get_global @weights : memref<16x3xi8>
  call @conv(%x, %weights, %b, %y) : (memref<48x3xi8>, memref<16x3xi8>, memref<16xi32>, memref<48x16xi8>) -> ()
  return
}

// -----

#x = affine_map<(p, c, k) -> (p, k)>
#w = affine_map<(p, c, k) -> (c, k)>
#p = affine_map<(p, c) -> (c)>
#o = affine_map<(p, c) -> (p, c)>

// The function also reads an element of its weights, in the order of the model.
// CHECK-NOT:   accel.interleaved
// CHECK:       accel.reduce [48, 16 | 3]
memref.global "private" constant @weights : memref<16x3xi8> = dense<[[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11], [12, 13, 14], [15, 16, 17], [18, 19, 20], [21, 22, 23], [24, 25, 26], [27, 28, 29], [30, 31, 32], [33, 34, 35], [36, 37, 38], [39, 40, 41], [42, 43, 44], [45, 46, 47]]>
func.func private @conv(%x: memref<48x3xi8>, %w: memref<16x3xi8>, %b: memref<16xi32>, %y: memref<48x16xi8>) {
  accel.reduce [48, 16 | 3] ins(%x, %w : memref<48x3xi8>, memref<16x3xi8>) params(%b : memref<16xi32>)
    outs(%y : memref<48x16xi8>) maps [#x, #w, #p, #o]
    init {
    ^bb0(%b0: i32):
      accel.yield %b0 : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32, %b0: i32):
      %m = arith.constant 1073741824 : i32
      %s = arith.constant 36 : i8
      %low = arith.constant -128 : i32
      %high = arith.constant 127 : i32
      %scaled = tosa.apply_scale %acc, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %least = arith.maxsi %scaled, %low : i32
      %limited = arith.minsi %least, %high : i32
      %q = arith.trunci %limited : i32 to i8
      accel.yield %q : i8
    }
  %c0 = arith.constant 0 : index
  %first = memref.load %w[%c0, %c0] : memref<16x3xi8>
  memref.store %first, %y[%c0, %c0] : memref<48x16xi8>
  return
}
func.func @main(%x: memref<48x3xi8>, %b: memref<16xi32>, %y: memref<48x16xi8>) {
  %weights = memref.get_global @weights : memref<16x3xi8>
  call @conv(%x, %weights, %b, %y) : (memref<48x3xi8>, memref<16x3xi8>, memref<16xi32>, memref<48x16xi8>) -> ()
  return
}
