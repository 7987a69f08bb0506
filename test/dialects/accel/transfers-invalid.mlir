// RUN: forebay-opt %s --split-input-file --verify-diagnostics

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local
// expected-error @+1 {{symbol must be a C identifier, but is "npu load"}}
accel.queue @q on @npu symbol "npu load" depth 4

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local
// expected-error @+1 {{depth must be positive, but is 0}}
accel.queue @q on @npu symbol "q" depth 0

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local
// expected-error @+1 {{belongs to @gpu, which is no device of the module}}
accel.queue @q on @gpu symbol "q" depth 1

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local
// expected-error @+1 {{symbol must be a C identifier, but is ""}}
accel.transfer @t on @npu symbol "" from [@dram] to [@spad] rank 1

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local
// expected-error @+1 {{needs pools to move from and to}}
accel.transfer @t on @npu symbol "t" from [] to [@spad] rank 1

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local
// expected-error @+1 {{rank must be positive, but is 0}}
accel.transfer @t on @npu symbol "t" from [@dram] to [@spad] rank 0

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local
// expected-error @+1 {{granule must be positive, but is 0}}
accel.transfer @t on @npu symbol "t" from [@dram] to [@spad] rank 1 granule 0

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local
// expected-error @+1 {{bandwidth must be positive, but is -1}}
accel.transfer @t on @npu symbol "t" from [@dram] to [@spad] rank 1 bandwidth -1

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local
// expected-error @+1 {{latency must not be negative, but is -1}}
accel.transfer @t on @npu symbol "t" from [@dram] to [@spad] rank 1 latency -1

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local
// expected-error @+1 {{belongs to @gpu, which is no device of the module}}
accel.transfer @t on @gpu symbol "t" from [@dram] to [@spad] rank 1

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local
// expected-error @+1 {{from names @npu, which is no pool of the module}}
accel.transfer @t on @npu symbol "t" from [@npu] to [@spad] rank 1

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local
// expected-error @+1 {{to names @nowhere, which is no pool of the module}}
accel.transfer @t on @npu symbol "t" from [@dram] to [@nowhere] rank 1

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local
// expected-error @+1 {{runs in @npu.load, which is no queue of the module}}
accel.transfer @t on @npu symbol "t" from [@dram] to [@spad] rank 1 queue @npu.load

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local
accel.device @dsp kind "dsp"
accel.queue @npu.load on @npu symbol "npu_load" depth 4
// expected-error @+1 {{runs in @npu.load, a queue of @npu}}
accel.transfer @t on @dsp symbol "t" from [@dram] to [@spad] rank 1 queue @npu.load

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local
// expected-error @+1 {{cycles must take an i32 per scalar, 1, but takes ()}}
accel.intrinsic @f on @npu symbol "f" operands [#accel.operand<name = "x", access = out>] scalars ["n"] cycles {
  %c = arith.constant 1 : i64
  accel.yield %c : i64
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local
// expected-error @+1 {{cycles must end with accel.yield of one i64}}
accel.intrinsic @f on @npu symbol "f" operands [#accel.operand<name = "x", access = out>] scalars ["n"] cycles {
^bb0(%n: i32):
  accel.yield %n : i32
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local
func.func @main(%a: memref<4xi8, #memref_pool.space<@dram>>, %b: memref<4xi8, #memref_pool.space<@spad>>) {
  // expected-error @+1 {{uses @t, which is no transfer of the module}}
  accel.move @t %a into %b : memref<4xi8, #memref_pool.space<@dram>>, memref<4xi8, #memref_pool.space<@spad>>
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local
accel.transfer @t on @npu symbol "t" from [@dram] to [@spad] rank 1
func.func @main(%a: memref<4xi8, #memref_pool.space<@dram>>, %b: memref<8xi8, #memref_pool.space<@spad>>) {
  // expected-error @+1 {{source and target must have the same shape and element type, but are 'memref<4xi8, #memref_pool.space<@dram>>' and 'memref<8xi8, #memref_pool.space<@spad>>'}}
  accel.move @t %a into %b : memref<4xi8, #memref_pool.space<@dram>>, memref<8xi8, #memref_pool.space<@spad>>
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local
accel.transfer @t on @npu symbol "t" from [@dram] to [@spad] rank 1
func.func @main(%a: memref<4xi8, #memref_pool.space<@dram>>, %b: memref<4xi8, #memref_pool.space<@spad>>) {
  // expected-error @+1 {{starts @t, which has no queue; use accel.move}}
  %k = accel.start @t %a into %b : memref<4xi8, #memref_pool.space<@dram>>, memref<4xi8, #memref_pool.space<@spad>>
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local
func.func @main(%a: memref<4xi8, #memref_pool.space<@dram>>, %b: memref<4xi8, #memref_pool.space<@spad>>) {
  // expected-error @+1 {{uses @npu, which is no transfer of the module}}
  %k = accel.start @npu %a into %b : memref<4xi8, #memref_pool.space<@dram>>, memref<4xi8, #memref_pool.space<@spad>>
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local
accel.intrinsic @f on @npu symbol "f" operands [#accel.operand<name = "x", access = out>]
func.func @main(%a: memref<4xi8, #memref_pool.space<@dram>>, %b: memref<4xi8, #memref_pool.space<@spad>>) {
  // expected-error @+1 {{launches @f, which has no queue; use accel.call}}
  %k = accel.launch @f outs(%b : memref<4xi8, #memref_pool.space<@spad>>)
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local
func.func @main(%a: memref<4xi8, #memref_pool.space<@dram>>, %b: memref<4xi8, #memref_pool.space<@spad>>) {
  // expected-error @+1 {{needs at least one operand in outs}}
  %k = "accel.launch"() <{callee = @f, operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> !accel.token
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local
func.func @main(%a: memref<4xi8, #memref_pool.space<@dram>>, %b: memref<4xi8, #memref_pool.space<@spad>>) {
  // expected-error @+1 {{is in @dram, which is neither local to a device nor at a base; use memref.view}}
  %k = memref_pool.address <@dram, 0> : memref<4xi8, #memref_pool.space<@dram>>
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local
func.func @main(%a: memref<4xi8, #memref_pool.space<@dram>>, %b: memref<4xi8, #memref_pool.space<@spad>>) {
  // expected-error @+1 {{names the pool @nowhere, which is not in the module}}
  %k = memref_pool.address <@nowhere, 0> : memref<4xi8, #memref_pool.space<@dram>>
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local
func.func @main(%a: memref<4xi8, #memref_pool.space<@dram>>, %b: memref<4xi8, #memref_pool.space<@spad>>) {
  // expected-error @+1 {{result must be in @spad, but is 'memref<4xi8, #memref_pool.space<@dram>>'}}
  %k = memref_pool.address <@spad, 0> : memref<4xi8, #memref_pool.space<@dram>>
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local
// expected-error @+1 {{only a workspace can be local to a device; this pool holds constant}}
memref_pool.pool @p constant local

// -----

memref_pool.pool @tcm workspace base 0x20000000
func.func @main() {
  // expected-error @+1 {{is the base of @tcm, so it is at byte 0, not 16}}
  %k = memref_pool.address <@tcm, 16> : memref<4xi8, #memref_pool.space<@tcm>>
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @npu.mode workspace local register capacity 4
// expected-error @+1 {{to names the register @npu.mode, but only intrinsics set registers}}
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@npu.mode] rank 1

// -----

accel.device @npu kind "npu"
memref_pool.pool @spad workspace local
memref_pool.pool @npu.mode workspace local register capacity 4
// expected-error @+1 {{operand 'x' names the register @npu.mode beside other pools, but a register has no address by which the device could tell them apart}}
accel.intrinsic @npu.run on @npu symbol "npu_run" operands [#accel.operand<name = "x", access = inout, pools = [@spad, @npu.mode]>]

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local capacity 4096 base 0 unit 16
// expected-error @+1 {{to has address flags that addresses in @spad have, too: 0x80}}
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 target_flags 128

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local capacity 4096
// expected-error @+1 {{from has address flags, but may be in @dram, where the C function gets no address of a device}}
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 source_flags 0x40000000

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local capacity 4096
// expected-error @+1 {{flags must be bits of a 32-bit address, but are 4294967296}}
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 target_flags 0x100000000

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local capacity 4096
// expected-error @+1 {{limits 'extent1', which is no extent and no bytes of its block}}
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 2 limits {extent1 = 4 : i64}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local capacity 4096
// expected-error @+1 {{limit of 'bytes' must be a positive i64, but is 0 : i64}}
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 2 limits {bytes = 0 : i64}
