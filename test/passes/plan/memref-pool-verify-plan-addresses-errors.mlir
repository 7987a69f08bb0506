// RUN: forebay-opt %s --memref-pool-verify-plan --split-input-file --verify-diagnostics

// Two pools of which one address names a byte of both, and bytes that no machine has.

#ws = #memref_pool.space<@ws>
#dram = #memref_pool.space<@dram>
// expected-note@+1 {{@ws is declared here}}
memref_pool.pool @ws workspace capacity 64 base 65536 certificate <planner = "hand", peak = 16, lower_bound = 0>
// expected-error@+1 {{pools @ws and @dram both take the addresses [0x10000, 0x10040); give one of them another base or start, or reserve these bytes in one of them}}
memref_pool.pool @dram workspace capacity 64 base 65536 certificate <planner = "hand", peak = 16, lower_bound = 0>
func.func @main() {
  %a = memref_pool.alloc at <@ws, 0> : memref<16xi8, #ws>
  %b = memref_pool.alloc at <@dram, 0> : memref<16xi8, #dram>
  return
}

// -----

#tcm = #memref_pool.space<@tcm>
#kept = #memref_pool.space<@kept>
// Without a capacity, what the plan takes: [0x20000000, 0x20000030) but for the first 32, reserved.
// expected-note@+1 {{@tcm is declared here}}
memref_pool.pool @tcm workspace base 0x20000000 reserved [0, 32] certificate <planner = "hand", peak = 48, lower_bound = 0>
// expected-error@+1 {{pools @tcm and @kept both take the addresses [0x20000028, 0x20000030); give one of them another base or start, or reserve these bytes in one of them}}
memref_pool.pool @kept workspace align 8 base 0x20000020 start 8 certificate <planner = "hand", peak = 24, lower_bound = 0>
func.func @main() {
  %a = memref_pool.alloc at <@tcm, 32> : memref<16xi8, #tcm>
  %b = memref_pool.alloc at <@kept, 8> : memref<16xi8, #kept>
  return
}

// -----

accel.device @npu kind "npu"
#in = #memref_pool.space<@in>
#out = #memref_pool.space<@out>
// Rows: [0, 1) of both, and an operand that may be in either.
// expected-note@+1 {{@in is declared here}}
memref_pool.pool @in workspace local base 0 unit 16 read [@npu] write [@npu] certificate <planner = "hand", peak = 16, lower_bound = 16>
// expected-error@+1 {{pools @in and @out both take the addresses [0x0, 0x1); give one of them another base or start, or reserve these bytes in one of them}}
memref_pool.pool @out workspace local base 0 unit 16 read [@npu] write [@npu] certificate <planner = "hand", peak = 16, lower_bound = 16>
accel.intrinsic @npu.op on @npu symbol "npu_op" operands [#accel.operand<name = "x", access = inout, pools = [@in, @out]>] scalars []
func.func @main() {
  %a = memref_pool.alloc at <@in, 0> : memref<16xi8, #in>
  %b = memref_pool.alloc at <@out, 0> : memref<16xi8, #out>
  return
}

// -----

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 4294967297, lower_bound = 0>
func.func @main() {
  // expected-error@+1 {{buffer 'buffer' at [4,294,967,280, 4,294,967,297) of pool @ws ends beyond the first 4,294,967,296 bytes, and the pool does not say that it has more; declare its capacity}}
  %a = memref_pool.alloc at <@ws, 4294967280> : memref<17xi8, #ws>
  return
}
