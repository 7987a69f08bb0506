// RUN: forebay-opt %s --memref-pool-carry-state | FileCheck %s

// What may show bytes of a variable that changes is copied before it does, whether it is stored or returned.

memref_pool.pool @state state

tosa.variable @a = dense<1> : tensor<4xi8>
tosa.variable @b = dense<2> : tensor<4xi8>

// The clamp turns out to do nothing, and then what is stored to @b is @a itself.
// CHECK-LABEL: func.func @main
// CHECK:         %[[A:.*]] = bufferization.to_tensor
// CHECK:         %[[B:.*]] = bufferization.to_tensor
// CHECK:         %[[SAME:.*]] = tosa.clamp %[[A]]
// CHECK:         %[[NEW:.*]] = tosa.maximum %[[A]], %arg0
// CHECK:         %[[KEPT:.*]] = memref_pool.copy %[[SAME]]
// CHECK:         %[[OLD:.*]] = memref_pool.copy %[[B]]
// CHECK:         memref_pool.copy %[[NEW]]
// CHECK-NEXT:    bufferization.materialize_in_destination
// CHECK:         memref_pool.copy %[[KEPT]]
// CHECK-NEXT:    bufferization.materialize_in_destination
// CHECK:         return %[[OLD]], %[[NEW]]
func.func @main(%x: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>) {
  %a = tosa.variable_read @a : tensor<4xi8>
  %b = tosa.variable_read @b : tensor<4xi8>
  %same = tosa.clamp %a {min_val = -128 : i8, max_val = 127 : i8} : (tensor<4xi8>) -> tensor<4xi8>
  %new = tosa.maximum %a, %x : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  tosa.variable_write @a, %new : tensor<4xi8>
  tosa.variable_write @b, %same : tensor<4xi8>
  return %b, %new : tensor<4xi8>, tensor<4xi8>
}

// Stored to where it is, or computed from several, a value needs no copy.
// CHECK-LABEL: func.func @other
// CHECK:         %[[A:.*]] = bufferization.to_tensor
// CHECK:         %[[SAME:.*]] = tosa.clamp
// CHECK-NOT:     memref_pool.copy
// CHECK:         memref.get_global @a
// CHECK-NEXT:    bufferization.to_tensor
// CHECK-NEXT:    memref_pool.copy %[[SAME]]
func.func @other(%x: tensor<4xi8>) -> tensor<4xi8> {
  %a = tosa.variable_read @a : tensor<4xi8>
  %same = tosa.clamp %a {min_val = -128 : i8, max_val = 127 : i8} : (tensor<4xi8>) -> tensor<4xi8>
  %y = tosa.maximum %a, %x : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  tosa.variable_write @a, %same : tensor<4xi8>
  return %y : tensor<4xi8>
}

// A slice of a concatenation may be one of its operands, so the old @a is copied before the new one is stored. The second
// slice has elements of both operands and is new.
// CHECK-LABEL: func.func @slices
// CHECK:         %[[OF_A:.*]] = tosa.slice
// CHECK:         %[[OF_BOTH:.*]] = tosa.slice
// CHECK:         %[[INNER:.*]] = tosa.slice
// CHECK:         %[[OF_INNER:.*]] = tosa.slice %[[INNER]]
// CHECK:         %[[KEPT:.*]] = memref_pool.copy %[[OF_A]]
// CHECK:         %[[KEPT_INNER:.*]] = memref_pool.copy %[[OF_INNER]]
// CHECK:         memref_pool.copy %arg0
// CHECK-NEXT:    bufferization.materialize_in_destination
// CHECK:         return %[[KEPT]], %[[OF_BOTH]], %[[KEPT_INNER]]
func.func @slices(%x: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>) {
  %a = tosa.variable_read @a : tensor<4xi8>
  %joined = tosa.concat %x, %a {axis = 0 : i32} : (tensor<4xi8>, tensor<4xi8>) -> tensor<8xi8>
  %c2 = tosa.const_shape {values = dense<2> : tensor<1xindex>} : () -> !tosa.shape<1>
  %c4 = tosa.const_shape {values = dense<4> : tensor<1xindex>} : () -> !tosa.shape<1>
  %c6 = tosa.const_shape {values = dense<6> : tensor<1xindex>} : () -> !tosa.shape<1>
  %of_a = tosa.slice %joined, %c4, %c4 : (tensor<8xi8>, !tosa.shape<1>, !tosa.shape<1>) -> tensor<4xi8>
  %of_both = tosa.slice %joined, %c2, %c4 : (tensor<8xi8>, !tosa.shape<1>, !tosa.shape<1>) -> tensor<4xi8>
  %inner = tosa.slice %joined, %c2, %c6 : (tensor<8xi8>, !tosa.shape<1>, !tosa.shape<1>) -> tensor<6xi8>
  %of_inner = tosa.slice %inner, %c2, %c4 : (tensor<6xi8>, !tosa.shape<1>, !tosa.shape<1>) -> tensor<4xi8>
  tosa.variable_write @a, %x : tensor<4xi8>
  return %of_a, %of_both, %of_inner : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>
}
