// RUN: forebay-opt %s --split-input-file --verify-diagnostics --memref-pool-assign
// RUN: not forebay-opt %s --split-input-file --memref-pool-assign=io=elsewhere 2>&1 | FileCheck %s

// CHECK: error: io is 'caller' or 'pool', not 'elsewhere'

memref_pool.pool @flash constant
func.func @main() -> tensor<4xi8> {
  // expected-error @+1 {{no workspace pool that @host may write for tensor<4xi8>; workspace pools in the module: none. Attach a target first, or give @host the right}}
  %e = tensor.empty() : tensor<4xi8>
  // expected-note @+1 {{operand 1 of 'memref_pool.copy' needs it}}
  %c = memref_pool.copy %e into %e : tensor<4xi8>, tensor<4xi8> -> tensor<4xi8>
  return %c : tensor<4xi8>
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @mem workspace
memref_pool.pool @rom constant read [@npu]
func.func @main() -> tensor<4xi8> {
  // expected-error @+1 {{no constant pool that @host may read for tensor<4xi8>; constant pools in the module: @rom. Attach a target first, or give @host the right}}
  %w = arith.constant dense<7> : tensor<4xi8>
  // expected-note @+1 {{operand 0 of 'memref_pool.copy' needs it}}
  return %w : tensor<4xi8>
}

// -----

memref_pool.pool @mem workspace
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'math.sqrt' is not known to the assignment of memory spaces; lower it to linalg, tensor, scf or accel first}}
  %s = math.sqrt %x : tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

memref_pool.pool @mem workspace
func.func private @elsewhere(tensor<4xf32>) -> tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'func.call' is not known to the assignment of memory spaces; lower it to linalg, tensor, scf or accel first}}
  %s = func.call @elsewhere(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

memref_pool.pool @mem workspace
memref_pool.pool @rom constant
func.func @main() -> tensor<4xi8> {
  // expected-error @+1 {{a constant tensor needs dense elements to be placed in a pool; write it as dense<...>}}
  %w = arith.constant dense_resource<blob> : tensor<4xi8>
  return %w : tensor<4xi8>
}
{-#
  dialect_resources: { builtin: { blob: "0x0100000001020304" } }
#-}
