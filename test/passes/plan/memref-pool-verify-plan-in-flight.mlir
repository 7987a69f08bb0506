// RUN: forebay-opt %s --memref-pool-verify-plan --split-input-file

// Operations that a wait ends on every path, and uses of other bytes than those in flight.

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

// Waited for on both paths; by one token that stands for either; by one behind it in its queue.
func.func @main(%c: i1) {
  %z = arith.constant 0 : i8
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %top = memref_pool.alloc at <@dram, 48> : !d
  %end = memref_pool.alloc at <@spad, 16> : !s
  %d = memref_pool.alloc at <@dram, 0> : !d
  %s = memref_pool.alloc at <@spad, 0> : !s
  %t = accel.start @npu.mvin %d into %s : !d, !s
  scf.if %c {
    accel.wait %t
  } else {
    accel.wait %t
  }
  linalg.fill ins(%z : i8) outs(%d : !d)
  %r = scf.if %c -> !accel.token {
    %u = accel.start @npu.mvin %d into %s : !d, !s
    scf.yield %u : !accel.token
  } else {
    %u = accel.start @npu.mvin %top into %s : !d, !s
    scf.yield %u : !accel.token
  }
  accel.wait %r
  linalg.fill ins(%z : i8) outs(%d : !d)
  linalg.fill ins(%z : i8) outs(%top : !d)
  %first = accel.start @npu.mvin %d into %s : !d, !s
  %second = accel.start @npu.mvin %top into %end : !d, !s
  accel.wait %second
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
accel.transfer @npu.mvout2 on @npu symbol "npu_mvout2" from [@spad] to [@dram] rank 2 queue @npu.store

#dr = #memref_pool.space<@dram>
#sp = #memref_pool.space<@spad>
!d = memref<16xi8, #dr>
!s = memref<16xi8, #sp>

// A loop that is certain to run; reads beside a read; columns beside columns.
func.func @main() {
  %z = arith.constant 0 : i8
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %top = memref_pool.alloc at <@dram, 48> : !d
  %end = memref_pool.alloc at <@spad, 16> : !s
  %d = memref_pool.alloc at <@dram, 0> : !d
  %s = memref_pool.alloc at <@spad, 0> : !s
  %t = accel.start @npu.mvin %d into %s : !d, !s
  %e = memref_pool.alloc at <@dram, 16> : !d
  memref.copy %d, %e : !d to !d
  scf.for %i = %c0 to %c1 step %c1 {
    accel.wait %t
  }
  linalg.fill ins(%z : i8) outs(%d : !d)
  %w = memref_pool.alloc at <@dram, 32> : memref<4x8xi8, #dr>
  scf.for %i = %c0 to %c2 step %c1 {
    %left = memref.subview %w[%i, 0] [2, 4] [1, 1] : memref<4x8xi8, #dr> to memref<2x4xi8, strided<[8, 1], offset: ?>, #dr>
    %right = memref.subview %w[0, 4] [4, 4] [1, 1] : memref<4x8xi8, #dr> to memref<4x4xi8, strided<[8, 1], offset: 4>, #dr>
    %tile = memref.expand_shape %s [[0, 1]] output_shape [4, 4] : !s into memref<4x4xi8, #sp>
    %u = accel.start @npu.mvout2 %tile into %right : memref<4x4xi8, #sp>, memref<4x4xi8, strided<[8, 1], offset: 4>, #dr>
    linalg.fill ins(%z : i8) outs(%left : memref<2x4xi8, strided<[8, 1], offset: ?>, #dr>)
    accel.wait %u
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

// Two slots that change places: one is loaded while the other is stored, whatever the number of trips.
func.func @main(%n: index) {
  %z = arith.constant 0 : i8
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %top = memref_pool.alloc at <@dram, 48> : !d
  %end = memref_pool.alloc at <@spad, 16> : !s
  %a = memref_pool.alloc at <@spad, 0> : !s
  %b = memref_pool.alloc at <@spad, 16> : !s
  %e = memref_pool.alloc at <@dram, 16> : !d
  %first = accel.start @npu.mvin %top into %a : !d, !s
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%now = %a, %then = %b, %t = %first) -> (!s, !s, !accel.token) {
    accel.wait %t
    %next = accel.start @npu.mvin %top into %then : !d, !s
    accel.move @npu.mvout %now into %e : !s, !d
    scf.yield %then, %now, %next : !s, !s, !accel.token
  }
  accel.wait %r#2
  accel.move @npu.mvout %r#0 into %e : !s, !d
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

func.func private @start(%d: !d, %s: !s) -> !accel.token {
  %t = accel.start @npu.mvin %d into %s : !d, !s
  return %t : !accel.token
}
func.func private @wait(%t: !accel.token) {
  accel.wait %t
  return
}
// A token is a result, an argument, a result of a callee; a while loop hands one on.
func.func @main(%c: i1) {
  %z = arith.constant 0 : i8
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %top = memref_pool.alloc at <@dram, 48> : !d
  %end = memref_pool.alloc at <@spad, 16> : !s
  %d = memref_pool.alloc at <@dram, 0> : !d
  %s = memref_pool.alloc at <@spad, 0> : !s
  %t = func.call @start(%d, %s) : (!d, !s) -> !accel.token
  func.call @wait(%t) : (!accel.token) -> ()
  linalg.fill ins(%z : i8) outs(%d : !d)
  %first = func.call @start(%d, %s) : (!d, !s) -> !accel.token
  %last = scf.while (%u = %first) : (!accel.token) -> !accel.token {
    scf.condition(%c) %u : !accel.token
  } do {
  ^bb0(%u: !accel.token):
    accel.wait %u
    %next = func.call @start(%d, %s) : (!d, !s) -> !accel.token
    scf.yield %next : !accel.token
  }
  accel.wait %last
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

// Across queues, behind a token: the store waits for the load, and one wait ends both.
func.func @main() {
  %z = arith.constant 0 : i8
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %top = memref_pool.alloc at <@dram, 48> : !d
  %end = memref_pool.alloc at <@spad, 16> : !s
  %d = memref_pool.alloc at <@dram, 0> : !d
  %s = memref_pool.alloc at <@spad, 0> : !s
  %t = accel.start @npu.mvin %d into %s : !d, !s
  %e = memref_pool.alloc at <@dram, 16> : !d
  %u = accel.start @npu.mvout %s into %e after(%t) : !s, !d
  %v = accel.start @npu.mvout %end into %top : !s, !d
  accel.wait %v
  linalg.fill ins(%z : i8) outs(%d : !d)
  linalg.fill ins(%z : i8) outs(%e : !d)
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace align 1 certificate <planner = "hand", peak = 56, lower_bound = 0>
memref_pool.pool @spad workspace local capacity 64 align 1 base 0 read [@npu] write [@npu] certificate <planner = "hand", peak = 16, lower_bound = 0>
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load

#dr = #memref_pool.space<@dram>
#sp = #memref_pool.space<@spad>

// The rows of %a die one by one, and each row of %b is in the place of the one of %a before; %d is read while elements of %b are stored.
func.func @main(%out: memref<4x8xi8>) {
  %z = arith.constant 0 : i8
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %d = memref_pool.alloc at <@dram, 40> : memref<16xi8, #dr>
  %s = memref_pool.alloc at <@spad, 0> : memref<16xi8, #sp>
  %a = memref_pool.alloc at <@dram, 8> : memref<4x8xi8, #dr>
  %b = memref_pool.alloc at <@dram, 0> : memref<4x8xi8, #dr>
  linalg.fill ins(%z : i8) outs(%d : memref<16xi8, #dr>)
  linalg.fill ins(%z : i8) outs(%a : memref<4x8xi8, #dr>)
  %t = accel.start @npu.mvin %d into %s : memref<16xi8, #dr>, memref<16xi8, #sp>
  scf.for %y = %c0 to %c4 step %c1 {
    scf.for %x = %c0 to %c8 step %c1 {
      %e = memref.load %a[%y, %x] : memref<4x8xi8, #dr>
      memref.store %e, %b[%y, %x] : memref<4x8xi8, #dr>
    }
  } {memref_pool.by_rows}
  accel.wait %t
  memref.copy %b, %out : memref<4x8xi8, #dr> to memref<4x8xi8>
  return
}
