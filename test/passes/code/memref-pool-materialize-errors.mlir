// RUN: forebay-opt %s --memref-pool-materialize --split-input-file --verify-diagnostics

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace

func.func @main() {
  // expected-error@+1 {{buffer 'buffer' has no place yet; run memref-pool-plan first}}
  %a = memref_pool.alloc : memref<64xi8, #ws>
  return
}

// -----

// A plan by hand that puts the two buffers of one callee's argument into two pools.

#any = #memref_pool.space<[@fast, @ws]>
memref_pool.pool @fast workspace
memref_pool.pool @ws workspace

// expected-error@+1 {{a memref may lie in @fast and in @ws, but an address is in one pool; give all buffers that it stands for one candidate}}
func.func private @callee(%p: memref<64xi8, #any>, %x: i8) {
  linalg.fill ins(%x : i8) outs(%p : memref<64xi8, #any>)
  return
}
func.func @main(%x: i8) {
  %a = memref_pool.alloc at <@fast, 0> : memref<64xi8, #any>
  %b = memref_pool.alloc at <@ws, 0> : memref<64xi8, #any>
  call @callee(%a, %x) : (memref<64xi8, #any>, i8) -> ()
  call @callee(%b, %x) : (memref<64xi8, #any>, i8) -> ()
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace

func.func @main(%f: (memref<4xi8>) -> (), %a: memref<4xi8>) {
  // expected-error@+1 {{'func.call_indirect' calls an unknown function; call it by its symbol}}
  func.call_indirect %f(%a) : (memref<4xi8>) -> ()
  return
}
