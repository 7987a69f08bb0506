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

// -----

#ws = #memref_pool.space<@ws>
!rows = memref<2x8xi8, #memref_pool.rows<1>, #ws>
!row = memref<8xi8, #ws>
memref_pool.pool @ws workspace

func.func private @inner(%x: !rows, %n: index) {
  %a = memref_pool.row %x[%n] : !rows to !row
  memref.copy %a, %a : !row to !row
  return
}
// expected-error@+1 {{a memref of rows may be one of several buffers, which only an argument may be of which a function shows rows; call a function per buffer, or inline it}}
func.func private @outer(%x: !rows, %n: index) {
  call @inner(%x, %n) : (!rows, index) -> ()
  return
}
func.func @main(%n: index) {
  %a = memref_pool.alloc at_rows <@ws, [0, 8]> : !rows
  %b = memref_pool.alloc at_rows <@ws, [24, 16]> : !rows
  call @outer(%a, %n) : (!rows, index) -> ()
  call @outer(%b, %n) : (!rows, index) -> ()
  return
}

// -----

#ws = #memref_pool.space<@ws>
!rows = memref<2x8xi8, #memref_pool.rows<1>, #ws>
!row = memref<8xi8, #ws>
memref_pool.pool @ws workspace

func.func @main(%n: index, %first: i1) {
  %a = memref_pool.alloc at_rows <@ws, [0, 8]> : !rows
  %b = memref_pool.alloc at_rows <@ws, [24, 16]> : !rows
  // expected-error@+1 {{a memref of rows may be one of several buffers, which only an argument may be of which a function shows rows; call a function per buffer, or inline it}}
  %x = arith.select %first, %a, %b : !rows
  %0 = memref_pool.row %x[%n] : !rows to !row
  memref.copy %0, %0 : !row to !row
  return
}
