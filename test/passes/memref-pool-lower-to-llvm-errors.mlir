// RUN: forebay-opt %s --memref-pool-lower-to-llvm --verify-diagnostics

memref_pool.pool @sram workspace

func.func @main() {
  // expected-error@+1 {{a buffer is left that is no view of a pool; run memref-pool-materialize first}}
  %0 = memref_pool.alloc : memref<4xi32, #memref_pool.space<@sram>>
  return
}
