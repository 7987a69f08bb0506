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

// Two values change places: one is saved, both are stored.
// CHECK-LABEL: func.func @swap
// CHECK:         scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}})
// CHECK:           %[[E:.*]] = tensor.empty() : tensor<4xi8>
// CHECK:           %[[SAVED:.*]] = bufferization.materialize_in_destination %[[Q]] in %[[E]]
// CHECK:           %[[NEW_Q:.*]] = bufferization.materialize_in_destination %[[P]] in %[[Q]]
// CHECK:           %[[NEW_P:.*]] = bufferization.materialize_in_destination %[[SAVED]] in %[[P]]
// CHECK-NOT:       materialize_in_destination
// CHECK:           scf.yield %[[NEW_P]], %[[NEW_Q]]
func.func @swap(%x: tensor<4xi8>, %y: tensor<4xi8>, %n: index) -> (tensor<4xi8>, tensor<4xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %y) -> (tensor<4xi8>, tensor<4xi8>) {
    scf.yield %q, %p : tensor<4xi8>, tensor<4xi8>
  }
  return %r#0, %r#1 : tensor<4xi8>, tensor<4xi8>
}

// A chain is no cycle: what is read first is stored last, and nothing is saved.
// CHECK-LABEL: func.func @shift
// CHECK:         scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}})
// CHECK-NOT:       tensor.empty
// CHECK:           %[[NEW_P:.*]] = bufferization.materialize_in_destination %[[Q]] in %[[P]]
// CHECK:           %[[NEW_Q:.*]] = bufferization.materialize_in_destination %{{.*}} in %[[Q]]
// CHECK:           scf.yield %[[NEW_P]], %[[NEW_Q]]
func.func @shift(%x: tensor<4xi8>, %y: tensor<4xi8>, %z: tensor<4xi8>, %n: index) -> (tensor<4xi8>, tensor<4xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %y) -> (tensor<4xi8>, tensor<4xi8>) {
    scf.yield %q, %z : tensor<4xi8>, tensor<4xi8>
  }
  return %r#0, %r#1 : tensor<4xi8>, tensor<4xi8>
}

// The tensor before the insertion is yielded, too: it leaves before the carried one is overwritten.
// CHECK-LABEL: func.func @old_and_new
// CHECK:         scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}})
// CHECK:           %[[NEW:.*]] = tensor.insert %{{.*}} into %[[P]]
// CHECK:           %[[NEW_Q:.*]] = bufferization.materialize_in_destination %[[P]] in %[[Q]]
// CHECK:           %[[NEW_P:.*]] = bufferization.materialize_in_destination %[[NEW]] in %[[P]]
// CHECK:           scf.yield %[[NEW_P]], %[[NEW_Q]]
func.func @old_and_new(%x: tensor<4xi8>, %y: tensor<4xi8>, %v: i8, %n: index) -> (tensor<4xi8>, tensor<4xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %y) -> (tensor<4xi8>, tensor<4xi8>) {
    %u = tensor.insert %v into %p[%i] : tensor<4xi8>
    scf.yield %u, %p : tensor<4xi8>, tensor<4xi8>
  }
  return %r#0, %r#1 : tensor<4xi8>, tensor<4xi8>
}

// The condition hands values on in another order: they are stored where the loop carries them.
// CHECK-LABEL: func.func @condition
// CHECK:         scf.while (%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}})
// CHECK:           %[[SAVED:.*]] = bufferization.materialize_in_destination %[[Q]] in %{{.*}}
// CHECK:           %[[NEW_Q:.*]] = bufferization.materialize_in_destination %[[P]] in %[[Q]]
// CHECK:           %[[NEW_P:.*]] = bufferization.materialize_in_destination %[[SAVED]] in %[[P]]
// CHECK:           scf.condition(%{{.*}}) %[[NEW_P]], %[[NEW_Q]]
func.func @condition(%x: tensor<4xi8>, %y: tensor<4xi8>, %c: i1) -> (tensor<4xi8>, tensor<4xi8>) {
  %r:2 = scf.while (%p = %x, %q = %y) : (tensor<4xi8>, tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>) {
    scf.condition(%c) %q, %p : tensor<4xi8>, tensor<4xi8>
  } do {
  ^bb0(%p: tensor<4xi8>, %q: tensor<4xi8>):
    scf.yield %p, %q : tensor<4xi8>, tensor<4xi8>
  }
  return %r#0, %r#1 : tensor<4xi8>, tensor<4xi8>
}

// The inner loop would overwrite what is read behind it: it gets a copy.
// CHECK-LABEL: func.func @needed_behind
// CHECK:           %[[COPY:.*]] = bufferization.materialize_in_destination %[[OUTER:.*]] in %{{.*}}
// CHECK:           scf.for {{.*}} iter_args(%{{.*}} = %[[COPY]])
func.func @needed_behind(%x: tensor<4xi8>, %y: tensor<4xi8>, %z: tensor<4xi8>, %n: index) -> (tensor<4xi8>, tensor<4xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %y) -> (tensor<4xi8>, tensor<4xi8>) {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%in = %p) -> tensor<4xi8> {
      scf.yield %z : tensor<4xi8>
    }
    scf.yield %p, %s : tensor<4xi8>, tensor<4xi8>
  }
  return %r#0, %r#1 : tensor<4xi8>, tensor<4xi8>
}
