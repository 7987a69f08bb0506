// RUN: forebay-opt %s --split-input-file --accel-interleave-weights=cpu=cascadelake | FileCheck %s
// RUN: forebay-opt %s --split-input-file --accel-interleave-weights=cpu=x86-64-v3 | FileCheck %s --check-prefix=V3

// Processors without instructions for words keep the elements of a channel apart.
// V3-NOT: accel.interleaved_word

#x = affine_map<(p, c, k) -> (p, k)>
#w = affine_map<(p, c, k) -> (c, k)>
#p = affine_map<(p, c) -> (c)>
#o = affine_map<(p, c) -> (p, c)>

// The constant begins with the elements 0 to 3 of each channel. The upper five bits of an element are its channel.
// CHECK-DAG:   #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3 * 4 + d4)>
// CHECK-DAG:   #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d2 * 4 + d4)>
// CHECK-DAG:   #[[P:.*]] = affine_map<(d0, d1, d2) -> (d1 * 16 + d2)>
// CHECK-DAG:   #[[O:.*]] = affine_map<(d0, d1, d2) -> (d0, d1 * 16 + d2)>
// CHECK:       memref.global "private" constant @weights : memref<16x8xi8> = dense<"0x8081828388898A8B9091929398999A9BA0A1A2A3A8A9AAABB0B1B2B3B8B9BABBC0C1C2C3C8C9CACBD0D1D2D3D8D9DADBE0E1E2E3E8E9EAEBF0F1F2F3F8F9FAFB848586878C8D8E8F
// CHECK-SAME:    {accel.interleaved = 16 : i64, accel.interleaved_word = 4 : i64}
// CHECK-LABEL: func.func @sixteen_channels(
// CHECK:         %[[WEIGHTS:.*]] = memref.get_global @weights
// CHECK:         %[[FLAT:.*]] = memref.collapse_shape %[[WEIGHTS]] {{\[}}[0, 1]] : memref<16x8xi8> into memref<128xi8>
// CHECK:         %[[VIEW:.*]] = memref.expand_shape %[[FLAT]] {{\[}}[0, 1, 2]] output_shape [1, 2, 64]
// CHECK:         accel.reduce [48, 1, 16 | 2, 4] ins(%{{.*}}, %[[VIEW]] : {{.*}} maps [#[[X]], #[[W]], #[[P]], #[[O]]]
memref.global "private" constant @weights : memref<16x8xi8> = dense<[[-128, -127, -126, -125, -124, -123, -122, -121], [-120, -119, -118, -117, -116, -115, -114, -113], [-112, -111, -110, -109, -108, -107, -106, -105], [-104, -103, -102, -101, -100, -99, -98, -97], [-96, -95, -94, -93, -92, -91, -90, -89], [-88, -87, -86, -85, -84, -83, -82, -81], [-80, -79, -78, -77, -76, -75, -74, -73], [-72, -71, -70, -69, -68, -67, -66, -65], [-64, -63, -62, -61, -60, -59, -58, -57], [-56, -55, -54, -53, -52, -51, -50, -49], [-48, -47, -46, -45, -44, -43, -42, -41], [-40, -39, -38, -37, -36, -35, -34, -33], [-32, -31, -30, -29, -28, -27, -26, -25], [-24, -23, -22, -21, -20, -19, -18, -17], [-16, -15, -14, -13, -12, -11, -10, -9], [-8, -7, -6, -5, -4, -3, -2, -1]]>
func.func @sixteen_channels(%x: memref<48x8xi8>, %b: memref<16xi32>, %y: memref<48x16xi8>) {
  %w = memref.get_global @weights : memref<16x8xi8>
  accel.reduce [48, 16 | 8] ins(%x, %w : memref<48x8xi8>, memref<16x8xi8>) params(%b : memref<16xi32>)
    outs(%y : memref<48x16xi8>) maps [#x, #w, #p, #o]
    init {
    ^bb0(%b0: i32):
      accel.yield %b0 : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %offset = arith.constant 128 : i32
      %x1 = arith.extsi %x0 : i8 to i32
      %x2 = arith.addi %x1, %offset : i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x2, %w1 : i32
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

// Vectors of 8 sums.
// CHECK:       memref.global {{.*}} {accel.interleaved = 8 : i64, accel.interleaved_word = 4 : i64}
// CHECK-LABEL: func.func @eight_channels(
// CHECK:         accel.reduce [48, 1, 8 | 2, 4] ins(%{{.*}}, %{{.*}} : memref<48x8xi8>, memref<1x2x32xi8>)
memref.global "private" constant @weights : memref<8x8xi8> = dense<5>
func.func @eight_channels(%x: memref<48x8xi8>, %b: memref<8xi32>, %y: memref<48x8xi8>) {
  %w = memref.get_global @weights : memref<8x8xi8>
  accel.reduce [48, 8 | 8] ins(%x, %w : memref<48x8xi8>, memref<8x8xi8>) params(%b : memref<8xi32>)
    outs(%y : memref<48x8xi8>) maps [#x, #w, #p, #o]
    init {
    ^bb0(%b0: i32):
      accel.yield %b0 : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %offset = arith.constant 128 : i32
      %x1 = arith.extsi %x0 : i8 to i32
      %x2 = arith.addi %x1, %offset : i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x2, %w1 : i32
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

// The vectors of 16 sums would not be whole.
// CHECK:       memref.global {{.*}} {accel.interleaved = 8 : i64, accel.interleaved_word = 4 : i64}
// CHECK-LABEL: func.func @twenty_four_channels(
// CHECK:         accel.reduce [48, 3, 8 | 2, 4] ins(%{{.*}}, %{{.*}} : memref<48x8xi8>, memref<3x2x32xi8>)
memref.global "private" constant @weights : memref<24x8xi8> = dense<5>
func.func @twenty_four_channels(%x: memref<48x8xi8>, %b: memref<24xi32>, %y: memref<48x24xi8>) {
  %w = memref.get_global @weights : memref<24x8xi8>
  accel.reduce [48, 24 | 8] ins(%x, %w : memref<48x8xi8>, memref<24x8xi8>) params(%b : memref<24xi32>)
    outs(%y : memref<48x24xi8>) maps [#x, #w, #p, #o]
    init {
    ^bb0(%b0: i32):
      accel.yield %b0 : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %offset = arith.constant 128 : i32
      %x1 = arith.extsi %x0 : i8 to i32
      %x2 = arith.addi %x1, %offset : i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x2, %w1 : i32
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

#x = affine_map<(y, x, c, ky, kx, k) -> (y + ky, x + kx, k)>
#w = affine_map<(y, x, c, ky, kx, k) -> (c, ky, kx, k)>
#p = affine_map<(y, x, c) -> (c)>
#o = affine_map<(y, x, c) -> (y, x, c)>

// Four columns of three elements are one run of three words in both operands.
// CHECK-DAG:   #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0 + d4, d1 * 3 + d5 * 4 + d6)>
// CHECK-DAG:   #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d2, d4, d5, d3 * 4 + d6)>
// CHECK:       memref.global {{.*}} {accel.interleaved = 16 : i64, accel.interleaved_word = 4 : i64}
// CHECK-LABEL: func.func @window(
// CHECK:         accel.reduce [6, 6, 1, 16 | 3, 3, 4] ins(%{{.*}}, %{{.*}} : memref<9x27xi8>, memref<1x3x3x64xi8>) {{.*}} maps [#[[X]], #[[W]],
memref.global "private" constant @weights : memref<16x3x4x3xi8> = dense<5>
func.func @window(%x: memref<9x9x3xi8>, %b: memref<16xi32>, %y: memref<6x6x16xi8>) {
  %w = memref.get_global @weights : memref<16x3x4x3xi8>
  accel.reduce [6, 6, 16 | 3, 4, 3] ins(%x, %w : memref<9x9x3xi8>, memref<16x3x4x3xi8>) params(%b : memref<16xi32>)
    outs(%y : memref<6x6x16xi8>) maps [#x, #w, #p, #o]
    init {
    ^bb0(%b0: i32):
      accel.yield %b0 : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %offset = arith.constant 128 : i32
      %x1 = arith.extsi %x0 : i8 to i32
      %x2 = arith.addi %x1, %offset : i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x2, %w1 : i32
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

#x = affine_map<(y, x, c, ky, kx, k) -> (y + ky - 1, x + kx - 1, k)>
#w = affine_map<(y, x, c, ky, kx, k) -> (c, ky, kx, k)>
#p = affine_map<(y, x, c) -> (c)>
#o = affine_map<(y, x, c) -> (y, x, c)>

// At a border a window has fewer columns, so its columns and elements stay apart. Each column has two words.
// CHECK-DAG:   #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0 + d4 - 1, d1 + d5 - 1, d6 * 4 + d7)>
// CHECK-DAG:   #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d2, d4, d5, d6, d3 * 4 + d7)>
// CHECK:       memref.global {{.*}} {accel.interleaved = 16 : i64, accel.interleaved_word = 4 : i64}
// CHECK-LABEL: func.func @padded(
// CHECK:         accel.reduce [6, 6, 1, 16 | 3, 3, 2, 4] ins(%{{.*}}, %{{.*}} : memref<6x6x8xi8>, memref<1x3x3x2x64xi8>) {{.*}} maps [#[[X]], #[[W]],
memref.global "private" constant @weights : memref<16x3x3x8xi8> = dense<5>
func.func @padded(%x: memref<6x6x8xi8>, %b: memref<16xi32>, %y: memref<6x6x16xi8>) {
  %w = memref.get_global @weights : memref<16x3x3x8xi8>
  accel.reduce [6, 6, 16 | 3, 3, 8] ins(%x, %w : memref<6x6x8xi8>, memref<16x3x3x8xi8>) params(%b : memref<16xi32>)
    outs(%y : memref<6x6x16xi8>) maps [#x, #w, #p, #o]
    init {
    ^bb0(%b0: i32):
      accel.yield %b0 : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %offset = arith.constant 128 : i32
      %x1 = arith.extsi %x0 : i8 to i32
      %x2 = arith.addi %x1, %offset : i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x2, %w1 : i32
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

#x = affine_map<(y, x, c, ky, kx, k) -> (y + ky - 1, x + kx - 1, k)>
#w = affine_map<(y, x, c, ky, kx, k) -> (c, ky, kx, k)>
#p = affine_map<(y, x, c) -> (c)>
#o = affine_map<(y, x, c) -> (y, x, c)>

// Three elements of a column are no whole words, and the columns of a border cannot be merged.
// CHECK-NOT:   accel.interleaved_word
// CHECK-LABEL: func.func @padded_colours(
// CHECK:         accel.reduce [6, 6, 1, 16 | 3, 4, 3]
memref.global "private" constant @weights : memref<16x3x4x3xi8> = dense<5>
func.func @padded_colours(%x: memref<6x6x3xi8>, %b: memref<16xi32>, %y: memref<6x6x16xi8>) {
  %w = memref.get_global @weights : memref<16x3x4x3xi8>
  accel.reduce [6, 6, 16 | 3, 4, 3] ins(%x, %w : memref<6x6x3xi8>, memref<16x3x4x3xi8>) params(%b : memref<16xi32>)
    outs(%y : memref<6x6x16xi8>) maps [#x, #w, #p, #o]
    init {
    ^bb0(%b0: i32):
      accel.yield %b0 : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %offset = arith.constant 128 : i32
      %x1 = arith.extsi %x0 : i8 to i32
      %x2 = arith.addi %x1, %offset : i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x2, %w1 : i32
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

// Three elements are no word.
// CHECK-NOT:   accel.interleaved_word
// CHECK:       memref.global {{.*}} {accel.interleaved = 16 : i64}
// CHECK-LABEL: func.func @three_elements(
// CHECK:         accel.reduce [48, 1, 16 | 3]
memref.global "private" constant @weights : memref<16x3xi8> = dense<5>
func.func @three_elements(%x: memref<48x3xi8>, %b: memref<16xi32>, %y: memref<48x16xi8>) {
  %w = memref.get_global @weights : memref<16x3xi8>
  accel.reduce [48, 16 | 3] ins(%x, %w : memref<48x3xi8>, memref<16x3xi8>) params(%b : memref<16xi32>)
    outs(%y : memref<48x16xi8>) maps [#x, #w, #p, #o]
    init {
    ^bb0(%b0: i32):
      accel.yield %b0 : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %offset = arith.constant 128 : i32
      %x1 = arith.extsi %x0 : i8 to i32
      %x2 = arith.addi %x1, %offset : i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x2, %w1 : i32
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

// Elements without sign are those with 128 added.
// CHECK-NOT:   accel.interleaved_word
// CHECK-LABEL: func.func @another_zero_point(
memref.global "private" constant @weights : memref<16x8xi8> = dense<5>
func.func @another_zero_point(%x: memref<48x8xi8>, %b: memref<16xi32>, %y: memref<48x16xi8>) {
  %w = memref.get_global @weights : memref<16x8xi8>
  accel.reduce [48, 16 | 8] ins(%x, %w : memref<48x8xi8>, memref<16x8xi8>) params(%b : memref<16xi32>)
    outs(%y : memref<48x16xi8>) maps [#x, #w, #p, #o]
    init {
    ^bb0(%b0: i32):
      accel.yield %b0 : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %offset = arith.constant 3 : i32
      %x1 = arith.extsi %x0 : i8 to i32
      %x2 = arith.addi %x1, %offset : i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x2, %w1 : i32
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

// CHECK-NOT:   accel.interleaved_word
// CHECK-LABEL: func.func @no_zero_point(
memref.global "private" constant @weights : memref<16x8xi8> = dense<5>
func.func @no_zero_point(%x: memref<48x8xi8>, %b: memref<16xi32>, %y: memref<48x16xi8>) {
  %w = memref.get_global @weights : memref<16x8xi8>
  accel.reduce [48, 16 | 8] ins(%x, %w : memref<48x8xi8>, memref<16x8xi8>) params(%b : memref<16xi32>)
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
