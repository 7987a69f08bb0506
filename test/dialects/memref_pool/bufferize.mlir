// RUN: forebay-opt %s --one-shot-bufferize="bufferize-function-boundaries use-encoding-for-memory-space function-boundary-type-conversion=identity-layout-map buffer-alignment=0" --canonicalize | FileCheck %s

// A copy between pools stays what it is, on the device that makes it, into an allocation in the target's pool.
// CHECK-LABEL: func.func @copy
// CHECK:         %[[TARGET:.*]] = memref.alloc() : memref<8xi8, #memref_pool.space<@act>>
// CHECK:         memref_pool.copy %{{.*}} into %[[TARGET]] {accel.on = @cpu} : memref<8xi8, #memref_pool.space<@l2>>, memref<8xi8, #memref_pool.space<@act>>
// CHECK:         return %[[TARGET]]
func.func @copy(%x: tensor<8xi8, #memref_pool.space<@l2>>) -> tensor<8xi8, #memref_pool.space<@act>> {
  %e = tensor.empty() : tensor<8xi8, #memref_pool.space<@act>>
  %c = memref_pool.copy %x into %e {accel.on = @cpu} : tensor<8xi8, #memref_pool.space<@l2>>, tensor<8xi8, #memref_pool.space<@act>> -> tensor<8xi8, #memref_pool.space<@act>>
  return %c : tensor<8xi8, #memref_pool.space<@act>>
}

// No folder sees through a copy within one pool either: it was asked for.
// CHECK-LABEL: func.func @same_pool
// CHECK:         memref_pool.copy
func.func @same_pool(%x: tensor<8xi8, #memref_pool.space<@act>>) -> tensor<8xi8, #memref_pool.space<@act>> {
  %e = tensor.empty() : tensor<8xi8, #memref_pool.space<@act>>
  %c = memref_pool.copy %x into %e : tensor<8xi8, #memref_pool.space<@act>>, tensor<8xi8, #memref_pool.space<@act>> -> tensor<8xi8, #memref_pool.space<@act>>
  return %c : tensor<8xi8, #memref_pool.space<@act>>
}
