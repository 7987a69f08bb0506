// RUN: forebay-opt %s --split-input-file --verify-diagnostics --memref-pool-hoist-stores

memref_pool.pool @ws workspace
func.func @main() {
  %n = memref_pool.alloc : memref<4xi8, #memref_pool.space<@ws>>
  // expected-error @+1 {{'builtin.unrealized_conversion_cast'}}
  %m = builtin.unrealized_conversion_cast %n : memref<4xi8, #memref_pool.space<@ws>> to memref<4xi8>
  return
}
