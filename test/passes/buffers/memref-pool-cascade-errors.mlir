// RUN: forebay-opt %s --split-input-file --memref-pool-cascade="budget=sram=63" --verify-diagnostics

// expected-error @below {{there is no workspace pool 'sram' for a budget; workspaces: 'ws'}}
module {
  memref_pool.pool @ws workspace
  memref_pool.pool @rom constant
  func.func @main() {
    return
  }
}

// -----

#id = affine_map<(y, x) -> (y, x)>
memref_pool.pool @sram workspace
func.func @main(%x: memref<8x8xi8, #memref_pool.space<@sram>>, %out: memref<8x8xi8> {bufferize.result}) {
  // expected-error @below {{pool 'sram' cannot hold this program in 63 bytes; the smallest budget that works is 64, set by 'linalg.generic'}}
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x8xi8, #memref_pool.space<@sram>>) outs(%out : memref<8x8xi8>) {
  ^bb0(%in: i8, %o: i8):
    linalg.yield %in : i8
  }
  return
}
