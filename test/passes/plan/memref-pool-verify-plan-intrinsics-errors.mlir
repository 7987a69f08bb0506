// RUN: forebay-opt %s --memref-pool-verify-plan --split-input-file --verify-diagnostics

// Plans made wrong by hand: what a device's operand may not be.

#l2 = #memref_pool.space<@l2>
#act = #memref_pool.space<@act>
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @l2 workspace certificate <planner = "hand", peak = 64, lower_bound = 64>
memref_pool.pool @act workspace certificate <planner = "hand", peak = 64, lower_bound = 64>
accel.intrinsic @npu.conv on @npu symbol "conv"
  operands [#accel.operand<name = "x", access = in, pools = [@act]>, #accel.operand<name = "y", access = out>]

func.func @wrong_pool(%x: i8) {
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@l2, 0> : memref<64xi8, #l2>
  %b = memref_pool.alloc at <@act, 0> : memref<64xi8, #act>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #l2>)
  // expected-error@+1 {{operand "x" of @npu.conv is buffer 'buffer' in pool @l2, but must be in @act}}
  accel.call @npu.conv ins(%a : memref<64xi8, #l2>) outs(%b : memref<64xi8, #act>)
  return
}

// -----

// "npu" is not "npu0": names match exactly.

#act = #memref_pool.space<@act>
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
accel.device @npu0 kind "npu"
memref_pool.pool @act workspace read [@npu] write [@npu, @npu0, @cpu] certificate <planner = "hand", peak = 64, lower_bound = 64>
accel.intrinsic @npu0.conv on @npu0 symbol "conv"
  operands [#accel.operand<name = "x", access = in>, #accel.operand<name = "y", access = out>]

func.func @no_right_to_read(%x: i8) {
  %a = memref_pool.alloc at <@act, 0> : memref<16xi8, #act>
  %b = memref_pool.alloc at <@act, 48> : memref<16xi8, #act>
  linalg.fill ins(%x : i8) outs(%a : memref<16xi8, #act>)
  // expected-error@+1 {{operand "x" of @npu0.conv reads buffer 'buffer' in pool @act, which @npu0 must not read}}
  accel.call @npu0.conv ins(%a : memref<16xi8, #act>) outs(%b : memref<16xi8, #act>)
  return
}

// -----

#act = #memref_pool.space<@act>
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @act workspace write [@cpu] certificate <planner = "hand", peak = 64, lower_bound = 64>
accel.intrinsic @npu.conv on @npu symbol "conv"
  operands [#accel.operand<name = "x", access = in>, #accel.operand<name = "y", access = out>]

func.func @no_right_to_write(%x: i8) {
  %a = memref_pool.alloc at <@act, 0> : memref<16xi8, #act>
  %b = memref_pool.alloc at <@act, 48> : memref<16xi8, #act>
  linalg.fill ins(%x : i8) outs(%a : memref<16xi8, #act>)
  // expected-error@+1 {{operand "y" of @npu.conv writes buffer 'buffer' in pool @act, which @npu must not write}}
  accel.call @npu.conv ins(%a : memref<16xi8, #act>) outs(%b : memref<16xi8, #act>)
  return
}

// -----

// What `accel.on` gives to a device runs under its rights, not the host's.

#act = #memref_pool.space<@act>
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @act workspace read [@cpu] write [@cpu] certificate <planner = "hand", peak = 16, lower_bound = 16>

func.func private @part(%a: memref<16xi8, #act>, %x: i8) attributes {accel.on = @npu} {
  // expected-error@+1 {{'linalg.fill' writes buffer 'buffer' in pool @act, which @npu must not write}}
  linalg.fill ins(%x : i8) outs(%a : memref<16xi8, #act>)
  return
}
func.func @on(%x: i8) {
  %a = memref_pool.alloc at <@act, 0> : memref<16xi8, #act>
  call @part(%a, %x) : (memref<16xi8, #act>, i8) -> ()
  return
}

// -----

// The buffer is at 16 and the view begins at its byte 8: the address is 24.

#act = #memref_pool.space<@act>
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @act workspace certificate <planner = "hand", peak = 64, lower_bound = 64>
accel.intrinsic @npu.conv on @npu symbol "conv"
  operands [#accel.operand<name = "x", access = in>, #accel.operand<name = "y", access = out, align = 16>]

func.func @misaligned(%x: i8) {
  %a = memref_pool.alloc at <@act, 0> : memref<8xi8, #act>
  // expected-note@+1 {{'buffer' is declared here}}
  %b = memref_pool.alloc at <@act, 16> : memref<24xi16, #act>
  %v = memref.subview %b[4] [8] [1] : memref<24xi16, #act> to memref<8xi16, strided<[1], offset: 4>, #act>
  linalg.fill ins(%x : i8) outs(%a : memref<8xi8, #act>)
  // expected-error@+1 {{operand "y" of @npu.conv begins at byte 24 of pool @act, which is not a multiple of 16}}
  accel.call @npu.conv ins(%a : memref<8xi8, #act>) outs(%v : memref<8xi16, strided<[1], offset: 4>, #act>)
  return
}

// -----

#act = #memref_pool.space<@act>
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @act workspace certificate <planner = "hand", peak = 64, lower_bound = 64>
accel.intrinsic @npu.conv on @npu symbol "conv" operands [#accel.operand<name = "y", access = out, align = 16>]

func.func @anywhere(%n: index) {
  %c0 = arith.constant 0 : index
  %c56 = arith.constant 56 : index
  %low = arith.maxsi %n, %c0 : index
  %i = arith.minsi %low, %c56 : index
  %b = memref_pool.alloc at <@act, 0> : memref<64xi8, #act>
  %v = memref.subview %b[%i] [8] [1] : memref<64xi8, #act> to memref<8xi8, strided<[1], offset: ?>, #act>
  // expected-error@+1 {{operand "y" of @npu.conv begins at an offset that is known at run time only, so its alignment to 16 cannot be checked}}
  accel.call @npu.conv outs(%v : memref<8xi8, strided<[1], offset: ?>, #act>)
  return
}

// -----

#act = #memref_pool.space<@act>
#rom = #memref_pool.space<@rom>
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @rom constant certificate <planner = "hand", peak = 8, lower_bound = 8>
accel.intrinsic @npu.conv on @npu symbol "conv" operands [#accel.operand<name = "y", access = inout, pools = [@rom]>]
memref.global "private" constant @w : memref<8xi8, #rom> = dense<1> {memref_pool.placement = #memref_pool.placement<@rom, 0>}

func.func @constants() {
  %w = memref.get_global @w : memref<8xi8, #rom>
  // expected-error@+1 {{operand "y" of @npu.conv writes buffer 'w' in pool @rom, which holds constants}}
  accel.call @npu.conv outs(%w : memref<8xi8, #rom>) accumulate [0]
  return
}

// -----

// What the caller holds is in no pool.

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
accel.intrinsic @npu.conv on @npu symbol "conv" operands [#accel.operand<name = "y", access = out>]

func.func @of_the_caller(%out: memref<8xi8>) {
  // expected-error@+1 {{operand "y" of @npu.conv is memory of the caller, in no pool that @npu reaches}}
  accel.call @npu.conv outs(%out : memref<8xi8>)
  return
}

// -----

// An operand that is accumulated into is read: %b has overwritten it.

#ws = #memref_pool.space<@ws>
accel.device @cpu kind "cpu" host
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 16, lower_bound = 16>
accel.intrinsic @cpu.add on @cpu symbol "add" operands [#accel.operand<name = "y", access = inout>]

func.func @accumulates(%x: i8) {
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 0> : memref<16xi8, #ws>
  // expected-note@+1 {{'buffer' is declared here}}
  %b = memref_pool.alloc at <@ws, 0> : memref<16xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<16xi8, #ws>)
  // expected-note@+1 {{'buffer' is written here}}
  linalg.fill ins(%x : i8) outs(%b : memref<16xi8, #ws>)
  // expected-error@+1 {{'accel.call' reads buffer 'buffer' at [0, 16) of pool @ws, but 'buffer' at [0, 16) has overwritten its bytes}}
  accel.call @cpu.add outs(%a : memref<16xi8, #ws>) accumulate [0]
  return
}
