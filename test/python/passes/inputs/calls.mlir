// A callee called twice, and a second entry function.

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace
memref_pool.pool @spare workspace
memref_pool.pool @flash constant
memref_pool.pool @kept state
memref.global "private" constant @one : memref<24xi8, #memref_pool.space<@flash>> = dense<1>
memref.global "private" constant @two : memref<8xi8, #memref_pool.space<@flash>> = dense<2>
memref.global "private" @state : memref<24xi8, #memref_pool.space<@kept>>
memref.global "private" @other_state : memref<24xi8, #memref_pool.space<@kept>>

func.func private @callee(%p: memref<64xi8, #ws>, %q: memref<64xi8, #ws>, %x: i8) {
  %t = memref_pool.alloc : memref<64xi8, #ws> loc("t")
  linalg.fill ins(%x : i8) outs(%t : memref<64xi8, #ws>)
  memref.copy %p, %t : memref<64xi8, #ws> to memref<64xi8, #ws>
  memref.copy %t, %q : memref<64xi8, #ws> to memref<64xi8, #ws>
  return
}
func.func @main(%in: memref<64xi8, #ws> {accel.name = "in"}, %out: memref<64xi8, #ws> {accel.name = "out", bufferize.result}, %x: i8) {
  %a = memref_pool.alloc : memref<64xi8, #ws> loc("a")
  %b = memref_pool.alloc : memref<64xi8, #ws> loc("b")
  func.call @callee(%in, %a, %x) : (memref<64xi8, #ws>, memref<64xi8, #ws>, i8) -> ()
  linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #ws>)
  memref.copy %b, %a : memref<64xi8, #ws> to memref<64xi8, #ws>
  func.call @callee(%a, %out, %x) : (memref<64xi8, #ws>, memref<64xi8, #ws>, i8) -> ()
  return
}
func.func @reset(%seed: memref<24xi8, #ws> {accel.name = "seed"}) {
  %state = memref.get_global @state : memref<24xi8, #memref_pool.space<@kept>>
  %r = memref_pool.alloc : memref<24xi8, #ws> loc("r")
  memref.copy %seed, %r : memref<24xi8, #ws> to memref<24xi8, #ws>
  memref.copy %r, %state : memref<24xi8, #ws> to memref<24xi8, #memref_pool.space<@kept>>
  return
}
