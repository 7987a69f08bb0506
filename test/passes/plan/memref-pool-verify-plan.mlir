// RUN: forebay-opt %s --memref-pool-verify-plan --split-input-file

// Plans that are right, though they are not what the planner would make.

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 96, lower_bound = 64>

// %b takes the second half of %a's bytes as soon as %a is read for the last time.
func.func @reuse(%x: i8, %out: memref<64xi8>) {
  %a = memref_pool.alloc at <@ws, 0> : memref<64xi8, #ws>
  %b = memref_pool.alloc at <@ws, 32> : memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  memref.copy %a, %out : memref<64xi8, #ws> to memref<64xi8>
  linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #ws>)
  memref.copy %b, %out : memref<64xi8, #ws> to memref<64xi8>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 64>

// Two branches at the same bytes; buffers that every iteration and every call allocate.
func.func private @callee(%x: i8, %p: memref<32xi8, #ws>) {
  %t = memref_pool.alloc at <@ws, 32> : memref<32xi8, #ws>
  linalg.fill ins(%x : i8) outs(%t : memref<32xi8, #ws>)
  memref.copy %t, %p : memref<32xi8, #ws> to memref<32xi8, #ws>
  return
}
func.func @births(%x: i8, %which: i1, %n: index, %out: memref<32xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %kept = memref_pool.alloc at <@ws, 0> : memref<32xi8, #ws>
  linalg.fill ins(%x : i8) outs(%kept : memref<32xi8, #ws>)
  scf.for %i = %c0 to %n step %c1 {
    %a = memref_pool.alloc at <@ws, 32> : memref<32xi8, #ws>
    %b = memref_pool.alloc at <@ws, 32> : memref<32xi8, #ws>
    memref.copy %kept, %a : memref<32xi8, #ws> to memref<32xi8, #ws>
    memref.copy %a, %kept : memref<32xi8, #ws> to memref<32xi8, #ws>
    linalg.fill ins(%x : i8) outs(%b : memref<32xi8, #ws>)
    memref.copy %b, %kept : memref<32xi8, #ws> to memref<32xi8, #ws>
    func.call @callee(%x, %kept) : (i8, memref<32xi8, #ws>) -> ()
    func.call @callee(%x, %kept) : (i8, memref<32xi8, #ws>) -> ()
  }
  %r = scf.if %which -> memref<32xi8, #ws> {
    %t = memref_pool.alloc at <@ws, 32> : memref<32xi8, #ws>
    linalg.fill ins(%x : i8) outs(%t : memref<32xi8, #ws>)
    scf.yield %t : memref<32xi8, #ws>
  } else {
    scf.yield %kept : memref<32xi8, #ws>
  }
  memref.copy %r, %out : memref<32xi8, #ws> to memref<32xi8>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 64>

// A loop that swaps two buffers, and one that is left from its first region.
func.func @loops(%x: i8, %go: i1, %n: index, %out: memref<32xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref_pool.alloc at <@ws, 0> : memref<32xi8, #ws>
  %b = memref_pool.alloc at <@ws, 32> : memref<32xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<32xi8, #ws>)
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<32xi8, #ws>, memref<32xi8, #ws>) {
    memref.copy %p, %q : memref<32xi8, #ws> to memref<32xi8, #ws>
    scf.yield %q, %p : memref<32xi8, #ws>, memref<32xi8, #ws>
  }
  memref.copy %r#0, %out : memref<32xi8, #ws> to memref<32xi8>
  %w = scf.while : () -> memref<32xi8, #ws> {
    %fresh = memref_pool.alloc at <@ws, 0> : memref<32xi8, #ws>
    linalg.fill ins(%x : i8) outs(%fresh : memref<32xi8, #ws>)
    scf.condition(%go) %fresh : memref<32xi8, #ws>
  } do {
  ^bb0(%f: memref<32xi8, #ws>):
    memref.copy %f, %out : memref<32xi8, #ws> to memref<32xi8>
    scf.yield
  }
  memref.copy %w, %out : memref<32xi8, #ws> to memref<32xi8>
  return
}

// -----

// Materialised: a view is a buffer's birth, a view of constants or state is the one that lasts.
#ws = #memref_pool.space<@ws>
#flash = #memref_pool.space<@flash>
#kept = #memref_pool.space<@kept>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 32, lower_bound = 32>
memref_pool.pool @flash constant certificate <planner = "hand", peak = 36, lower_bound = 36>
memref_pool.pool @kept state certificate <planner = "hand", peak = 32, lower_bound = 32>
memref.global "private" constant @unused : memref<1xi32, #flash> = dense<1> {memref_pool.placement = #memref_pool.placement<@flash, 32>}
memref.global "private" constant @table : memref<32xi8, #flash> = dense<1> {memref_pool.placement = #memref_pool.placement<@flash, 0>}

func.func private @callee(%ws: memref<32xi8, #ws> {memref_pool.base}, %p: memref<32xi8, #kept>) {
  %c0 = arith.constant 0 : index
  %t = memref.view %ws[%c0][] : memref<32xi8, #ws> to memref<8xi32, #ws>
  %t8 = memref.view %ws[%c0][] : memref<32xi8, #ws> to memref<32xi8, #ws>
  memref.copy %p, %t8 : memref<32xi8, #kept> to memref<32xi8, #ws>
  return
}
func.func @materialised(%ws: memref<32xi8, #ws> {memref_pool.base}, %flash: memref<36xi8, #flash> {memref_pool.base}, %kept: memref<32xi8, #kept> {memref_pool.base}, %out: memref<32xi8>) {
  %c0 = arith.constant 0 : index
  %table = memref.view %flash[%c0][] : memref<36xi8, #flash> to memref<32xi8, #flash>
  %state = memref.view %kept[%c0][] : memref<32xi8, #kept> to memref<32xi8, #kept>
  %again = memref.view %kept[%c0][] : memref<32xi8, #kept> to memref<32xi8, #kept>
  memref.copy %table, %state : memref<32xi8, #flash> to memref<32xi8, #kept>
  call @callee(%ws, %again) : (memref<32xi8, #ws>, memref<32xi8, #kept>) -> ()
  memref.copy %again, %out : memref<32xi8, #kept> to memref<32xi8>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace align 1 certificate <planner = "hand", peak = 16, lower_bound = 16>

// What has no bytes shares none, wherever it lies: nothing of %a is lost.
func.func @nothing(%x: i8, %out: memref<16xi8>) {
  %a = memref_pool.alloc at <@ws, 0> : memref<16xi8, #ws>
  %b = memref_pool.alloc at <@ws, 8> : memref<0xi8, #ws>
  %c = memref_pool.alloc at <@ws, 8> : memref<0xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<16xi8, #ws>)
  memref.copy %b, %c : memref<0xi8, #ws> to memref<0xi8, #ws>
  memref.copy %a, %out : memref<16xi8, #ws> to memref<16xi8>
  return
}

// -----

// Pools behind each other: [0x20000000, 0x20000040) and [0x20000040, ...); a start; reserved bytes.
#tcm = #memref_pool.space<@tcm>
#above = #memref_pool.space<@above>
#started = #memref_pool.space<@started>
memref_pool.pool @tcm workspace capacity 64 base 0x20000000 reserved [48, 64] certificate <planner = "hand", peak = 16, lower_bound = 16>
memref_pool.pool @above workspace base 0x20000040 certificate <planner = "hand", peak = 16, lower_bound = 16>
memref_pool.pool @started workspace capacity 64 base 0x20000000 start 48 certificate <planner = "hand", peak = 64, lower_bound = 16>
func.func @addresses(%x: i8) {
  %a = memref_pool.alloc at <@tcm, 0> : memref<16xi8, #tcm>
  %b = memref_pool.alloc at <@above, 0> : memref<16xi8, #above>
  %c = memref_pool.alloc at <@started, 48> : memref<16xi8, #started>
  return
}

// -----

// One address in two memories of a device: no operand may be in either.
accel.device @npu kind "npu"
#in = #memref_pool.space<@in>
#out = #memref_pool.space<@out>
memref_pool.pool @in workspace local base 0 read [@npu] write [@npu] certificate <planner = "hand", peak = 16, lower_bound = 16>
memref_pool.pool @out workspace local base 0 read [@npu] write [@npu] certificate <planner = "hand", peak = 16, lower_bound = 16>
accel.intrinsic @npu.op on @npu symbol "npu_op" operands [#accel.operand<name = "x", access = in, pools = [@in]>, #accel.operand<name = "y", access = out, pools = [@out]>] scalars []
func.func @banks() {
  %a = memref_pool.alloc at <@in, 0> : memref<16xi8, #in>
  %b = memref_pool.alloc at <@out, 0> : memref<16xi8, #out>
  return
}

// -----

// As much as it says, and no more: the last 16 bytes of 8 GiB, and of all that 32 bits address.
#dram = #memref_pool.space<@dram>
#ws = #memref_pool.space<@ws>
memref_pool.pool @dram workspace capacity 8589934592 certificate <planner = "hand", peak = 8589934592, lower_bound = 16>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 4294967296, lower_bound = 16>
func.func @large() {
  %a = memref_pool.alloc at <@dram, 8589934576> : memref<16xi8, #dram>
  %b = memref_pool.alloc at <@ws, 4294967280> : memref<16xi8, #ws>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 32, lower_bound = 32>

// A local variable is in no pool, so it has no bytes of the plan.
func.func @local(%x: i8, %n: index, %out: memref<32xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref_pool.alloc at <@ws, 0> : memref<32xi8, #ws>
  scf.for %i = %c0 to %n step %c1 {
    %variable = memref.alloca() : memref<4xi8>
    linalg.fill ins(%x : i8) outs(%variable : memref<4xi8>)
    linalg.fill ins(%x : i8) outs(%a : memref<32xi8, #ws>)
    memref.copy %a, %out : memref<32xi8, #ws> to memref<32xi8>
  }
  return
}
