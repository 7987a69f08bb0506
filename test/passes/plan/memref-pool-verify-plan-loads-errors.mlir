// RUN: forebay-opt %s --memref-pool-verify-plan --split-input-file --verify-diagnostics

// A load is checked again after a store between it and a load like it.

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 64>

func.func @main(%x: i8, %out: memref<1xi8>) {
  %c0 = arith.constant 0 : index
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 0> : memref<64xi8, #ws>
  // expected-note@+1 {{'buffer' is declared here}}
  %b = memref_pool.alloc at <@ws, 0> : memref<64xi8, #ws>
  memref.store %x, %a[%c0] : memref<64xi8, #ws>
  %e = memref.load %a[%c0] : memref<64xi8, #ws>
  memref.store %e, %out[%c0] : memref<1xi8>
  // expected-note@+1 {{'buffer' is written here}}
  memref.store %x, %b[%c0] : memref<64xi8, #ws>
  // expected-error@+1 {{'memref.load' reads buffer 'buffer' at [0, 64) of pool @ws, but 'buffer' at [0, 64) has overwritten its bytes}}
  %f = memref.load %a[%c0] : memref<64xi8, #ws>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 64>

// The state after the branch is the join of both ends: the load like the one in the other region is checked.
func.func @main(%x: i8, %which: i1) {
  %c0 = arith.constant 0 : index
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 0> : memref<64xi8, #ws>
  // expected-note@+1 {{'buffer' is declared here}}
  %b = memref_pool.alloc at <@ws, 0> : memref<64xi8, #ws>
  memref.store %x, %a[%c0] : memref<64xi8, #ws>
  scf.if %which {
    // expected-note@+1 {{'buffer' is written here}}
    memref.store %x, %b[%c0] : memref<64xi8, #ws>
  } else {
    %e = memref.load %a[%c0] : memref<64xi8, #ws>
  }
  // expected-error@+1 {{'memref.load' reads buffer 'buffer' at [0, 64) of pool @ws, but 'buffer' at [0, 64) has overwritten its bytes}}
  %f = memref.load %a[%c0] : memref<64xi8, #ws>
  return
}

// -----

// A load on another device is checked with the rights of that device.

#ws = #memref_pool.space<@ws>
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @ws workspace read [@cpu] write [@cpu] certificate <planner = "hand", peak = 64, lower_bound = 64>

func.func @main(%x: i8) {
  %c0 = arith.constant 0 : index
  %a = memref_pool.alloc at <@ws, 0> : memref<64xi8, #ws>
  memref.store %x, %a[%c0] : memref<64xi8, #ws>
  %e = memref.load %a[%c0] : memref<64xi8, #ws>
  // expected-error@+1 {{'memref.load' reads buffer 'buffer' in pool @ws, which @npu must not read}}
  %f = memref.load %a[%c0] {accel.on = @npu} : memref<64xi8, #ws>
  return
}

// -----

// A view of a carried value is checked where the value is: %next begins at 48 in the last iteration.

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 64>

func.func @main(%x: i8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16_i32 = arith.constant 16 : i32
  %first = arith.constant 0 : i32
  %a = memref_pool.alloc at <@ws, 0> : memref<64xi8, #ws>
  %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%it = %first) -> i32 {
    %next = arith.addi %it, %c16_i32 : i32
    scf.yield %next : i32
  }
  %offset = arith.index_cast %last : i32 to index
  // expected-error@+1 {{it is unknown which bytes of}}
  %v = memref.view %a[%offset][] : memref<64xi8, #ws> to memref<16xi8, #ws>
  memref.store %x, %v[%c0] : memref<16xi8, #ws>
  return
}
