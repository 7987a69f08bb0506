// RUN: forebay-opt %s --accel-check-grants | FileCheck %s

memref_pool.pool @sram workspace capacity 1000
memref_pool.pool @dram workspace

// The stage's buffers take 100 bytes together, then 60: as much as was granted. @dram has no grant.
// CHECK-LABEL: func.func private @tiled
func.func private @tiled() attributes {accel.granted = {sram = 100 : i64}} {
  %c0 = arith.constant 0 : i8
  %a = memref_pool.alloc at <@sram, 0> : memref<60xi8, #memref_pool.space<@sram>>
  %b = memref_pool.alloc at <@sram, 64> : memref<40xi8, #memref_pool.space<@sram>>
  linalg.fill ins(%c0 : i8) outs(%a : memref<60xi8, #memref_pool.space<@sram>>)
  linalg.fill ins(%c0 : i8) outs(%b : memref<40xi8, #memref_pool.space<@sram>>)
  linalg.fill ins(%c0 : i8) outs(%a : memref<60xi8, #memref_pool.space<@sram>>)
  %c = memref_pool.alloc at <@sram, 64> : memref<60xi8, #memref_pool.space<@sram>>
  linalg.fill ins(%c0 : i8) outs(%c : memref<60xi8, #memref_pool.space<@sram>>)
  %d = memref_pool.alloc at <@dram, 0> : memref<5000xi8, #memref_pool.space<@dram>>
  linalg.fill ins(%c0 : i8) outs(%d : memref<5000xi8, #memref_pool.space<@dram>>)
  return
}

func.func @main() {
  %c0 = arith.constant 0 : i8
  // What the rest of the program has is not the stage's.
  %e = memref_pool.alloc at <@sram, 128> : memref<500xi8, #memref_pool.space<@sram>>
  linalg.fill ins(%c0 : i8) outs(%e : memref<500xi8, #memref_pool.space<@sram>>)
  call @tiled() : () -> ()
  linalg.fill ins(%c0 : i8) outs(%e : memref<500xi8, #memref_pool.space<@sram>>)
  return
}
