// RUN: forebay-opt %s --memref-pool-verify-plan --split-input-file --verify-diagnostics

accel.device @npu kind "npu"
memref_pool.pool @ram workspace certificate <planner = "hand", peak = 4, lower_bound = 4>
memref_pool.pool @npu.mode workspace local register capacity 8 align 4 read [@npu] write [@npu] certificate <planner = "hand", peak = 8, lower_bound = 8>
accel.intrinsic @npu.set on @npu symbol "npu_set" operands [#accel.operand<name = "mode", access = out, pools = [@npu.mode]>]
accel.intrinsic @npu.run on @npu symbol "npu_run"
  operands [#accel.operand<name = "mode", access = in, pools = [@npu.mode]>, #accel.operand<name = "y", access = out, pools = [@ram]>]
#mode = #memref_pool.space<@npu.mode>

// Two values of 4 bytes do not fit beside each other into a register of 8: it has no addresses.
func.func @main() {
  %y = memref_pool.alloc at <@ram, 0> : memref<4xi8, #memref_pool.space<@ram>>
  %a = memref_pool.alloc at <@npu.mode, 0> : memref<1xi32, #mode>
  // expected-error@+1 {{buffer 'buffer' at [4, 8) of pool @npu.mode is not at a multiple of its alignment, 8}}
  %b = memref_pool.alloc at <@npu.mode, 4> : memref<1xi32, #mode>
  accel.call @npu.set outs(%a : memref<1xi32, #mode>)
  accel.call @npu.set outs(%b : memref<1xi32, #mode>)
  accel.call @npu.run ins(%a : memref<1xi32, #mode>) outs(%y : memref<4xi8, #memref_pool.space<@ram>>)
  accel.call @npu.run ins(%b : memref<1xi32, #mode>) outs(%y : memref<4xi8, #memref_pool.space<@ram>>)
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @ram workspace certificate <planner = "hand", peak = 4, lower_bound = 4>
memref_pool.pool @npu.mode workspace local register capacity 8 align 4 read [@npu] write [@npu] certificate <planner = "hand", peak = 8, lower_bound = 8>
accel.intrinsic @npu.set on @npu symbol "npu_set" operands [#accel.operand<name = "mode", access = out, pools = [@npu.mode]>]
accel.intrinsic @npu.run on @npu symbol "npu_run"
  operands [#accel.operand<name = "mode", access = in, pools = [@npu.mode]>, #accel.operand<name = "y", access = out, pools = [@ram]>]
#mode = #memref_pool.space<@npu.mode>

// The second value overwrites the first, which is needed behind it.
func.func @main() {
  %y = memref_pool.alloc at <@ram, 0> : memref<4xi8, #memref_pool.space<@ram>>
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@npu.mode, 0> : memref<1xi32, #mode>
  // expected-note@+1 {{'buffer' is declared here}}
  %b = memref_pool.alloc at <@npu.mode, 0> : memref<1xi32, #mode>
  accel.call @npu.set outs(%a : memref<1xi32, #mode>)
  // expected-note@+1 {{'buffer' is written here}}
  accel.call @npu.set outs(%b : memref<1xi32, #mode>)
  // expected-error@+1 {{'accel.call' reads buffer 'buffer' at [0, 4) of pool @npu.mode, but 'buffer' at [0, 4) has overwritten its bytes}}
  accel.call @npu.run ins(%a : memref<1xi32, #mode>) outs(%y : memref<4xi8, #memref_pool.space<@ram>>)
  accel.call @npu.run ins(%b : memref<1xi32, #mode>) outs(%y : memref<4xi8, #memref_pool.space<@ram>>)
  return
}
