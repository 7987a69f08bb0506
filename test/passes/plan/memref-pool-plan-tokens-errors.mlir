// RUN: forebay-opt %s --memref-pool-plan --split-input-file --verify-diagnostics

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load

func.func @main(%a: memref<24xi8, #memref_pool.space<@dram>>) {
  %s = memref_pool.alloc : memref<24xi8, #memref_pool.space<@spad>>
  // expected-error@+1 {{the program does not wait for the token of this 'accel.start', so its buffers would be in use for good; add an accel.wait}}
  %t = accel.start @npu.mvin %a into %s : memref<24xi8, #memref_pool.space<@dram>>, memref<24xi8, #memref_pool.space<@spad>>
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>

func.func @main(%a: memref<24xi8, #dram>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = memref_pool.alloc : memref<24xi8, #spad>
  %first = accel.start @npu.mvin %a into %s : memref<24xi8, #dram>, memref<24xi8, #spad>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%t = %first) -> (!accel.token) {
    // expected-note@+1 {{the buffer}}
    %u = memref_pool.alloc : memref<24xi8, #spad>
    accel.wait %t
    %next = accel.start @npu.mvin %a into %u : memref<24xi8, #dram>, memref<24xi8, #spad>
    // expected-error@+1 {{operand 0 hands a buffer to the next iteration that every iteration allocates, so two would be alive at one address; allocate it before the loop, or two of them and swap them}}
    scf.yield %next : !accel.token
  }
  accel.wait %last
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.store on @npu symbol "npu_store" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 1 queue @npu.store

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>
!d = memref<24xi8, #dram>
!s = memref<24xi8, #spad>

// A wait on one of two paths is no wait.
func.func @main(%a: !d, %c: i1) {
  %s = memref_pool.alloc : !s
  // expected-error@+1 {{on some path the program does not wait for the token of this 'accel.start', so its buffers would be in use for good; wait for it on every path}}
  %t = accel.start @npu.mvin %a into %s : !d, !s
  scf.if %c {
    accel.wait %t
  }
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.store on @npu symbol "npu_store" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 1 queue @npu.store

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>
!d = memref<24xi8, #dram>
!s = memref<24xi8, #spad>

// A loop that may not run waits for nothing.
func.func @main(%a: !d, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = memref_pool.alloc : !s
  // expected-error@+1 {{on some path the program does not wait for the token of this 'accel.start', so its buffers would be in use for good; wait for it on every path}}
  %t = accel.start @npu.mvin %a into %s : !d, !s
  scf.for %i = %c0 to %n step %c1 {
    accel.wait %t
  }
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.store on @npu symbol "npu_store" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 1 queue @npu.store

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>
!d = memref<24xi8, #dram>
!s = memref<24xi8, #spad>

func.func private @start(%a: !d, %s: !s) {
  // expected-error@+1 {{the program does not wait for the token of this 'accel.start', so its buffers would be in use for good; add an accel.wait}}
  %t = accel.start @npu.mvin %a into %s : !d, !s
  return
}
// The token stays in the callee.
func.func @main(%a: !d) {
  %s = memref_pool.alloc : !s
  func.call @start(%a, %s) : (!d, !s) -> ()
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.store on @npu symbol "npu_store" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 1 queue @npu.store

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>
!d = memref<24xi8, #dram>
!s = memref<24xi8, #spad>

// One of two that no queue orders.
func.func @main(%a: !d, %c: i1) {
  %u = memref_pool.alloc : !s
  %s = memref_pool.alloc : !s
  // expected-error@+1 {{on some path the program does not wait for the token of this 'accel.start', so its buffers would be in use for good; wait for it on every path}}
  %t = accel.start @npu.mvin %a into %s : !d, !s
  %v = accel.start @npu.mvout %u into %a : !s, !d
  %which = arith.select %c, %t, %v : !accel.token
  accel.wait %which
  accel.wait %v
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.store on @npu symbol "npu_store" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 1 queue @npu.store

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>
!d = memref<24xi8, #dram>
!s = memref<24xi8, #spad>

func.func private @start(%a: !d) -> !accel.token {
  // expected-note@+1 {{the buffer}}
  %s = memref_pool.alloc : !s
  // expected-error@+1 {{this 'accel.start' may not have ended where its buffer is allocated again, so two would be alive at one address; wait for it before}}
  %t = accel.start @npu.mvin %a into %s : !d, !s
  return %t : !accel.token
}
// The tile of the second call would be at the address of the first, which may still be loaded.
func.func @main(%a: !d) {
  %t = func.call @start(%a) : (!d) -> !accel.token
  %u = func.call @start(%a) : (!d) -> !accel.token
  accel.wait %t, %u
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.store on @npu symbol "npu_store" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 1 queue @npu.store

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>
!d = memref<24xi8, #dram>
!s = memref<24xi8, #spad>

// The wait for the last one ends all before it, but only behind the loop.
func.func @main(%a: !d, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = memref_pool.alloc : !s
  scf.for %i = %c0 to %n step %c1 {
    // expected-note@+1 {{the buffer}}
    %s = memref_pool.alloc : !s
    // expected-error@+1 {{this 'accel.start' may not have ended where its buffer is allocated again, so two would be alive at one address; wait for it before}}
    %t = accel.start @npu.mvin %a into %s : !d, !s
  }
  %last = accel.start @npu.mvin %a into %e : !d, !s
  accel.wait %last
  return
}
