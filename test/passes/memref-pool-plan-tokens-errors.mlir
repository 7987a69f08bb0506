// RUN: forebay-opt %s --memref-pool-plan --split-input-file --verify-diagnostics

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load

func.func @main(%a: memref<24xi8, #memref_pool.space<@dram>>) {
  %s = memref_pool.alloc : memref<24xi8, #memref_pool.space<@spad>>
  // expected-error@+1 {{nobody waits for the token of this 'accel.start', so its buffers would be in use for good; add an accel.wait}}
  %t = accel.start @npu.mvin %a into %s : memref<24xi8, #memref_pool.space<@dram>>, memref<24xi8, #memref_pool.space<@spad>>
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace
memref_pool.pool @spad workspace local read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>

func.func @main(%a: memref<24xi8, #dram>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = memref_pool.alloc : memref<24xi8, #spad>
  %first = accel.start @npu.mvin %a into %s : memref<24xi8, #dram>, memref<24xi8, #spad>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%t = %first) -> (!accel.token) {
    // expected-note@+1 {{the buffer}}
    %u = memref_pool.alloc : memref<24xi8, #spad>
    accel.wait %t
    %next = accel.start @npu.mvin %a into %u : memref<24xi8, #dram>, memref<24xi8, #spad>
    // expected-error@+1 {{operand 0 hands a buffer to the next iteration that every iteration allocates anew, so two would be alive at one address; allocate it before the loop, or two of them and swap them}}
    scf.yield %next : !accel.token
  }
  accel.wait %last
  return
}
