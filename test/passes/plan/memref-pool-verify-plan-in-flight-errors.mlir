// RUN: forebay-opt %s --memref-pool-verify-plan --split-input-file --verify-diagnostics

// What was started and not waited for on every path to an op that uses its bytes.

accel.device @npu kind "npu"
memref_pool.pool @dram workspace align 1 certificate <planner = "hand", peak = 64, lower_bound = 0>
memref_pool.pool @spad workspace local capacity 64 align 1 base 0 read [@npu] write [@npu] certificate <planner = "hand", peak = 32, lower_bound = 0>
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.store on @npu symbol "npu_store" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 1 queue @npu.store

#dr = #memref_pool.space<@dram>
#sp = #memref_pool.space<@spad>
!d = memref<16xi8, #dr>
!s = memref<16xi8, #sp>

// The source of a transfer is written before anybody has waited for it.
func.func @main() {
  %z = arith.constant 0 : i8
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %top = memref_pool.alloc at <@dram, 48> : !d
  %end = memref_pool.alloc at <@spad, 16> : !s
  // expected-note@+1 {{'buffer' is declared here}}
  %d = memref_pool.alloc at <@dram, 0> : !d
  %s = memref_pool.alloc at <@spad, 0> : !s
  // expected-note@+1 {{started here}}
  %t = accel.start @npu.mvin %d into %s : !d, !s
  // expected-error@+1 {{'linalg.fill' writes buffer 'buffer' at [0, 16) of pool @dram, of which 'accel.start' may still read bytes for 'buffer'; wait for its token first, on every path to here}}
  linalg.fill ins(%z : i8) outs(%d : !d)
  accel.wait %t
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace align 1 certificate <planner = "hand", peak = 64, lower_bound = 0>
memref_pool.pool @spad workspace local capacity 64 align 1 base 0 read [@npu] write [@npu] certificate <planner = "hand", peak = 32, lower_bound = 0>
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.store on @npu symbol "npu_store" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 1 queue @npu.store

#dr = #memref_pool.space<@dram>
#sp = #memref_pool.space<@spad>
!d = memref<16xi8, #dr>
!s = memref<16xi8, #sp>

// A wait on one of two paths is no wait.
func.func @main(%c: i1) {
  %z = arith.constant 0 : i8
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %top = memref_pool.alloc at <@dram, 48> : !d
  %end = memref_pool.alloc at <@spad, 16> : !s
  // expected-note@+1 {{'buffer' is declared here}}
  %d = memref_pool.alloc at <@dram, 0> : !d
  %s = memref_pool.alloc at <@spad, 0> : !s
  // expected-note@+1 {{started here}}
  %t = accel.start @npu.mvin %d into %s : !d, !s
  scf.if %c {
    accel.wait %t
  }
  // expected-error@+1 {{'linalg.fill' writes buffer 'buffer' at [0, 16) of pool @dram, of which 'accel.start' may still read bytes for 'buffer'; wait for its token first, on every path to here}}
  linalg.fill ins(%z : i8) outs(%d : !d)
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace align 1 certificate <planner = "hand", peak = 64, lower_bound = 0>
memref_pool.pool @spad workspace local capacity 64 align 1 base 0 read [@npu] write [@npu] certificate <planner = "hand", peak = 32, lower_bound = 0>
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.store on @npu symbol "npu_store" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 1 queue @npu.store

#dr = #memref_pool.space<@dram>
#sp = #memref_pool.space<@spad>
!d = memref<16xi8, #dr>
!s = memref<16xi8, #sp>

// A loop that may not run does not wait for anything.
func.func @main(%n: index) {
  %z = arith.constant 0 : i8
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %top = memref_pool.alloc at <@dram, 48> : !d
  %end = memref_pool.alloc at <@spad, 16> : !s
  // expected-note@+1 {{'buffer' is declared here}}
  %d = memref_pool.alloc at <@dram, 0> : !d
  %s = memref_pool.alloc at <@spad, 0> : !s
  // expected-note@+1 {{started here}}
  %t = accel.start @npu.mvin %d into %s : !d, !s
  scf.for %i = %c0 to %n step %c1 {
    accel.wait %t
  }
  // expected-error@+1 {{'linalg.fill' writes buffer 'buffer' at [0, 16) of pool @dram, of which 'accel.start' may still read bytes for 'buffer'; wait for its token first, on every path to here}}
  linalg.fill ins(%z : i8) outs(%d : !d)
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace align 1 certificate <planner = "hand", peak = 64, lower_bound = 0>
memref_pool.pool @spad workspace local capacity 64 align 1 base 0 read [@npu] write [@npu] certificate <planner = "hand", peak = 32, lower_bound = 0>
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.store on @npu symbol "npu_store" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 1 queue @npu.store

#dr = #memref_pool.space<@dram>
#sp = #memref_pool.space<@spad>
!d = memref<16xi8, #dr>
!s = memref<16xi8, #sp>

// Nobody uses its bytes any more, but it may run on when its memory is the caller's again.
func.func @main(%c: i1) {
  %z = arith.constant 0 : i8
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %top = memref_pool.alloc at <@dram, 48> : !d
  %end = memref_pool.alloc at <@spad, 16> : !s
  %d = memref_pool.alloc at <@dram, 0> : !d
  %s = memref_pool.alloc at <@spad, 0> : !s
  // expected-error@+1 {{a token without a wait on some path: 'accel.start' may still be in flight when @main returns; wait for it on every path}}
  %t = accel.start @npu.mvin %d into %s : !d, !s
  scf.if %c {
    accel.wait %t
  }
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace align 1 certificate <planner = "hand", peak = 64, lower_bound = 0>
memref_pool.pool @spad workspace local capacity 64 align 1 base 0 read [@npu] write [@npu] certificate <planner = "hand", peak = 32, lower_bound = 0>
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.store on @npu symbol "npu_store" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 1 queue @npu.store

#dr = #memref_pool.space<@dram>
#sp = #memref_pool.space<@spad>
!d = memref<16xi8, #dr>
!s = memref<16xi8, #sp>

// Of two, one is waited for, and nobody knows which.
func.func @main(%c: i1) {
  %z = arith.constant 0 : i8
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %top = memref_pool.alloc at <@dram, 48> : !d
  %end = memref_pool.alloc at <@spad, 16> : !s
  // expected-note@+1 {{'buffer' is declared here}}
  %d = memref_pool.alloc at <@dram, 0> : !d
  %e = memref_pool.alloc at <@dram, 16> : !d
  %s = memref_pool.alloc at <@spad, 0> : !s
  // expected-note@+1 {{started here}}
  %t = accel.start @npu.mvin %d into %s : !d, !s
  %u = accel.start @npu.mvout %end into %e : !s, !d
  %which = arith.select %c, %t, %u : !accel.token
  accel.wait %which
  // expected-error@+1 {{'linalg.fill' writes buffer 'buffer' at [0, 16) of pool @dram, of which 'accel.start' may still read bytes for 'buffer'; wait for its token first, on every path to here}}
  linalg.fill ins(%z : i8) outs(%d : !d)
  accel.wait %t, %u
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace align 1 certificate <planner = "hand", peak = 64, lower_bound = 0>
memref_pool.pool @spad workspace local capacity 64 align 1 base 0 read [@npu] write [@npu] certificate <planner = "hand", peak = 32, lower_bound = 0>
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.store on @npu symbol "npu_store" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 1 queue @npu.store

#dr = #memref_pool.space<@dram>
#sp = #memref_pool.space<@spad>
!d = memref<16xi8, #dr>
!s = memref<16xi8, #sp>

func.func private @start(%d: !d, %s: !s) {
  // expected-note@+1 {{started here}}
  %t = accel.start @npu.mvin %d into %s : !d, !s
  return
}
// Started in a callee, which keeps its token to itself.
func.func @main() {
  %z = arith.constant 0 : i8
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %top = memref_pool.alloc at <@dram, 48> : !d
  %end = memref_pool.alloc at <@spad, 16> : !s
  // expected-note@+1 {{'buffer' is declared here}}
  %d = memref_pool.alloc at <@dram, 0> : !d
  %s = memref_pool.alloc at <@spad, 0> : !s
  func.call @start(%d, %s) : (!d, !s) -> ()
  // expected-error@+1 {{'linalg.fill' writes buffer 'buffer' at [0, 16) of pool @dram, of which 'accel.start' may still read bytes for 'buffer'; wait for its token first, on every path to here}}
  linalg.fill ins(%z : i8) outs(%d : !d)
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace align 1 certificate <planner = "hand", peak = 64, lower_bound = 0>
memref_pool.pool @spad workspace local capacity 64 align 1 base 0 read [@npu] write [@npu] certificate <planner = "hand", peak = 32, lower_bound = 0>
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.store on @npu symbol "npu_store" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 1 queue @npu.store

#dr = #memref_pool.space<@dram>
#sp = #memref_pool.space<@spad>
!d = memref<16xi8, #dr>
!s = memref<16xi8, #sp>

// The next iteration writes what the transfer of this one reads.
func.func @main(%n: index) {
  %z = arith.constant 0 : i8
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %top = memref_pool.alloc at <@dram, 48> : !d
  %end = memref_pool.alloc at <@spad, 16> : !s
  // expected-note@+1 {{'buffer' is declared here}}
  %d = memref_pool.alloc at <@dram, 0> : !d
  %s = memref_pool.alloc at <@spad, 0> : !s
  %first = accel.start @npu.mvin %top into %end : !d, !s
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %first) -> (!accel.token) {
    // expected-error@+1 {{'linalg.fill' writes buffer 'buffer' at [0, 16) of pool @dram, of which 'accel.start' may still read bytes for 'buffer'; wait for its token first, on every path to here}}
    linalg.fill ins(%z : i8) outs(%d : !d)
        accel.wait %before
    // expected-note@+1 {{started here}}
    %t = accel.start @npu.mvin %d into %s : !d, !s
    scf.yield %t : !accel.token
  }
  accel.wait %last
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace align 1 certificate <planner = "hand", peak = 64, lower_bound = 0>
memref_pool.pool @spad workspace local capacity 64 align 1 base 0 read [@npu] write [@npu] certificate <planner = "hand", peak = 32, lower_bound = 0>
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.store on @npu symbol "npu_store" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 1 queue @npu.store

#dr = #memref_pool.space<@dram>
#sp = #memref_pool.space<@spad>
!d = memref<16xi8, #dr>
!s = memref<16xi8, #sp>

// Two queues, and no token between them: the tile may be stored before it is loaded.
func.func @main() {
  %z = arith.constant 0 : i8
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %top = memref_pool.alloc at <@dram, 48> : !d
  %end = memref_pool.alloc at <@spad, 16> : !s
  %d = memref_pool.alloc at <@dram, 0> : !d
  %e = memref_pool.alloc at <@dram, 16> : !d
  // expected-note@+1 {{'buffer' is declared here}}
  %s = memref_pool.alloc at <@spad, 0> : !s
  // expected-note@+1 {{started here}}
  %t = accel.start @npu.mvin %d into %s : !d, !s
  // expected-error@+1 {{'accel.start' reads buffer 'buffer' at [0, 16) of pool @spad, of which 'accel.start' may still write bytes for 'buffer'; wait for its token first, on every path to here}}
  %u = accel.start @npu.mvout %s into %e : !s, !d
  accel.wait %t, %u
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace align 1 certificate <planner = "hand", peak = 64, lower_bound = 0>
memref_pool.pool @spad workspace local capacity 64 align 1 base 0 read [@npu] write [@npu] certificate <planner = "hand", peak = 32, lower_bound = 0>
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.store on @npu symbol "npu_store" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 1 queue @npu.store

#dr = #memref_pool.space<@dram>
#sp = #memref_pool.space<@spad>
!d = memref<16xi8, #dr>
!s = memref<16xi8, #sp>

// Another buffer takes the bytes of the tile while it is loaded.
func.func @main() {
  %z = arith.constant 0 : i8
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %top = memref_pool.alloc at <@dram, 48> : !d
  %end = memref_pool.alloc at <@spad, 16> : !s
  %d = memref_pool.alloc at <@dram, 0> : !d
  %e = memref_pool.alloc at <@dram, 16> : !d
  // expected-note@+1 {{'buffer' is declared here}}
  %s = memref_pool.alloc at <@spad, 0> : !s
  // expected-note@+1 {{'buffer' is declared here}}
  %o = memref_pool.alloc at <@spad, 8> : !s
  // expected-note@+1 {{started here}}
  %t = accel.start @npu.mvin %d into %s : !d, !s
  // expected-error@+1 {{'accel.move' writes buffer 'buffer' at [8, 24) of pool @spad, of which 'accel.start' may still write bytes for 'buffer'; wait for its token first, on every path to here}}
  accel.move @npu.mvin %e into %o : !d, !s
  accel.wait %t
  return
}
