// RUN: forebay-opt %s --memref-pool-check-printable --split-input-file --verify-diagnostics

accel.device @npu kind "npu"
memref_pool.pool @spad workspace local capacity 64 base 0 read [@npu] write [@npu]

func.func @main(%i: index) {
  %a = memref_pool.address <@spad, 0> : memref<16xi8, #memref_pool.space<@spad>>
  // expected-error@+1 {{'memref.load' uses memory inside a device, in pool @spad, which only transfers and intrinsics reach}}
  %x = memref.load %a[%i] : memref<16xi8, #memref_pool.space<@spad>>
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @spad workspace local capacity 64 base 0 read [@npu] write [@npu]
accel.intrinsic @npu.relu on @npu symbol "npu_relu"
  operands [#accel.operand<name = "x", access = inout, pools = [@spad]>]

func.func @main(%i: index) {
  %a = memref_pool.address <@spad, 0> : memref<16xi8, #memref_pool.space<@spad>>
  %v = memref.subview %a[%i] [4] [1] : memref<16xi8, #memref_pool.space<@spad>> to memref<4xi8, strided<[1], offset: ?>, #memref_pool.space<@spad>>
  // expected-error@+1 {{a memref in pool @spad has an offset known only at run time, but addresses inside a device are numbers of the program; unroll the loop around it}}
  accel.call @npu.relu outs(%v : memref<4xi8, strided<[1], offset: ?>, #memref_pool.space<@spad>>) accumulate [0]
  return
}
