// RUN: forebay-opt %s --split-input-file --verify-diagnostics --accel-check-grants

memref_pool.pool @sram workspace capacity 1000

// expected-error @+1 {{the stage's buffers in @sram take 101 bytes together, but 100 are free while @tiled runs; its buffers: 60, 41. Let the stage use smaller tiles, or give the pool more}}
func.func private @tiled() attributes {accel.granted = {sram = 100 : i64}} {
  %c0 = arith.constant 0 : i8
  // expected-note @+1 {{one of them}}
  %a = memref_pool.alloc at <@sram, 0> : memref<60xi8, #memref_pool.space<@sram>>
  // expected-note @+1 {{one of them}}
  %b = memref_pool.alloc at <@sram, 64> : memref<41xi8, #memref_pool.space<@sram>>
  linalg.fill ins(%c0 : i8) outs(%a : memref<60xi8, #memref_pool.space<@sram>>)
  linalg.fill ins(%c0 : i8) outs(%b : memref<41xi8, #memref_pool.space<@sram>>)
  linalg.fill ins(%c0 : i8) outs(%a : memref<60xi8, #memref_pool.space<@sram>>)
  return
}

func.func @main() {
  call @tiled() : () -> ()
  return
}

// -----

memref_pool.pool @sram workspace capacity 1000

func.func private @tiled() attributes {accel.granted = {sram = 100 : i64}} {
  %c0 = arith.constant 0 : i8
  // expected-error @+1 {{buffer 'buffer' has no place yet; run memref-pool-plan first}}
  %a = memref_pool.alloc : memref<60xi8, #memref_pool.space<@sram>>
  linalg.fill ins(%c0 : i8) outs(%a : memref<60xi8, #memref_pool.space<@sram>>)
  return
}

func.func @main() {
  call @tiled() : () -> ()
  return
}
