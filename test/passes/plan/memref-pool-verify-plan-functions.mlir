// RUN: forebay-opt %s --memref-pool-verify-plan --split-input-file --verify-diagnostics

// Two buffers inside a device at one place, one after the other, both declared first: a function that fills the place
// fills the one that its caller means.
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace capacity 64 read [@cpu, @npu] write [@cpu, @npu] certificate <planner = "p", peak = 32, lower_bound = 32>
memref_pool.pool @l1 workspace local capacity 64 read [@npu] write [@npu] certificate <planner = "p", peak = 16, lower_bound = 16>
accel.transfer @npu.in on @npu symbol "npu_in" from [@dram] to [@l1] rank 1
accel.transfer @npu.out on @npu symbol "npu_out" from [@l1] to [@dram] rank 1

#dram = #memref_pool.space<@dram>
#l1 = #memref_pool.space<@l1>

func.func private @fill(%x: memref<16xi8, #dram>) {
  %place = memref_pool.address <@l1, 0> : memref<16xi8, #l1>
  accel.move @npu.in %x into %place : memref<16xi8, #dram>, memref<16xi8, #l1>
  return
}

func.func @main(%base: memref<32xi8, #dram> {memref_pool.base}, %in: memref<16xi8> {accel.name = "x"}, %out: memref<16xi8> {accel.name = "y", bufferize.result}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %x = memref.view %base[%c0][] : memref<32xi8, #dram> to memref<16xi8, #dram>
  %y = memref.view %base[%c16][] : memref<32xi8, #dram> to memref<16xi8, #dram>
  memref_pool.copy %in into %x : memref<16xi8>, memref<16xi8, #dram>
  %a = memref_pool.address <@l1, 0> : memref<16xi8, #l1>
  %b = memref_pool.address <@l1, 0> : memref<16xi8, #l1>
  func.call @fill(%x) : (memref<16xi8, #dram>) -> ()
  accel.move @npu.out %a into %y : memref<16xi8, #l1>, memref<16xi8, #dram>
  %other = memref_pool.address <@l1, 0> : memref<16xi8, #l1>
  accel.move @npu.in %x into %other : memref<16xi8, #dram>, memref<16xi8, #l1>
  func.call @fill(%x) : (memref<16xi8, #dram>) -> ()
  accel.move @npu.out %b into %y : memref<16xi8, #l1>, memref<16xi8, #dram>
  memref_pool.copy %y into %out : memref<16xi8, #dram>, memref<16xi8>
  return
}

// -----

// Nobody fills it again.
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace capacity 64 read [@cpu, @npu] write [@cpu, @npu] certificate <planner = "p", peak = 32, lower_bound = 32>
memref_pool.pool @l1 workspace local capacity 64 read [@npu] write [@npu] certificate <planner = "p", peak = 16, lower_bound = 16>
accel.transfer @npu.in on @npu symbol "npu_in" from [@dram] to [@l1] rank 1
accel.transfer @npu.out on @npu symbol "npu_out" from [@l1] to [@dram] rank 1

#dram = #memref_pool.space<@dram>
#l1 = #memref_pool.space<@l1>

func.func private @fill(%x: memref<16xi8, #dram>) {
  %place = memref_pool.address <@l1, 0> : memref<16xi8, #l1>
  accel.move @npu.in %x into %place : memref<16xi8, #dram>, memref<16xi8, #l1>
  return
}

func.func @main(%base: memref<32xi8, #dram> {memref_pool.base}, %in: memref<16xi8> {accel.name = "x"}, %out: memref<16xi8> {accel.name = "y", bufferize.result}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %x = memref.view %base[%c0][] : memref<32xi8, #dram> to memref<16xi8, #dram>
  %y = memref.view %base[%c16][] : memref<32xi8, #dram> to memref<16xi8, #dram>
  memref_pool.copy %in into %x : memref<16xi8>, memref<16xi8, #dram>
  // expected-note@+1 {{'address' is declared here}}
  %b = memref_pool.address <@l1, 0> : memref<16xi8, #l1>
  func.call @fill(%x) : (memref<16xi8, #dram>) -> ()
  // expected-note@+1 {{'address' is declared here}}
  %other = memref_pool.address <@l1, 0> : memref<16xi8, #l1>
  // expected-note@+1 {{'address' is written here}}
  accel.move @npu.in %x into %other : memref<16xi8, #dram>, memref<16xi8, #l1>
  // expected-error@+1 {{'accel.move' reads buffer 'address' at [0, 16) of pool @l1, but 'address' at [0, 16) has overwritten its bytes}}
  accel.move @npu.out %b into %y : memref<16xi8, #l1>, memref<16xi8, #dram>
  memref_pool.copy %y into %out : memref<16xi8, #dram>, memref<16xi8>
  return
}

// -----

// A call fills its results, too.
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace capacity 64 read [@cpu, @npu] write [@cpu, @npu] certificate <planner = "p", peak = 32, lower_bound = 32>
memref_pool.pool @l1 workspace local capacity 64 read [@npu] write [@npu] certificate <planner = "p", peak = 16, lower_bound = 16>
accel.transfer @npu.in on @npu symbol "npu_in" from [@dram] to [@l1] rank 1
accel.intrinsic @npu.set on @npu symbol "npu_set" operands [#accel.operand<name = "x", access = in, pools = [@dram], align = 1>, #accel.operand<name = "y", access = out, pools = [@l1], align = 1>]
accel.transfer @npu.out on @npu symbol "npu_out" from [@l1] to [@dram] rank 1

#dram = #memref_pool.space<@dram>
#l1 = #memref_pool.space<@l1>

func.func private @fill(%x: memref<16xi8, #dram>) {
  %place = memref_pool.address <@l1, 0> : memref<16xi8, #l1>
  accel.call @npu.set ins(%x : memref<16xi8, #dram>) outs(%place : memref<16xi8, #l1>)
  return
}

func.func @main(%base: memref<32xi8, #dram> {memref_pool.base}, %in: memref<16xi8> {accel.name = "x"}, %out: memref<16xi8> {accel.name = "y", bufferize.result}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %x = memref.view %base[%c0][] : memref<32xi8, #dram> to memref<16xi8, #dram>
  %y = memref.view %base[%c16][] : memref<32xi8, #dram> to memref<16xi8, #dram>
  memref_pool.copy %in into %x : memref<16xi8>, memref<16xi8, #dram>
  %a = memref_pool.address <@l1, 0> : memref<16xi8, #l1>
  %b = memref_pool.address <@l1, 0> : memref<16xi8, #l1>
  func.call @fill(%x) : (memref<16xi8, #dram>) -> ()
  accel.move @npu.out %a into %y : memref<16xi8, #l1>, memref<16xi8, #dram>
  %other = memref_pool.address <@l1, 0> : memref<16xi8, #l1>
  accel.move @npu.in %x into %other : memref<16xi8, #dram>, memref<16xi8, #l1>
  func.call @fill(%x) : (memref<16xi8, #dram>) -> ()
  accel.move @npu.out %b into %y : memref<16xi8, #l1>, memref<16xi8, #dram>
  memref_pool.copy %y into %out : memref<16xi8, #dram>, memref<16xi8>
  return
}

// -----

// The function has another shape of the same bytes: row 3 of its four rows is inside.
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace capacity 64 read [@cpu, @npu] write [@cpu, @npu] certificate <planner = "p", peak = 32, lower_bound = 32>
memref_pool.pool @l1 workspace local capacity 64 read [@npu] write [@npu] certificate <planner = "p", peak = 16, lower_bound = 16>
accel.transfer @npu.in on @npu symbol "npu_in" from [@dram] to [@l1] rank 2
accel.transfer @npu.out on @npu symbol "npu_out" from [@l1] to [@dram] rank 2

#dram = #memref_pool.space<@dram>
#l1 = #memref_pool.space<@l1>

func.func private @fill(%x: memref<2x8xi8, #dram>, %y: memref<4xi8, #dram>) {
  %place = memref_pool.address <@l1, 0> : memref<4x4xi8, #l1>
  %rows = memref.expand_shape %x [[0], [1, 2]] output_shape [2, 2, 4] : memref<2x8xi8, #dram> into memref<2x2x4xi8, #dram>
  %four = memref.collapse_shape %rows [[0, 1], [2]] : memref<2x2x4xi8, #dram> into memref<4x4xi8, #dram>
  accel.move @npu.in %four into %place : memref<4x4xi8, #dram>, memref<4x4xi8, #l1>
  %row = memref.subview %place[3, 0] [1, 4] [1, 1] : memref<4x4xi8, #l1> to memref<4xi8, strided<[1], offset: 12>, #l1>
  accel.move @npu.out %row into %y : memref<4xi8, strided<[1], offset: 12>, #l1>, memref<4xi8, #dram>
  return
}

func.func @main(%base: memref<32xi8, #dram> {memref_pool.base}, %in: memref<2x8xi8> {accel.name = "x"}, %out: memref<4xi8> {accel.name = "y", bufferize.result}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %x = memref.view %base[%c0][] : memref<32xi8, #dram> to memref<2x8xi8, #dram>
  %y = memref.view %base[%c16][] : memref<32xi8, #dram> to memref<4xi8, #dram>
  memref_pool.copy %in into %x : memref<2x8xi8>, memref<2x8xi8, #dram>
  %a = memref_pool.address <@l1, 0> : memref<2x8xi8, #l1>
  accel.move @npu.in %x into %a : memref<2x8xi8, #dram>, memref<2x8xi8, #l1>
  func.call @fill(%x, %y) : (memref<2x8xi8, #dram>, memref<4xi8, #dram>) -> ()
  memref_pool.copy %y into %out : memref<4xi8, #dram>, memref<4xi8>
  return
}
