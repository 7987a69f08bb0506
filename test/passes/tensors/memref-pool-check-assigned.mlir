// RUN: forebay-opt %s --memref-pool-check-assigned | FileCheck %s

memref_pool.pool @ws workspace

// The caller's tensors and views of them need no space; what is copied out takes the caller's side of the copy.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<2x2xi8>) -> tensor<4xi8> {
  %f = tensor.collapse_shape %x [[0, 1]] : tensor<2x2xi8> into tensor<4xi8>
  %e = tensor.empty() : tensor<4xi8, #memref_pool.space<@ws>>
  %c = memref_pool.copy %f into %e : tensor<4xi8>, tensor<4xi8, #memref_pool.space<@ws>> -> tensor<4xi8, #memref_pool.space<@ws>>
  %o = tensor.empty() : tensor<4xi8>
  // CHECK: memref_pool.copy
  // CHECK: memref_pool.copy
  %r = memref_pool.copy %c into %o : tensor<4xi8, #memref_pool.space<@ws>>, tensor<4xi8> -> tensor<4xi8>
  return %r : tensor<4xi8>
}
