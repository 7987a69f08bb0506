// RUN: forebay-opt %s --accel-lower-copies --split-input-file --verify-diagnostics

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace read [@cpu] write [@cpu]
memref_pool.pool @spad workspace local capacity 262144 base 0 unit 16 read [@npu] write [@npu]
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 granule 16
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 2

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>

func.func @granule(%a: memref<24xi8, #dram>) {
  %t = memref_pool.alloc : memref<24xi8, #spad>
  // expected-error@+1 {{no transfer makes this copy from @dram to @spad, and nothing else can: @npu.mvin moves multiples of 16 bytes, and each run here has 24; @npu.mvout moves from @spad. Declare one that does, or give the memrefs the layout of one that is there}}
  memref.copy %a, %t : memref<24xi8, #dram> to memref<24xi8, #spad>
  return
}

// -----

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace read [@cpu] write [@cpu]
memref_pool.pool @spad workspace local capacity 262144 base 0 unit 16 read [@npu] write [@npu]
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>
#id = affine_map<(i, j) -> (i, j)>

func.func @rank(%a: memref<4x16xi8, strided<[32, 1]>, #dram>) {
  %t = memref_pool.alloc : memref<4x16xi8, #spad>
  // expected-error@+1 {{no transfer makes this copy from @dram to @spad, and nothing else can: @npu.mvin moves 1 dimensions, and this has 2. Declare one}}
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<4x16xi8, strided<[32, 1]>, #dram>) outs(%t : memref<4x16xi8, #spad>) {
  ^bb0(%in: i8, %out: i8):
    linalg.yield %in : i8
  }
  return
}

// -----

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace read [@cpu] write [@cpu]
memref_pool.pool @spad workspace local capacity 262144 base 0 unit 16 read [@npu] write [@npu]
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 2

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>

// 8 bytes into a row of 16 there is no address.
func.func @rows(%a: memref<8xi8, #dram>) {
  %t = memref_pool.alloc : memref<32xi8, #spad>
  %v = memref.subview %t[8] [8] [1] : memref<32xi8, #spad> to memref<8xi8, strided<[1], offset: 8>, #spad>
  // expected-error@+1 {{@npu.mvout addresses rows of 16 bytes in @spad, and this is between them}}
  memref.copy %v, %a : memref<8xi8, strided<[1], offset: 8>, #spad> to memref<8xi8, #dram>
  return
}

// -----

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace read [@cpu] write [@cpu]
memref_pool.pool @spad workspace local capacity 262144 base 0 read [@npu] write [@npu]

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>

func.func @loop(%a: memref<8xi8, #dram>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %t = memref_pool.alloc : memref<8xi8, #spad>
  // expected-error@+1 {{no transfer makes this copy from @dram to @spad, and nothing else can: the module has none. Declare one}}
  scf.for %i = %c0 to %c8 step %c1 {
    %x = memref.load %a[%i] : memref<8xi8, #dram>
    memref.store %x, %t[%i] : memref<8xi8, #spad>
  }
  return
}

// -----

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace read [@cpu] write [@cpu]
memref_pool.pool @spad workspace local capacity 262144 base 0 read [@npu] write [@npu]
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>
#shifted = affine_map<(i) -> (i + 3)>
#id = affine_map<(i) -> (i)>

func.func @somewhere(%a: memref<8xi8, strided<[1], offset: ?>, #dram>) {
  %t = memref_pool.alloc : memref<4xi8, #spad>
  // expected-error@+1 {{@npu.mvin moves blocks that begin at a known element. Declare one}}
  linalg.generic {indexing_maps = [#shifted, #id], iterator_types = ["parallel"]}
      ins(%a : memref<8xi8, strided<[1], offset: ?>, #dram>) outs(%t : memref<4xi8, #spad>) {
  ^bb0(%in: i8, %out: i8):
    linalg.yield %in : i8
  }
  return
}

// -----

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @spad workspace local capacity 262144 base 0 read [@npu] write [@npu]
accel.transfer @npu.cp on @npu symbol "npu_cp" from [@spad] to [@spad] rank 1

#spad = #memref_pool.space<@spad>

func.func @spread() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  %x = memref_pool.alloc : memref<16xi8, #spad>
  // expected-error@+1 {{this loop may read what it has written before, which no transfer does; copy between memory that is apart}}
  scf.for %i = %c0 to %c15 step %c1 {
    %v = memref.load %x[%i] : memref<16xi8, #spad>
    %j = arith.addi %i, %c1 : index
    memref.store %v, %x[%j] : memref<16xi8, #spad>
  }
  return
}
