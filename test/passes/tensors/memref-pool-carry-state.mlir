// RUN: forebay-opt %s --memref-pool-carry-state | FileCheck %s

memref_pool.pool @kept state reserved [0, 16]

// CHECK-NOT: tosa.variable
// CHECK: memref.global "private" @a : memref<2x4xi8, #memref_pool.space<@kept>>
tosa.variable @a = dense<-128> : tensor<2x4xi8>
tosa.variable @b = dense<[1, 2, 3, 4]> : tensor<4xi8>
tosa.variable @c : tensor<4xi8>

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<2x4xi8>) -> tensor<2x4xi8> {
  // CHECK: %[[A:.*]] = bufferization.to_tensor %{{.*}} restrict : memref<2x4xi8, #memref_pool.space<@kept>> to tensor<2x4xi8>
  %0 = tosa.variable_read @a : tensor<2x4xi8>
  // CHECK: %[[B:.*]] = bufferization.to_tensor
  %b = tosa.variable_read @b : tensor<4xi8>
  // CHECK: %[[C:.*]] = bufferization.to_tensor
  %c = tosa.variable_read @c : tensor<4xi8>
  // The two change places: what either held is copied before either is stored.
  tosa.variable_write @c, %b : tensor<4xi8>
  tosa.variable_write @b, %c : tensor<4xi8>
  // CHECK: %[[SUM:.*]] = tosa.add %[[A]], %{{.*}}
  %1 = tosa.add %0, %x : (tensor<2x4xi8>, tensor<2x4xi8>) -> tensor<2x4xi8>
  tosa.variable_write @a, %1 : tensor<2x4xi8>
  // What is read after a write is what was written.
  %2 = tosa.variable_read @a : tensor<2x4xi8>
  // CHECK: %[[OLD_B:.*]] = memref_pool.copy %[[B]] into
  // CHECK: %[[OLD_C:.*]] = memref_pool.copy %[[C]] into
  // CHECK: memref_pool.copy %[[OLD_B]] into
  // CHECK: materialize_in_destination
  // CHECK: memref_pool.copy %[[OLD_C]] into
  // CHECK: materialize_in_destination
  // CHECK: %[[NEW:.*]] = memref_pool.copy %[[SUM]] into
  // CHECK: bufferization.materialize_in_destination %[[NEW]] in restrict writable %{{.*}} : (tensor<2x4xi8>, memref<2x4xi8, #memref_pool.space<@kept>>)
  // CHECK: return %[[SUM]]
  return %2 : tensor<2x4xi8>
}

// CHECK-LABEL: func.func public @reset()
// CHECK:         %[[M128:.*]] = arith.constant -128 : i8
// CHECK:         linalg.fill ins(%[[M128]] : i8) outs(%{{.*}} : memref<2x4xi8, #memref_pool.space<@kept>>)
// CHECK:         %[[INIT:.*]] = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi8>
// CHECK:         memref_pool.copy %[[INIT]] into
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : i8
// CHECK:         linalg.fill ins(%[[ZERO]] : i8) outs(%{{.*}} : memref<4xi8, #memref_pool.space<@kept>>)
