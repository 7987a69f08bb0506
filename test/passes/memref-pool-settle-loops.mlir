// RUN: forebay-opt %s --memref-pool-settle-loops | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// The sum goes to a fresh tensor: it is stored back at the end of each iteration.
// CHECK-LABEL: func.func @fresh
// CHECK:         scf.for {{.*}} iter_args(%[[CARRIED:.*]] = %{{.*}})
// CHECK:           %[[SUM:.*]] = linalg.generic
// CHECK:           %[[STORED:.*]] = bufferization.materialize_in_destination %[[SUM]] in %[[CARRIED]]
// CHECK:           scf.yield %[[STORED]]
func.func @fresh(%x: tensor<4xi8>, %n: index) -> tensor<4xi8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %x) -> tensor<4xi8> {
    %e = tensor.empty() : tensor<4xi8>
    %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%it : tensor<4xi8>) outs(%e : tensor<4xi8>) {
    ^bb0(%a: i8, %o: i8):
      %t = arith.addi %a, %a : i8
      linalg.yield %t : i8
    } -> tensor<4xi8>
    scf.yield %s : tensor<4xi8>
  }
  return %r : tensor<4xi8>
}

// Computed in place, also through a loop inside: nothing to do.
// CHECK-LABEL: func.func @in_place
// CHECK-NOT:     materialize_in_destination
func.func @in_place(%x: tensor<4xi8>, %v: i8, %n: index) -> tensor<4xi8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %x) -> tensor<4xi8> {
    %q = scf.for %j = %c0 to %n step %c1 iter_args(%in = %it) -> tensor<4xi8> {
      %s = tensor.insert %v into %in[%j] : tensor<4xi8>
      scf.yield %s : tensor<4xi8>
    }
    scf.yield %q : tensor<4xi8>
  }
  return %r : tensor<4xi8>
}

// Both regions of a while loop hand their values on in the carried buffer.
// CHECK-LABEL: func.func @while
// CHECK:         scf.while (%[[BEFORE:.*]] = %{{.*}})
// CHECK:           scf.condition(%{{.*}}) %[[BEFORE]]
// CHECK:         ^bb0(%[[AFTER:.*]]: tensor<4xi8>):
// CHECK:           %[[STORED:.*]] = bufferization.materialize_in_destination %{{.*}} in %[[AFTER]]
// CHECK:           scf.yield %[[STORED]]
func.func @while(%x: tensor<4xi8>, %y: tensor<4xi8>, %c: i1) -> tensor<4xi8> {
  %r = scf.while (%b = %x) : (tensor<4xi8>) -> tensor<4xi8> {
    scf.condition(%c) %b : tensor<4xi8>
  } do {
  ^bb0(%a: tensor<4xi8>):
    scf.yield %y : tensor<4xi8>
  }
  return %r : tensor<4xi8>
}
