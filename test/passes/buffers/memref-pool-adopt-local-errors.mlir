// RUN: forebay-opt %s --memref-pool-adopt --split-input-file --verify-diagnostics

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @spad workspace local capacity 64 base 0 read [@npu] write [@npu]

func.func @main(%x: i8, %i: index) {
  %a = memref.alloc() : memref<16xi8, #memref_pool.space<@spad>>
  // expected-error@+1 {{operand 1 of 'memref.store' is in @spad, inside @npu, which only its transfers and intrinsics reach; move the bytes into a pool that the host can address}}
  memref.store %x, %a[%i] : memref<16xi8, #memref_pool.space<@spad>>
  return
}
