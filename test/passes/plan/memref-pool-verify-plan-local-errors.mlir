// RUN: forebay-opt %s --memref-pool-verify-plan --split-input-file --verify-diagnostics

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @spad workspace local read [@npu] write [@npu] certificate <planner = "hand", peak = 16, lower_bound = 16>

func.func @main(%i: index) -> i8 {
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@spad, 0> : memref<16xi8, #memref_pool.space<@spad>>
  // expected-error@+1 {{'memref.load' reads buffer 'buffer' in pool @spad, which is inside @npu: nothing but its transfers and intrinsics can; move the bytes into a pool that the host can address}}
  %x = memref.load %a[%i] : memref<16xi8, #memref_pool.space<@spad>>
  return %x : i8
}

// -----

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @spad workspace local read [@npu] write [@npu] certificate <planner = "hand", peak = 16, lower_bound = 16>

// An op that the device would run is no instruction of it either.
func.func @main(%x: i8) {
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@spad, 0> : memref<16xi8, #memref_pool.space<@spad>>
  // expected-error@+1 {{'linalg.fill' writes buffer 'buffer' in pool @spad, which is inside @npu: nothing but its transfers and intrinsics can; move the bytes into a pool that the host can address}}
  linalg.fill {accel.on = @npu} ins(%x : i8) outs(%a : memref<16xi8, #memref_pool.space<@spad>>)
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace certificate <planner = "hand", peak = 32, lower_bound = 16>
memref_pool.pool @spad workspace local read [@npu] write [@npu] certificate <planner = "hand", peak = 16, lower_bound = 16>
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>

// Two transfers into one tile: the first has not ended when the second begins.
func.func @main(%x: i8) {
  %a = memref_pool.alloc at <@dram, 0> : memref<16xi8, #dram>
  %b = memref_pool.alloc at <@dram, 16> : memref<16xi8, #dram>
  // expected-note@+1 {{'buffer' is declared here}}
  %s = memref_pool.alloc at <@spad, 0> : memref<16xi8, #spad>
  // expected-note@+1 {{'buffer' is declared here}}
  %u = memref_pool.alloc at <@spad, 0> : memref<16xi8, #spad>
  linalg.fill ins(%x : i8) outs(%a : memref<16xi8, #dram>)
  linalg.fill ins(%x : i8) outs(%b : memref<16xi8, #dram>)
  // expected-note@+1 {{started here}}
  %t = accel.start @npu.mvin %a into %s : memref<16xi8, #dram>, memref<16xi8, #spad>
  // expected-error@+1 {{'accel.move' writes buffer 'buffer' at [0, 16) of pool @spad, of which 'accel.start' may still write bytes for 'buffer'; wait for its token first, on every path to here}}
  accel.move @npu.mvin %b into %u : memref<16xi8, #dram>, memref<16xi8, #spad>
  accel.wait %t
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @dram workspace certificate <planner = "hand", peak = 16, lower_bound = 16>
memref_pool.pool @sram workspace certificate <planner = "hand", peak = 16, lower_bound = 16>
memref_pool.pool @spad workspace local read [@npu] write [@npu] certificate <planner = "hand", peak = 16, lower_bound = 16>
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1

// A transfer reaches what it says, whatever rights its device has.
func.func @main(%x: i8) {
  // expected-note@+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@sram, 0> : memref<16xi8, #memref_pool.space<@sram>>
  %s = memref_pool.alloc at <@spad, 0> : memref<16xi8, #memref_pool.space<@spad>>
  linalg.fill ins(%x : i8) outs(%a : memref<16xi8, #memref_pool.space<@sram>>)
  // expected-error@+1 {{the source of @npu.mvin is buffer 'buffer' in pool @sram, but must be in @dram}}
  accel.move @npu.mvin %a into %s : memref<16xi8, #memref_pool.space<@sram>>, memref<16xi8, #memref_pool.space<@spad>>
  return
}
