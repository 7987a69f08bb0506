// RUN: forebay-opt %s --split-input-file --verify-diagnostics --accel-set-registers

accel.device @npu kind "npu"
memref_pool.pool @ram workspace
memref_pool.pool @npu.mode workspace local register capacity 4 read [@npu] write [@npu]
accel.intrinsic @npu.run on @npu symbol "npu_run"
  operands [#accel.operand<name = "mode", access = in, pools = [@npu.mode]>,
            #accel.operand<name = "y", access = out, pools = [@ram]>]
func.func @never_set(%y: memref<4xi8, #memref_pool.space<@ram>>) {
  %a = memref_pool.alloc : memref<1xi32, #memref_pool.space<@npu.mode>>
  // expected-error @+1 {{operand 'mode' of @npu.run needs the register @npu.mode, which nothing sets before}}
  accel.call @npu.run ins(%a : memref<1xi32, #memref_pool.space<@npu.mode>>)
    outs(%y : memref<4xi8, #memref_pool.space<@ram>>)
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @ram workspace
memref_pool.pool @npu.weights workspace local register capacity 16 read [@npu] write [@npu]
#weights = #memref_pool.space<@npu.weights>
#ram = #memref_pool.space<@ram>
accel.intrinsic @npu.preload on @npu symbol "npu_preload"
  operands [#accel.operand<name = "w", access = in, pools = [@ram]>,
            #accel.operand<name = "weights", access = out, pools = [@npu.weights]>]
accel.intrinsic @npu.multiply on @npu symbol "npu_multiply"
  operands [#accel.operand<name = "weights", access = in, pools = [@npu.weights]>,
            #accel.operand<name = "y", access = out, pools = [@ram]>]
func.func @source_changed(%w: memref<16xi8, #ram>, %y: memref<4xi8, #ram>, %v: i8, %i: index) {
  %a = memref_pool.alloc : memref<16xi8, #weights>
  %b = memref_pool.alloc : memref<16xi8, #weights>
  // expected-note @+1 {{the value is set here}}
  accel.call @npu.preload ins(%w : memref<16xi8, #ram>) outs(%a : memref<16xi8, #weights>)
  accel.call @npu.multiply ins(%a : memref<16xi8, #weights>) outs(%y : memref<4xi8, #ram>)
  memref.store %v, %w[%i] : memref<16xi8, #ram>
  accel.call @npu.preload ins(%w : memref<16xi8, #ram>) outs(%b : memref<16xi8, #weights>)
  accel.call @npu.multiply ins(%b : memref<16xi8, #weights>) outs(%y : memref<4xi8, #ram>)
  // expected-error-re @+1 {{operand 'weights' of @npu.multiply needs the value that register @npu.weights gets at {{.*}}, but another value overwrites it before, and it cannot be set again here: it depends on the path to here, or what it was set from has changed}}
  accel.call @npu.multiply ins(%a : memref<16xi8, #weights>) outs(%y : memref<4xi8, #ram>)
  return
}

// -----

accel.device @npu kind "npu"
memref_pool.pool @ram workspace
memref_pool.pool @npu.weights workspace local register capacity 16 read [@npu] write [@npu]
#weights = #memref_pool.space<@npu.weights>
#ram = #memref_pool.space<@ram>
accel.intrinsic @npu.preload on @npu symbol "npu_preload"
  operands [#accel.operand<name = "w", access = in, pools = [@ram]>,
            #accel.operand<name = "weights", access = out, pools = [@npu.weights]>]
accel.intrinsic @npu.multiply on @npu symbol "npu_multiply"
  operands [#accel.operand<name = "weights", access = in, pools = [@npu.weights]>,
            #accel.operand<name = "y", access = out, pools = [@ram]>]
func.func @source_changed_later(%w: memref<16xi8, #ram>, %x: memref<16xi8, #ram>,
    %y: memref<4xi8, #ram>, %v: i8, %i: index) {
  %a = memref_pool.alloc : memref<16xi8, #weights>
  %b = memref_pool.alloc : memref<16xi8, #weights>
  // expected-note @+1 {{the value is set here}}
  accel.call @npu.preload ins(%w : memref<16xi8, #ram>) outs(%a : memref<16xi8, #weights>)
  accel.call @npu.preload ins(%x : memref<16xi8, #ram>) outs(%b : memref<16xi8, #weights>)
  accel.call @npu.multiply ins(%b : memref<16xi8, #weights>) outs(%y : memref<4xi8, #ram>)
  memref.store %v, %w[%i] : memref<16xi8, #ram>
  // expected-error-re @+1 {{it cannot be set again here: 'memref.store' at {{.*}} writes what it was set from}}
  accel.call @npu.multiply ins(%a : memref<16xi8, #weights>) outs(%y : memref<4xi8, #ram>)
  return
}
