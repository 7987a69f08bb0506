// RUN: forebay-opt %s --split-input-file --verify-diagnostics --memref-pool-settle-loops

func.func @f(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %x) -> tensor<4xf32> {
    // expected-error @+1 {{'math.sqrt' is not known to the assignment of memory spaces; lower it to linalg, tensor, scf or accel first}}
    %s = math.sqrt %it : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
