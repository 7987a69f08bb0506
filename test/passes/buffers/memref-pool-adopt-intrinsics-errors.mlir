// RUN: forebay-opt %s --memref-pool-adopt --split-input-file --verify-diagnostics

#l2 = #memref_pool.space<@l2>
#act = #memref_pool.space<@act>
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @l2 workspace read [@cpu] write [@cpu]
memref_pool.pool @act workspace
accel.intrinsic @npu.run on @npu symbol "run"
  operands [#accel.operand<name = "x", access = in, pools = [@act]>, #accel.operand<name = "y", access = out>]

// One candidate of several is enough: planning takes it.
func.func @narrowed() {
  %a = memref.alloc() : memref<8xi8, #memref_pool.space<[@l2, @act]>>
  %b = memref.alloc() : memref<8xi8, #act>
  accel.call @npu.run ins(%a : memref<8xi8, #memref_pool.space<[@l2, @act]>>) outs(%b : memref<8xi8, #act>)
  return
}

func.func @outside_of_its_pools() {
  %a = memref.alloc() : memref<8xi8, #l2>
  %b = memref.alloc() : memref<8xi8, #act>
  // expected-error@+1 {{operand "x" of @npu.run may be in @l2, but can be in @act for @npu; copy it there by a memref_pool.copy}}
  accel.call @npu.run ins(%a : memref<8xi8, #l2>) outs(%b : memref<8xi8, #act>)
  return
}

// -----

#l2 = #memref_pool.space<@l2>
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @l2 workspace read [@cpu] write [@cpu]

func.func @no_right(%x: i8) {
  %a = memref.alloc() : memref<8xi8, #l2>
  // expected-error@+1 {{operand 1 of 'linalg.fill' may be in @l2, but can be in no pool for @npu; copy it there by a memref_pool.copy}}
  linalg.fill {accel.on = @npu} ins(%x : i8) outs(%a : memref<8xi8, #l2>)
  return
}

// -----

#act = #memref_pool.space<@act>
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @act workspace
accel.intrinsic @npu.run on @npu symbol "run" operands [#accel.operand<name = "y", access = out>]

func.func @of_the_caller(%y: memref<8xi8>) {
  // expected-error@+1 {{operand "y" of @npu.run is memory of the caller, in no pool that @npu reaches; give the input or output a pool, or copy it into one}}
  accel.call @npu.run outs(%y : memref<8xi8>)
  return
}

// -----

#act = #memref_pool.space<@act>
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @act workspace
accel.intrinsic @npu.run on @npu symbol "run" operands [#accel.operand<name = "y", access = out>]

// Rows of 4 of 8 columns; a row of 1x4 has no gap.
func.func @gaps() {
  %a = memref.alloc() : memref<2x8xi8, #act>
  %row = memref.subview %a[1, 2] [1, 4] [1, 1] : memref<2x8xi8, #act> to memref<1x4xi8, strided<[8, 1], offset: 10>, #act>
  accel.call @npu.run outs(%row : memref<1x4xi8, strided<[8, 1], offset: 10>, #act>)
  %half = memref.subview %a[0, 0] [2, 4] [1, 1] : memref<2x8xi8, #act> to memref<2x4xi8, strided<[8, 1]>, #act>
  // expected-error@+1 {{operand "y" of @npu.run is memref<2x4xi8, strided<[8, 1]>, #memref_pool.space<@act>>, which has gaps or no known size, but is handed over as the address of contiguous bytes; copy it into a buffer of its own}}
  accel.call @npu.run outs(%half : memref<2x4xi8, strided<[8, 1]>, #act>)
  return
}

// -----

#act = #memref_pool.space<@act>
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @act workspace
accel.intrinsic @npu.run on @npu symbol "run" operands [#accel.operand<name = "y", access = out, align = 4>]

// 2 elements of 2 bytes are 4 bytes in; 3 are 6.
func.func @misaligned() {
  %a = memref.alloc() : memref<8xi16, #act>
  %good = memref.subview %a[2] [4] [1] : memref<8xi16, #act> to memref<4xi16, strided<[1], offset: 2>, #act>
  accel.call @npu.run outs(%good : memref<4xi16, strided<[1], offset: 2>, #act>)
  %bad = memref.subview %a[3] [4] [1] : memref<8xi16, #act> to memref<4xi16, strided<[1], offset: 3>, #act>
  // expected-error@+1 {{operand "y" of @npu.run is memref<4xi16, strided<[1], offset: 3>, #memref_pool.space<@act>>, which begins 3 elements into its buffer, but must be at a multiple of 4 bytes; copy it into a buffer of its own}}
  accel.call @npu.run outs(%bad : memref<4xi16, strided<[1], offset: 3>, #act>)
  return
}

// -----

#act = #memref_pool.space<@act>
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @act workspace
accel.intrinsic @npu.run on @npu symbol "run" operands [#accel.operand<name = "y", access = out, align = 4>]

func.func @anywhere(%i: index) {
  %a = memref.alloc() : memref<8xi8, #act>
  %bad = memref.subview %a[%i] [4] [1] : memref<8xi8, #act> to memref<4xi8, strided<[1], offset: ?>, #act>
  // expected-error@+1 {{operand "y" of @npu.run is memref<4xi8, strided<[1], offset: ?>, #memref_pool.space<@act>>, which begins anywhere into its buffer, but must be at a multiple of 4 bytes; copy it into a buffer of its own}}
  accel.call @npu.run outs(%bad : memref<4xi8, strided<[1], offset: ?>, #act>)
  return
}
