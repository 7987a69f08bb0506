// RUN: forebay-opt %s --split-input-file --accel-schedule-kernels | FileCheck %s
// RUN: forebay-opt %s --split-input-file --accel-schedule-kernels=cpu=cortex-m4 | FileCheck %s --check-prefix=M4
// RUN: forebay-opt %s --split-input-file --accel-schedule-kernels=cpu=cortex-m55 | FileCheck %s --check-prefix=M55
// RUN: forebay-opt %s --split-input-file --accel-schedule-kernels=cpu=cascadelake | FileCheck %s --check-prefix=VNNI

#x = affine_map<(y, x, c, k) -> (0, y, x, k)>
#w = affine_map<(y, x, c, k) -> (c, 0, 0, k)>
#p = affine_map<(y, x, c) -> (c)>
#o = affine_map<(y, x, c) -> (0, y, x, c)>

// Rows and columns are one dimension of pixels; two channels and four pixels are computed together, or two pixels and two
// channels with words of four elements. In portable C the loops over channels are the outermost ones.
// CHECK-DAG:   #[[X:.*]] = affine_map<(d0, d1, d2) -> (0, d1, d2)>
// CHECK-LABEL: func.func @pointwise(
// M4-LABEL:    func.func @pointwise(
// M4-SAME:       attributes {accel.cpu = "cortex-m4"}
// M4:            accel.reduce [48, 32 | 16] {{.*}} blocks [2, 2, 16] words [1, 1, 4] init
// CHECK-DAG:     %[[IN:.*]] = memref.collapse_shape %{{.*}} {{\[}}[0], [1, 2], [3]] : memref<1x6x8x16xi8> into memref<1x48x16xi8>
// CHECK-DAG:     %[[OUT:.*]] = memref.collapse_shape %{{.*}} {{\[}}[0], [1, 2], [3]] : memref<1x6x8x32xi8> into memref<1x48x32xi8>
// CHECK:         accel.reduce [32, 48 | 16] ins(%[[IN]], %{{.*}} outs(%[[OUT]] {{.*}} maps [#[[X]], {{.*}} blocks [2, 4, {{[0-9]+}}] init
func.func @pointwise(%x: memref<1x6x8x16xi8>, %w: memref<32x1x1x16xi8>, %b: memref<32xi32>, %o: memref<1x6x8x32xi8>) {
  accel.reduce [6, 8, 32 | 16] ins(%x, %w : memref<1x6x8x16xi8>, memref<32x1x1x16xi8>) params(%b : memref<32xi32>)
    outs(%o : memref<1x6x8x32xi8>) maps [#x, #w, #p, #o] init {
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
      %q = arith.trunci %acc : i32 to i8
      accel.yield %q : i8
    }
  return
}

// -----

#x = affine_map<(y, x, c, ky, kx, k) -> (0, y + ky - 1, x + kx - 1, k)>
#w = affine_map<(y, x, c, ky, kx, k) -> (c, ky, kx, k)>
#o = affine_map<(y, x, c) -> (0, y, x, c)>

// The columns and channels of a window are one run of memory, also where the border cuts the window. The run is three words
// of four elements or one of twelve.
// CHECK-DAG:   #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (0, d1 + d3 - 1, d2 * 4 + d4 - 4)>
// CHECK-DAG:   #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4)>
// CHECK-LABEL: func.func @window(
// M55-LABEL:   func.func @window(
// The loops over channels are the outermost ones, because the constant 5 is multiplied by sums of weights. Words of four
// elements get it as they are widened.
// M55:           accel.reduce [16, 8, 8 | 3, 12] {{.*}} words [1, 1, 1, 1, 12] init
// M4-LABEL:    func.func @window(
// M4:            accel.reduce [8, 8, 16 | 3, 12] {{.*}} words [1, 1, 1, 1, 4] init
// CHECK:         accel.reduce [16, 8, 8 | 3, 12] {{.*}} maps [#[[X]], #[[W]], {{.*}} blocks [
func.func @window(%x: memref<1x8x8x4xi8>, %w: memref<16x3x3x4xi8>, %o: memref<1x8x8x16xi32>) {
  accel.reduce [8, 8, 16 | 3, 3, 4] ins(%x, %w : memref<1x8x8x4xi8>, memref<16x3x3x4xi8>)
    outs(%o : memref<1x8x8x16xi32>) maps [#x, #w, #o] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %c5 = arith.constant 5 : i32
      %x1 = arith.extsi %x0 : i8 to i32
      %x2 = arith.addi %x1, %c5 : i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x2, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

#x = affine_map<(x, c, kx) -> (x + kx, c)>
#w = affine_map<(x, c, kx) -> (kx, c, 0)>
#o = affine_map<(x, c) -> (x, c)>

// The axis of size 1 behind the channels goes.
// M4-LABEL:    func.func @depthwise(
// M4:            memref.collapse_shape %{{.*}} {{\[}}[0], [1, 2]] : memref<3x64x1xi8> into memref<3x64xi8>
func.func @depthwise(%x: memref<64x64xi8>, %w: memref<3x64x1xi8>, %o: memref<62x64xi32>) {
  accel.reduce [62, 64 | 3] ins(%x, %w : memref<64x64xi8>, memref<3x64x1xi8>) outs(%o : memref<62x64xi32>) maps [#x, #w, #o] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

#x = affine_map<(y, x, c, ky, kx) -> (y + ky - 1, x + kx - 1, c)>
#w = affine_map<(y, x, c, ky, kx) -> (ky, kx, c)>
#o = affine_map<(y, x, c) -> (y, x, c)>

// Two of five columns are at borders: each has code of its own. Channels that have windows of their own are the lanes of words.
// CHECK-LABEL: func.func @narrow(
// CHECK:         accel.reduce [25, 5, 64 | 3, 3] {{.*}} blocks [{{.*}}, 3] peeled [1] init
// M4-LABEL:    func.func @narrow(
// M4:            accel.reduce {{.*}} words [1, 1, 4, 1, 1] peeled [1] init
// M55-LABEL:   func.func @narrow(
// M55-NOT:       peeled
func.func @narrow(%x: memref<25x5x64xi8>, %w: memref<3x3x64xi8>, %o: memref<25x5x64xi32>) {
  accel.reduce [25, 5, 64 | 3, 3] ins(%x, %w : memref<25x5x64xi8>, memref<3x3x64xi8>)
    outs(%o : memref<25x5x64xi32>) maps [#x, #w, #o] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

#x = affine_map<(c, k) -> (k)>
#w = affine_map<(c, k) -> (c, k)>
#o = affine_map<(c) -> (c)>

// Unsigned elements, and elements of another width, are read one by one.
// M4-LABEL:    func.func @unsigned(
// M4-NOT:        words
func.func @unsigned(%x: memref<64xi8>, %w: memref<8x64xi8>, %o: memref<8xi32>) {
  accel.reduce [8 | 64] ins(%x, %w : memref<64xi8>, memref<8x64xi8>) outs(%o : memref<8xi32>) maps [#x, #w, #o] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extui %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

#x = affine_map<(c, y) -> (y, c)>
#o = affine_map<(c) -> (c)>

// A mean is no sum of products, and it counts: it stays as it is.
// CHECK-LABEL: func.func @mean(
// CHECK-NOT:     blocks
func.func @mean(%x: memref<9x4xi32>, %o: memref<4xi32>) {
  accel.reduce [4 | 9] ins(%x : memref<9x4xi32>) outs(%o : memref<4xi32>) maps [#x, #o] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i32):
      %sum = arith.addi %acc, %x0 : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      %mean = arith.divsi %acc, %count : i32
      accel.yield %mean : i32
    }
  return
}

// -----

#x = affine_map<(c, y) -> (y, c)>
#o = affine_map<(c) -> (c)>

// A sum without products stays as it is, too.
// CHECK-LABEL: func.func @sum(
// CHECK-NOT:     blocks
func.func @sum(%x: memref<9x4xi32>, %o: memref<4xi32>) {
  accel.reduce [4 | 9] ins(%x : memref<9x4xi32>) outs(%o : memref<4xi32>) maps [#x, #o] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i32):
      %sum = arith.addi %acc, %x0 : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

#x = affine_map<(x, c, k) -> (x, k)>
#w = affine_map<(x, c, k) -> (c, k)>
#p = affine_map<(x, c) -> (c)>
#o = affine_map<(x, c) -> (x, c)>

// Four channels are requantised and stored as one vector.
// CHECK-LABEL: func.func @pointwise_rescaled(
// CHECK-NOT:     lanes
// M55-LABEL:   func.func @pointwise_rescaled(
// M55:           blocks [2, 4, {{[0-9]+}}] words [1, 1, 16] lanes [1, 4, 1] init
// M4-LABEL:    func.func @pointwise_rescaled(
// M4-NOT:        lanes
func.func @pointwise_rescaled(%x: memref<8x64xi8>, %w: memref<64x64xi8>, %m: memref<64xi32>, %s: memref<64xi8>, %o: memref<8x64xi8>) {
  accel.reduce [8, 64 | 64] ins(%x, %w : memref<8x64xi8>, memref<64x64xi8>) params(%m, %s : memref<64xi32>, memref<64xi8>)
    outs(%o : memref<8x64xi8>) maps [#x, #w, #p, #p, #o] init {
    ^bb0(%m0: i32, %s0: i8):
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32, %m0: i32, %s0: i8):
      %low = arith.constant -128 : i32
      %high = arith.constant 127 : i32
      %scaled = tosa.apply_scale %acc, %m0, %s0 {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %raised = arith.maxsi %scaled, %low : i32
      %limited = arith.minsi %raised, %high : i32
      %narrow = arith.trunci %limited : i32 to i8
      accel.yield %narrow : i8
    }
  return
}

// -----

#x = affine_map<(x, c, kx) -> (x + kx, c)>
#w = affine_map<(x, c, kx) -> (kx, c)>
#p = affine_map<(x, c) -> (c)>
#o = affine_map<(x, c) -> (x, c)>

// Eight channels that have windows of their own have their sums in one vector, or sixteen.
// VNNI-LABEL:  func.func @depthwise_rescaled(
// VNNI:          blocks [{{[0-9]+}}, 16, {{[0-9]+}}] words [1, 16, 1] lanes [1, 16, 1] init
// M55-LABEL:   func.func @depthwise_rescaled(
// M55:           blocks [{{[0-9]+}}, 8, {{[0-9]+}}] words [1, 8, 1] lanes [1, 8, 1] init
func.func @depthwise_rescaled(%x: memref<8x16xi8>, %w: memref<3x16xi8>, %m: memref<16xi32>, %s: memref<16xi8>, %o: memref<6x16xi8>) {
  accel.reduce [6, 16 | 3] ins(%x, %w : memref<8x16xi8>, memref<3x16xi8>) params(%m, %s : memref<16xi32>, memref<16xi8>)
    outs(%o : memref<6x16xi8>) maps [#x, #w, #p, #p, #o] init {
    ^bb0(%m0: i32, %s0: i8):
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32, %m0: i32, %s0: i8):
      %low = arith.constant -128 : i32
      %high = arith.constant 127 : i32
      %scaled = tosa.apply_scale %acc, %m0, %s0 {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %raised = arith.maxsi %scaled, %low : i32
      %limited = arith.minsi %raised, %high : i32
      %narrow = arith.trunci %limited : i32 to i8
      accel.yield %narrow : i8
    }
  return
}

// -----

#x = affine_map<(c, k) -> (k)>
#w = affine_map<(c, k) -> (c, k)>
#p = affine_map<(c) -> (c)>

// The factors may be arguments of a function that several operators share.
// M55-LABEL:   func.func @shared(
// M55:           words [1, 16] lanes [4, 1] init
func.func @shared(%in: memref<32xi8>, %weights: memref<64x32xi8>, %bias: memref<64xi32>, %out: memref<64xi8>, %m: i32, %s: i8) {
  %zero = arith.constant -128 : i32
  %high = arith.constant 127 : i32
  accel.reduce [64 | 32] ins(%in, %weights : memref<32xi8>, memref<64x32xi8>) params(%bias : memref<64xi32>)
    outs(%out : memref<64xi8>) maps [#x, #w, #p, #p]
    init {
    ^bb0(%b: i32):
      accel.yield %b : i32
    } body {
    ^bb0(%acc: i32, %i: i8, %f: i8):
      %iw = arith.extsi %i : i8 to i32
      %fw = arith.extsi %f : i8 to i32
      %product = arith.muli %iw, %fw : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32, %b: i32):
      %scaled = tosa.apply_scale %acc, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %shifted = arith.addi %scaled, %zero : i32
      %raised = arith.maxsi %shifted, %zero : i32
      %limited = arith.minsi %raised, %high : i32
      %narrow = arith.trunci %limited : i32 to i8
      accel.yield %narrow : i8
    }
  return
}

// -----

#x = affine_map<(c, k) -> (k)>
#w = affine_map<(c, k) -> (c, k)>
#o = affine_map<(c) -> (c)>

// Blocks of 4 results pay where the kernel runs in a loop; code for one run is smaller without them.
// CHECK-LABEL: func.func @once(
// CHECK:         accel.reduce [4 | 6] {{.*}} blocks [1, {{[0-9]+}}] init
func.func @once(%x: memref<6xi8>, %w: memref<4x6xi8>, %o: memref<4xi32>) {
  accel.reduce [4 | 6] ins(%x, %w : memref<6xi8>, memref<4x6xi8>) outs(%o : memref<4xi32>) maps [#x, #w, #o]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// CHECK-LABEL: func.func @in_loops(
// CHECK:         accel.reduce [4 | 6] {{.*}} blocks [4, {{[0-9]+}}] init
func.func @in_loops(%x: memref<6xi8>, %w: memref<4x6xi8>, %o: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  scf.for %i = %c0 to %c40 step %c1 {
    scf.for %j = %c0 to %c40 step %c1 {
      accel.reduce [4 | 6] ins(%x, %w : memref<6xi8>, memref<4x6xi8>) outs(%o : memref<4xi32>) maps [#x, #w, #o]
      init {
        %zero = arith.constant 0 : i32
        accel.yield %zero : i32
      } body {
      ^bb0(%acc: i32, %x0: i8, %w0: i8):
        %x1 = arith.extsi %x0 : i8 to i32
        %w1 = arith.extsi %w0 : i8 to i32
        %product = arith.muli %x1, %w1 : i32
        %sum = arith.addi %acc, %product : i32
        accel.yield %sum : i32
      } finish {
      ^bb0(%acc: i32, %count: i32):
        accel.yield %acc : i32
      }
    }
  }
  return
}

// -----

#x = affine_map<(c, k) -> (k)>
#w = affine_map<(c, k) -> (c, k)>
#o = affine_map<(c) -> (c)>

// All calls of a function repay the bytes of its code.
// CHECK-LABEL: func.func private @called_once(
// CHECK:         accel.reduce [128 | 128] {{.*}} blocks [4, 4] init
func.func private @called_once(%x: memref<128xi8>, %w: memref<128x128xi8>, %o: memref<128xi32>) {
  accel.reduce [128 | 128] ins(%x, %w : memref<128xi8>, memref<128x128xi8>) outs(%o : memref<128xi32>)
    maps [#x, #w, #o] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// CHECK-LABEL: func.func private @called_often(
// CHECK:         accel.reduce [128 | 128] {{.*}} blocks [8, 16] init
func.func private @called_often(%x: memref<128xi8>, %w: memref<128x128xi8>, %o: memref<128xi32>) {
  accel.reduce [128 | 128] ins(%x, %w : memref<128xi8>, memref<128x128xi8>) outs(%o : memref<128xi32>)
    maps [#x, #w, #o] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

func.func @caller(%x: memref<128xi8>, %w: memref<128x128xi8>, %o: memref<128xi32>) {
  call @called_once(%x, %w, %o) : (memref<128xi8>, memref<128x128xi8>, memref<128xi32>) -> ()
  call @called_often(%x, %w, %o) : (memref<128xi8>, memref<128x128xi8>, memref<128xi32>) -> ()
  call @called_often(%x, %w, %o) : (memref<128xi8>, memref<128x128xi8>, memref<128xi32>) -> ()
  call @called_often(%x, %w, %o) : (memref<128xi8>, memref<128x128xi8>, memref<128xi32>) -> ()
  call @called_often(%x, %w, %o) : (memref<128xi8>, memref<128x128xi8>, memref<128xi32>) -> ()
  call @called_often(%x, %w, %o) : (memref<128xi8>, memref<128x128xi8>, memref<128xi32>) -> ()
  call @called_often(%x, %w, %o) : (memref<128xi8>, memref<128x128xi8>, memref<128xi32>) -> ()
  return
}

// -----

// Sixteen channels have their sums in one vector, to which words of four elements are added.
// VNNI-LABEL:  func.func @interleaved_words(
// VNNI:          blocks [{{[0-9]+}}, {{[0-9]+}}, 16, {{[0-9]+}}, 4] words [1, 1, 16, 1, 4] lanes [1, 1, 16, 1, 1] init
// M55-LABEL:   func.func @interleaved_words(
// M55-NOT:       words [1, 1, 16, 1, 4]
func.func @interleaved_words(%x: memref<48x16xi8>, %w: memref<4x4x64xi8>, %m: memref<64xi32>, %s: memref<64xi8>, %o: memref<48x64xi8>) {
  accel.reduce [48, 4, 16 | 4, 4] ins(%x, %w : memref<48x16xi8>, memref<4x4x64xi8>) params(%m, %s : memref<64xi32>, memref<64xi8>)
    outs(%o : memref<48x64xi8>) maps [affine_map<(p, c, l, k, t) -> (p, k * 4 + t)>, affine_map<(p, c, l, k, t) -> (c, k, l * 4 + t)>, affine_map<(p, c, l) -> (c * 16 + l)>, affine_map<(p, c, l) -> (c * 16 + l)>, affine_map<(p, c, l) -> (p, c * 16 + l)>] init {
    ^bb0(%m0: i32, %s0: i8):
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
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
    ^bb0(%acc: i32, %count: i32, %m0: i32, %s0: i8):
      %low = arith.constant -128 : i32
      %high = arith.constant 127 : i32
      %scaled = tosa.apply_scale %acc, %m0, %s0 {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %raised = arith.maxsi %scaled, %low : i32
      %limited = arith.minsi %raised, %high : i32
      %narrow = arith.trunci %limited : i32 to i8
      accel.yield %narrow : i8
    }
  return
}

// -----

// VNNI-LABEL:  func.func @eight_interleaved_words(
// VNNI:          blocks [{{[0-9]+}}, {{[0-9]+}}, 8, {{[0-9]+}}, 4] words [1, 1, 8, 1, 4] lanes [1, 1, 8, 1, 1] init
func.func @eight_interleaved_words(%x: memref<48x16xi8>, %w: memref<4x4x32xi8>, %m: memref<32xi32>, %s: memref<32xi8>, %o: memref<48x32xi8>) {
  accel.reduce [48, 4, 8 | 4, 4] ins(%x, %w : memref<48x16xi8>, memref<4x4x32xi8>) params(%m, %s : memref<32xi32>, memref<32xi8>)
    outs(%o : memref<48x32xi8>) maps [affine_map<(p, c, l, k, t) -> (p, k * 4 + t)>, affine_map<(p, c, l, k, t) -> (c, k, l * 4 + t)>, affine_map<(p, c, l) -> (c * 8 + l)>, affine_map<(p, c, l) -> (c * 8 + l)>, affine_map<(p, c, l) -> (p, c * 8 + l)>] init {
    ^bb0(%m0: i32, %s0: i8):
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
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
    ^bb0(%acc: i32, %count: i32, %m0: i32, %s0: i8):
      %low = arith.constant -128 : i32
      %high = arith.constant 127 : i32
      %scaled = tosa.apply_scale %acc, %m0, %s0 {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %raised = arith.maxsi %scaled, %low : i32
      %limited = arith.minsi %raised, %high : i32
      %narrow = arith.trunci %limited : i32 to i8
      accel.yield %narrow : i8
    }
  return
}

// -----

// The instruction takes elements without sign, which these are not with 3 added.
// VNNI-LABEL:  func.func @interleaved_words_with_sign(
// VNNI-NOT:      words [1, 1, 16, 1, 4]
func.func @interleaved_words_with_sign(%x: memref<48x16xi8>, %w: memref<4x4x64xi8>, %m: memref<64xi32>, %s: memref<64xi8>, %o: memref<48x64xi8>) {
  accel.reduce [48, 4, 16 | 4, 4] ins(%x, %w : memref<48x16xi8>, memref<4x4x64xi8>) params(%m, %s : memref<64xi32>, memref<64xi8>)
    outs(%o : memref<48x64xi8>) maps [affine_map<(p, c, l, k, t) -> (p, k * 4 + t)>, affine_map<(p, c, l, k, t) -> (c, k, l * 4 + t)>, affine_map<(p, c, l) -> (c * 16 + l)>, affine_map<(p, c, l) -> (c * 16 + l)>, affine_map<(p, c, l) -> (p, c * 16 + l)>] init {
    ^bb0(%m0: i32, %s0: i8):
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
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
    ^bb0(%acc: i32, %count: i32, %m0: i32, %s0: i8):
      %low = arith.constant -128 : i32
      %high = arith.constant 127 : i32
      %scaled = tosa.apply_scale %acc, %m0, %s0 {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %raised = arith.maxsi %scaled, %low : i32
      %limited = arith.minsi %raised, %high : i32
      %narrow = arith.trunci %limited : i32 to i8
      accel.yield %narrow : i8
    }
  return
}

// -----

// 32,768 bytes of weights do not stay in the first cache. Each group of channels is computed for all pixels, so it is read once.
// VNNI-LABEL:  func.func @large_weights(
// VNNI:          accel.reduce [4, 16, 48 | 128, 4] {{.*}} blocks [2, 16, 8, {{[0-9]+}}, 4] words [1, 16, 1, 1, 4]
func.func @large_weights(%x: memref<48x512xi8>, %w: memref<4x128x64xi8>, %m: memref<64xi32>, %s: memref<64xi8>, %o: memref<48x64xi8>) {
  accel.reduce [48, 4, 16 | 128, 4] ins(%x, %w : memref<48x512xi8>, memref<4x128x64xi8>) params(%m, %s : memref<64xi32>, memref<64xi8>)
    outs(%o : memref<48x64xi8>) maps [affine_map<(p, c, l, k, t) -> (p, k * 4 + t)>, affine_map<(p, c, l, k, t) -> (c, k, l * 4 + t)>, affine_map<(p, c, l) -> (c * 16 + l)>, affine_map<(p, c, l) -> (c * 16 + l)>, affine_map<(p, c, l) -> (p, c * 16 + l)>] init {
    ^bb0(%m0: i32, %s0: i8):
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
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
    ^bb0(%acc: i32, %count: i32, %m0: i32, %s0: i8):
      %low = arith.constant -128 : i32
      %high = arith.constant 127 : i32
      %scaled = tosa.apply_scale %acc, %m0, %s0 {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %raised = arith.maxsi %scaled, %low : i32
      %limited = arith.minsi %raised, %high : i32
      %narrow = arith.trunci %limited : i32 to i8
      accel.yield %narrow : i8
    }
  return
}
