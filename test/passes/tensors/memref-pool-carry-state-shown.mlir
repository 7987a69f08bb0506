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

#id = affine_map<(d0) -> (d0)>

// A new value in the place of the old one: the variable may be overwritten, and its store copies nothing. The loop may run
// once and become its body, so the values that change places are copied.
// CHECK-LABEL: func.func @in_place
// CHECK:         %[[A:.*]] = bufferization.to_tensor %{{.*}} restrict writable
// CHECK:         %[[R:.*]] = scf.for {{.*}} iter_args({{.*}} = %[[A]])
// CHECK-NOT:     memref_pool.copy
// CHECK:         memref.get_global @a
// CHECK-NEXT:    bufferization.to_tensor
// CHECK-NEXT:    memref_pool.copy %[[R]]
func.func @in_place(%x: tensor<4xi8>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tosa.variable_read @a : tensor<4xi8>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a) -> tensor<4xi8> {
    %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xi8>) outs(%p : tensor<4xi8>) {
    ^bb0(%in: i8, %out: i8):
      %t = arith.addi %in, %out : i8
      linalg.yield %t : i8
    } -> tensor<4xi8>
    scf.yield %s : tensor<4xi8>
  }
  tosa.variable_write @a, %r : tensor<4xi8>
  return
}

// CHECK-LABEL: func.func @swapped
// CHECK:         %[[R:.*]]:2 = scf.for
// CHECK:         memref_pool.copy %[[R]]#0
// CHECK:         memref_pool.copy %[[R]]#1
// CHECK:         memref.get_global @a
func.func @swapped(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tosa.variable_read @a : tensor<4xi8>
  %b = tosa.variable_read @b : tensor<4xi8>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (tensor<4xi8>, tensor<4xi8>) {
    scf.yield %q, %p : tensor<4xi8>, tensor<4xi8>
  }
  tosa.variable_write @a, %r#0 : tensor<4xi8>
  tosa.variable_write @b, %r#1 : tensor<4xi8>
  return
}

// Limits that turn out to be those of the type yield @a, and so does a product by the constant 1.
// CHECK-LABEL: func.func @limited
// CHECK:         %[[R:.*]] = linalg.generic
// CHECK:         memref_pool.copy %[[R]]
// CHECK:         memref.get_global @b
// CHECK:         memref_pool.copy
// CHECK:         memref.get_global @a
func.func @limited(%x: tensor<4xi8>) {
  %one = arith.constant dense<1> : tensor<4xi8>
  %low = arith.constant -128 : i8
  %a = tosa.variable_read @a : tensor<4xi8>
  %e = tensor.empty() : tensor<4xi8>
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%a, %one : tensor<4xi8>, tensor<4xi8>) outs(%e : tensor<4xi8>) {
  ^bb0(%in: i8, %factor: i8, %out: i8):
    %t = arith.muli %in, %factor : i8
    %u = arith.maxsi %t, %low : i8
    linalg.yield %u : i8
  } -> tensor<4xi8>
  tosa.variable_write @b, %s : tensor<4xi8>
  tosa.variable_write @a, %x : tensor<4xi8>
  return
}
