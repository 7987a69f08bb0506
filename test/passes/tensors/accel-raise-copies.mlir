// RUN: forebay-opt %s --accel-raise-copies --split-input-file | FileCheck %s

memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local

#id = affine_map<(i, j) -> (i, j)>
#part = affine_map<(i, j) -> (i * 2 + 1, j)>
#turned = affine_map<(i, j) -> (j, i)>

// What the destination says of pools, the copy says.
// CHECK-LABEL: func.func @named
// CHECK:         %[[E:.*]] = tensor.empty()
// CHECK-NEXT:    %[[A:.*]] = memref_pool.copy %{{.*}} into %[[E]] {memref_pool.candidates = #memref_pool.space<@spad>}
// CHECK-NEXT:    %[[F:.*]] = tensor.empty()
// CHECK-NEXT:    memref_pool.copy %[[A]] into %[[F]] {memref_pool.candidates = #memref_pool.space<@dram>}
func.func @named(%a: tensor<4x8xi8>) -> tensor<4x8xi8> {
  %e = tensor.empty() {memref_pool.candidates = #memref_pool.space<@spad>} : tensor<4x8xi8>
  %b = linalg.copy ins(%a : tensor<4x8xi8>) outs(%e : tensor<4x8xi8>) -> tensor<4x8xi8>
  %f = tensor.empty() : tensor<4x8xi8>
  %c = bufferization.materialize_in_destination %b in %f {memref_pool.candidates = #memref_pool.space<@dram>} : (tensor<4x8xi8>, tensor<4x8xi8>) -> tensor<4x8xi8>
  return %c : tensor<4x8xi8>
}

// CHECK-LABEL: func.func @generic
// CHECK-SAME:    %[[A:.*]]: tensor<4x8xi8>, %[[B:.*]]: tensor<8x8xi8>
// CHECK:         memref_pool.copy %[[A]] into
// CHECK:         %[[ODD:.*]] = tensor.extract_slice %[[B]][1, 0] [4, 8] [2, 1]
// CHECK-NEXT:    memref_pool.copy %[[ODD]] into
// CHECK:         linalg.generic
func.func @generic(%a: tensor<4x8xi8>, %b: tensor<8x8xi8>, %c: tensor<8x4xi8>) -> (tensor<4x8xi8>, tensor<4x8xi8>, tensor<4x8xi8>) {
  %e = tensor.empty() : tensor<4x8xi8>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4x8xi8>) outs(%e : tensor<4x8xi8>) {
  ^bb0(%x: i8, %y: i8):
    linalg.yield %x : i8
  } -> tensor<4x8xi8>
  %1 = linalg.generic {indexing_maps = [#part, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<8x8xi8>) outs(%e : tensor<4x8xi8>) {
  ^bb0(%x: i8, %y: i8):
    linalg.yield %x : i8
  } -> tensor<4x8xi8>
  // Transposed: the elements in another order.
  %2 = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<8x4xi8>) outs(%e : tensor<4x8xi8>) {
  ^bb0(%x: i8, %y: i8):
    linalg.yield %x : i8
  } -> tensor<4x8xi8>
  return %0, %1, %2 : tensor<4x8xi8>, tensor<4x8xi8>, tensor<4x8xi8>
}

// Row i + 2 of %a for row i; the second nest leaves a column as it was, the third adds.
// CHECK-LABEL: func.func @loops
// CHECK-SAME:    %[[A:.*]]: tensor<6x8xi8>, %[[E:.*]]: tensor<4x8xi8>
// CHECK:         %[[ROWS:.*]] = tensor.extract_slice %[[A]][2, 0] [4, 8] [1, 1]
// CHECK-NEXT:    memref_pool.copy %[[ROWS]] into %[[E]]
// CHECK-COUNT-4: scf.for
func.func @loops(%a: tensor<6x8xi8>, %e: tensor<4x8xi8>) -> (tensor<4x8xi8>, tensor<4x8xi8>, tensor<4x8xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%o = %e) -> (tensor<4x8xi8>) {
    %row = arith.addi %i, %c2 : index
    %r = scf.for %j = %c0 to %c8 step %c1 iter_args(%p = %o) -> (tensor<4x8xi8>) {
      %v = tensor.extract %a[%row, %j] : tensor<6x8xi8>
      %n = tensor.insert %v into %p[%i, %j] : tensor<4x8xi8>
      scf.yield %n : tensor<4x8xi8>
    }
    scf.yield %r : tensor<4x8xi8>
  }
  %1 = scf.for %i = %c0 to %c4 step %c1 iter_args(%o = %e) -> (tensor<4x8xi8>) {
    %r = scf.for %j = %c0 to %c7 step %c1 iter_args(%p = %o) -> (tensor<4x8xi8>) {
      %v = tensor.extract %a[%i, %j] : tensor<6x8xi8>
      %n = tensor.insert %v into %p[%i, %j] : tensor<4x8xi8>
      scf.yield %n : tensor<4x8xi8>
    }
    scf.yield %r : tensor<4x8xi8>
  }
  %2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%o = %e) -> (tensor<4x8xi8>) {
    %r = scf.for %j = %c0 to %c8 step %c1 iter_args(%p = %o) -> (tensor<4x8xi8>) {
      %v = tensor.extract %a[%i, %j] : tensor<6x8xi8>
      %w = arith.addi %v, %v : i8
      %n = tensor.insert %w into %p[%i, %j] : tensor<4x8xi8>
      scf.yield %n : tensor<4x8xi8>
    }
    scf.yield %r : tensor<4x8xi8>
  }
  return %0, %1, %2 : tensor<4x8xi8>, tensor<4x8xi8>, tensor<4x8xi8>
}

// -----

memref_pool.pool @dram workspace

// Where the host reaches everything, a copy is for the folders to decide about.
// CHECK-LABEL: func.func @host_only
// CHECK:         linalg.copy
func.func @host_only(%a: tensor<4x8xi8>) -> tensor<4x8xi8> {
  %e = tensor.empty() : tensor<4x8xi8>
  %b = linalg.copy ins(%a : tensor<4x8xi8>) outs(%e : tensor<4x8xi8>) -> tensor<4x8xi8>
  return %b : tensor<4x8xi8>
}

// -----

memref_pool.pool @l2 workspace
memref_pool.pool @l1 workspace capacity 128

// Here, too, a copy into a pool that the program names is one.
// CHECK-LABEL: func.func @into_a_named_pool
// CHECK:         memref_pool.copy %{{.*}} {memref_pool.candidates = #memref_pool.space<@l1>}
// CHECK:         memref_pool.copy %{{.*}} {memref_pool.candidates = #memref_pool.space<@l2>}
func.func @into_a_named_pool(%a: tensor<64xi8>) -> tensor<64xi8> {
  %e = tensor.empty() {memref_pool.candidates = #memref_pool.space<@l1>} : tensor<64xi8>
  %b = linalg.copy ins(%a : tensor<64xi8>) outs(%e : tensor<64xi8>) -> tensor<64xi8>
  %f = tensor.empty() : tensor<64xi8>
  %c = linalg.copy {memref_pool.candidates = #memref_pool.space<@l2>} ins(%b : tensor<64xi8>) outs(%f : tensor<64xi8>) -> tensor<64xi8>
  return %c : tensor<64xi8>
}

// -----

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @spad workspace local capacity 65536 base 0 read [@npu] write [@npu]

// What is read is what the loops have written so far, which is nowhere in front of them.
// CHECK-LABEL: func.func @reads_what_it_wrote
// CHECK-NOT:     memref_pool.copy
func.func @reads_what_it_wrote(%e: tensor<4x8xi8>) -> tensor<4x8xi8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%o = %e) -> (tensor<4x8xi8>) {
    %r = scf.for %j = %c0 to %c8 step %c1 iter_args(%p = %o) -> (tensor<4x8xi8>) {
      %v = tensor.extract %o[%i, %j] : tensor<4x8xi8>
      %n = tensor.insert %v into %p[%i, %j] : tensor<4x8xi8>
      scf.yield %n : tensor<4x8xi8>
    }
    scf.yield %r : tensor<4x8xi8>
  }
  return %0 : tensor<4x8xi8>
}
