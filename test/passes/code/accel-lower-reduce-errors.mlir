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
