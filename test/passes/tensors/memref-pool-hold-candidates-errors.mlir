// RUN: forebay-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(memref-pool-hold-candidates,func.func(tosa-to-linalg,canonicalize),memref-pool-assign)"

memref_pool.pool @l1 workspace
func.func @f(%x: tensor<4xi8>) -> tensor<4xi8> {
  // expected-error@+1 {{memref_pool.candidates of 'tensor.empty' cannot hold: nothing is computed into the tensor; say it at the op that does}}
  %e = tensor.empty() {memref_pool.candidates = #memref_pool.space<@l1>} : tensor<4xi8>
  return %x : tensor<4xi8>
}

// -----

memref_pool.pool @l1 workspace
func.func @f(%x: tensor<4xi8>, %n: index) -> (tensor<4xi8>, tensor<4xi8>) {
  // expected-error@+1 {{memref_pool.candidates of 'scf.for' cannot hold: it does not make one tensor; say it at an op that does}}
  %r:2 = scf.for %i = %n to %n step %n iter_args(%p = %x, %q = %x) -> (tensor<4xi8>, tensor<4xi8>) {
    scf.yield %q, %p : tensor<4xi8>, tensor<4xi8>
  } {memref_pool.candidates = #memref_pool.space<@l1>}
  return %r#0, %r#1 : tensor<4xi8>, tensor<4xi8>
}

// -----

memref_pool.pool @flash constant
func.func @f() -> tensor<4xi8> {
  // expected-error@+1 {{memref_pool.candidates of 'arith.constant' cannot hold: pools of constants are given by name when compiling (constant_pools)}}
  %c = arith.constant {memref_pool.candidates = #memref_pool.space<@flash>} dense<1> : tensor<4xi8>
  return %c : tensor<4xi8>
}

// -----

memref_pool.pool @l1 workspace
func.func @f(%x: tensor<4xi8>) -> tensor<4xi8> {
  // It is replaced by what it is given.
  // expected-error@+1 {{memref_pool.candidates of 'tosa.identity' cannot hold: nothing is computed there after the lowering; say it at the op that makes the bytes}}
  %r = tosa.identity %x {memref_pool.candidates = #memref_pool.space<@l1>} : (tensor<4xi8>) -> tensor<4xi8>
  return %r : tensor<4xi8>
}
