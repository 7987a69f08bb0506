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
