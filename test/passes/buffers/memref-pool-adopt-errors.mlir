// RUN: forebay-opt %s --memref-pool-adopt --split-input-file --verify-diagnostics

memref_pool.pool @ws workspace

func.func @main() {
  // expected-error@+1 {{buffer of type memref<4xi8> has no candidate pools; run memref-pool-assign before bufferization}}
  %0 = memref.alloc() : memref<4xi8>
  return
}

// -----

memref_pool.pool @ws workspace

func.func @main(%n: index) {
  // expected-error@+1 {{buffer of type memref<?xi8, #memref_pool.space<@ws>> has a dynamic shape, which needs a bound to be planned; give the shape when compiling}}
  %0 = memref.alloc(%n) : memref<?xi8, #memref_pool.space<@ws>>
  return
}

// -----

memref_pool.pool @ws workspace
memref_pool.pool @flash constant

func.func @main() {
  // expected-error@+1 {{buffer of type memref<4xi8, #memref_pool.space<[@ws, @flash]>> is written at run time, but has a pool of constants as a candidate; leave that pool out}}
  %0 = memref.alloc() : memref<4xi8, #memref_pool.space<[@ws, @flash]>>
  return
}

// -----

memref_pool.pool @ws workspace
memref_pool.pool @other workspace

func.func @main() {
  // expected-error@+1 {{buffer names the pool @sram, which is not in the module; it has @ws, @other}}
  %0 = memref.alloc() : memref<4xi8, #memref_pool.space<@sram>>
  return
}

// -----

// expected-error@+1 {{@weights names the pool @flash, which is not in the module; it has none}}
memref.global "private" constant @weights : memref<4xi8, #memref_pool.space<@flash>> = dense<1>

// -----

memref_pool.pool @flash constant
// expected-error@+1 {{@weights of type memref<4xi8> has no candidate pools; run memref-pool-assign before bufferization}}
memref.global "private" constant @weights : memref<4xi8> = dense<1>

// -----

memref_pool.pool @ws workspace

// expected-error@+1 {{argument 1 names the pool @sram, which is not in the module; it has @ws}}
func.func @main(%a: memref<4xi8>, %b: memref<4xi8, #memref_pool.space<@sram>>) {
  return
}

// -----

// expected-error@+1 {{@main returns memory; run buffer-results-to-out-params with modify-public-functions first}}
func.func @main(%a: memref<4xi8>) -> memref<4xi8> {
  return %a : memref<4xi8>
}

// -----

memref_pool.pool @l2 workspace
memref_pool.pool @act workspace

func.func @main(%a: memref<4xi8, #memref_pool.space<@l2>>, %b: memref<4xi8, #memref_pool.space<@act>>) {
  // expected-error@+1 {{bufferization made a copy between pools, from @l2 to @act; a copy that is meant is a memref_pool.copy}}
  memref.copy %a, %b : memref<4xi8, #memref_pool.space<@l2>> to memref<4xi8, #memref_pool.space<@act>>
  return
}

// -----

memref_pool.pool @l2 workspace

func.func @main(%a: memref<4xi8, #memref_pool.space<@l2>>, %b: memref<4xi8>) {
  // expected-error@+1 {{bufferization made a copy between pools, from @l2 to the caller's memory; a copy that is meant is a memref_pool.copy}}
  memref.copy %a, %b : memref<4xi8, #memref_pool.space<@l2>> to memref<4xi8>
  return
}

// -----

memref_pool.pool @l2 workspace
memref_pool.pool @act workspace

func.func @main(%a: memref<4xi8, #memref_pool.space<@l2>>) {
  // expected-error@+1 {{a cast moves no bytes from @l2 to @act; use memref_pool.copy}}
  %b = memref.memory_space_cast %a : memref<4xi8, #memref_pool.space<@l2>> to memref<4xi8, #memref_pool.space<@act>>
  return
}

// -----

func.func @main(%f: (memref<4xi8>) -> (), %a: memref<4xi8>) {
  // expected-error@+1 {{the function that this calls with memory is unknown; call it by its symbol}}
  func.call_indirect %f(%a) : (memref<4xi8>) -> ()
  return
}
