// RUN: forebay-opt %s --verify-diagnostics --accel-lower-reduce

func.func @on_tensors(%x: tensor<4xi32>) -> tensor<1xi32> {
  %e = tensor.empty() : tensor<1xi32>
  // expected-error @+1 {{accel.reduce on tensors has no loops; run one-shot-bufferize before}}
  %0 = accel.reduce [| 4] ins(%x : tensor<4xi32>) outs(%e : tensor<1xi32>)
    maps [affine_map<(i) -> (i)>, affine_map<() -> (0)>]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i32):
      %sum = arith.addi %acc, %x0 : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    } -> tensor<1xi32>
  return %0 : tensor<1xi32>
}

func.func @words_that_are_no_neighbours(%x: memref<8xi8>, %w: memref<8x2xi8>, %o: memref<2xi32>) {
  // expected-error @+1 {{words along dimension 1 need a sum of products of signed 8-bit elements that are neighbours in both operands, with a constant added to the first one at most}}
  accel.reduce [2 | 8] ins(%x, %w : memref<8xi8>, memref<8x2xi8>) outs(%o : memref<2xi32>)
    maps [affine_map<(c, k) -> (k)>, affine_map<(c, k) -> (k, c)>, affine_map<(c) -> (c)>] blocks [1, 4] words [1, 4] init {
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

func.func @lanes_that_are_not_rescaled(%x: memref<8xi8>, %w: memref<4x8xi8>, %o: memref<4xi32>) {
  // expected-error @+1 {{lanes along dimension 0 need sums of 32 bits that are rescaled to 8 bits with double rounding, and results and parameters that are neighbours}}
  accel.reduce [4 | 8] ins(%x, %w : memref<8xi8>, memref<4x8xi8>) outs(%o : memref<4xi32>)
    maps [affine_map<(c, k) -> (k)>, affine_map<(c, k) -> (c, k)>, affine_map<(c) -> (c)>] blocks [4, 1] lanes [4, 1] init {
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

// The elements of a word are 16 apart.
func.func @words_of_other_order(%x: memref<4x12xi8>, %w: memref<2x3x64xi8>, %m: memref<32xi32>, %s: memref<32xi8>, %o: memref<4x32xi8>) {
  // expected-error @+1 {{words along dimensions 2 and 4 need a sum of products of signed 8-bit elements, with a constant added to the first one at most; the first ones are the same for all positions of dimension 2, and the second ones are interleaved in words}}
  accel.reduce [4, 2, 16 | 3, 4] ins(%x, %w : memref<4x12xi8>, memref<2x3x64xi8>) params(%m, %s : memref<32xi32>, memref<32xi8>)
    outs(%o : memref<4x32xi8>) maps [affine_map<(p, c, l, k, t) -> (p, k * 4 + t)>, affine_map<(p, c, l, k, t) -> (c, k, t * 16 + l)>, affine_map<(p, c, l) -> (c * 16 + l)>, affine_map<(p, c, l) -> (c * 16 + l)>, affine_map<(p, c, l) -> (p, c * 16 + l)>] blocks [2, 1, 16, 1, 4] words [1, 1, 16, 1, 4] lanes [1, 1, 16, 1, 1] init {
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

// Only half of a vector is of these positions.
func.func @words_of_longer_rows(%x: memref<4x12xi8>, %w: memref<2x3x128xi8>, %m: memref<32xi32>, %s: memref<32xi8>, %o: memref<4x32xi8>) {
  // expected-error @+1 {{words along dimensions 2 and 4 need a sum of products of signed 8-bit elements, with a constant added to the first one at most; the first ones are the same for all positions of dimension 2, and the second ones are interleaved in words}}
  accel.reduce [4, 2, 16 | 3, 4] ins(%x, %w : memref<4x12xi8>, memref<2x3x128xi8>) params(%m, %s : memref<32xi32>, memref<32xi8>)
    outs(%o : memref<4x32xi8>) maps [affine_map<(p, c, l, k, t) -> (p, k * 4 + t)>, affine_map<(p, c, l, k, t) -> (c, k, l * 4 + t)>, affine_map<(p, c, l) -> (c * 16 + l)>, affine_map<(p, c, l) -> (c * 16 + l)>, affine_map<(p, c, l) -> (p, c * 16 + l)>] blocks [2, 1, 16, 1, 4] words [1, 1, 16, 1, 4] lanes [1, 1, 16, 1, 1] init {
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

// Each position has a first factor of its own.
func.func @words_of_each_position(%x: memref<4x32xi8>, %w: memref<2x3x64xi8>, %m: memref<32xi32>, %s: memref<32xi8>, %o: memref<4x32xi8>) {
  // expected-error @+1 {{words along dimensions 2 and 4 need a sum of products of signed 8-bit elements, with a constant added to the first one at most; the first ones are the same for all positions of dimension 2, and the second ones are interleaved in words}}
  accel.reduce [4, 2, 16 | 3, 4] ins(%x, %w : memref<4x32xi8>, memref<2x3x64xi8>) params(%m, %s : memref<32xi32>, memref<32xi8>)
    outs(%o : memref<4x32xi8>) maps [affine_map<(p, c, l, k, t) -> (p, k * 4 + t + l)>, affine_map<(p, c, l, k, t) -> (c, k, l * 4 + t)>, affine_map<(p, c, l) -> (c * 16 + l)>, affine_map<(p, c, l) -> (c * 16 + l)>, affine_map<(p, c, l) -> (p, c * 16 + l)>] blocks [2, 1, 16, 1, 4] words [1, 1, 16, 1, 4] lanes [1, 1, 16, 1, 1] init {
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
