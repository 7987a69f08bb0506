// RUN: forebay-opt %s --accel-hoist-transfers --verify-diagnostics

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace read [@cpu] write [@cpu]
memref_pool.pool @spad workspace local base 0 read [@npu] write [@npu]
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1

func.func @main(%x: memref<16xi8, #memref_pool.space<@dram>>) {
  // What may be moved past what is asked of lifetimes, and these end where memory becomes a number.
  // expected-error@+1 {{'memref.extract_aligned_pointer_as_index' turns memory into a number, and its uses cannot be seen}}
  %p = memref.extract_aligned_pointer_as_index %x : memref<16xi8, #memref_pool.space<@dram>> -> index
  %a = memref_pool.alloc : memref<16xi8, #memref_pool.space<@spad>>
  accel.move @npu.mvin %x into %a : memref<16xi8, #memref_pool.space<@dram>>, memref<16xi8, #memref_pool.space<@spad>>
  return
}
