// RUN: forebay-opt %s --memref-pool-hold-candidates | FileCheck %s

memref_pool.pool @l2 workspace
memref_pool.pool @l1 workspace

// CHECK: module attributes {memref_pool.held =

// The op moves into a region, which no lowering replaces and nothing is fused across.
// CHECK-LABEL: func.func @named
// CHECK:         %[[HELD:.*]] = scf.execute_region -> tensor<4x4xi8> no_inline {
// CHECK:           %[[SUM:.*]] = linalg.add
// CHECK:           scf.yield %[[SUM]]
// CHECK:         } {memref_pool.candidates = #memref_pool.space<@l1>, memref_pool.held = 0 : index}
// CHECK:         return %[[HELD]]
func.func @named(%x: tensor<4x4xi8>) -> tensor<4x4xi8> {
  %e = tensor.empty() : tensor<4x4xi8>
  %r = linalg.add {memref_pool.candidates = #memref_pool.space<@l1>} ins(%x, %x : tensor<4x4xi8>, tensor<4x4xi8>) outs(%e : tensor<4x4xi8>) -> tensor<4x4xi8>
  return %r : tensor<4x4xi8>
}

// What a tensor without content lists is meant for what is computed into it.
// CHECK-LABEL: func.func @destination
// CHECK:         tensor.empty() : tensor<4x4xi8>
// CHECK:         scf.execute_region -> tensor<4x4xi8> no_inline {
// CHECK:           linalg.add
// CHECK:         } {memref_pool.candidates = #memref_pool.space<[@l1, @l2]>, memref_pool.held = 1 : index}
func.func @destination(%x: tensor<4x4xi8>) -> tensor<4x4xi8> {
  %e = tensor.empty() {memref_pool.candidates = #memref_pool.space<[@l1, @l2]>} : tensor<4x4xi8>
  %r = linalg.add ins(%x, %x : tensor<4x4xi8>, tensor<4x4xi8>) outs(%e : tensor<4x4xi8>) -> tensor<4x4xi8>
  return %r : tensor<4x4xi8>
}

// Copies keep it themselves.
// CHECK-LABEL: func.func @copy
// CHECK-NOT:     scf.execute_region
// CHECK:         linalg.copy {memref_pool.candidates = #memref_pool.space<@l1>}
func.func @copy(%x: tensor<4x4xi8>) -> tensor<4x4xi8> {
  %e = tensor.empty() : tensor<4x4xi8>
  %r = linalg.copy {memref_pool.candidates = #memref_pool.space<@l1>} ins(%x : tensor<4x4xi8>) outs(%e : tensor<4x4xi8>) -> tensor<4x4xi8>
  return %r : tensor<4x4xi8>
}
