// Two branches at the same bytes, and a choice between two buffers.

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace
memref_pool.pool @spare workspace
memref_pool.pool @flash constant
memref_pool.pool @kept state
memref.global "private" constant @one : memref<24xi8, #memref_pool.space<@flash>> = dense<1>
memref.global "private" constant @two : memref<8xi8, #memref_pool.space<@flash>> = dense<2>
memref.global "private" @state : memref<24xi8, #memref_pool.space<@kept>>
memref.global "private" @other_state : memref<24xi8, #memref_pool.space<@kept>>

func.func @main(%in: memref<64xi8, #ws> {accel.name = "in"}, %out: memref<64xi8, #ws> {accel.name = "out", bufferize.result}, %x: i8, %which: i1) {
  %a = memref_pool.alloc : memref<64xi8, #ws> loc("a")
  %b = memref_pool.alloc : memref<64xi8, #ws> loc("b")
  memref.copy %in, %a : memref<64xi8, #ws> to memref<64xi8, #ws>
  scf.if %which {
    %t = memref_pool.alloc : memref<64xi8, #ws> loc("t")
    linalg.fill ins(%x : i8) outs(%t : memref<64xi8, #ws>)
    memref.copy %t, %b : memref<64xi8, #ws> to memref<64xi8, #ws>
  } else {
    %e = memref_pool.alloc : memref<64xi8, #ws> loc("e")
    linalg.fill ins(%x : i8) outs(%e : memref<64xi8, #ws>)
    memref.copy %e, %b : memref<64xi8, #ws> to memref<64xi8, #ws>
  }
  %s = arith.select %which, %a, %b : memref<64xi8, #ws>
  memref.copy %s, %out : memref<64xi8, #ws> to memref<64xi8, #ws>
  return
}
