// Views, constants and state in straight-line code.

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace
memref_pool.pool @spare workspace
memref_pool.pool @flash constant
memref_pool.pool @kept state
memref.global "private" constant @one : memref<24xi8, #memref_pool.space<@flash>> = dense<1>
memref.global "private" constant @two : memref<8xi8, #memref_pool.space<@flash>> = dense<2>
memref.global "private" @state : memref<24xi8, #memref_pool.space<@kept>>
memref.global "private" @other_state : memref<24xi8, #memref_pool.space<@kept>>

func.func @main(%in: memref<64xi8, #ws> {accel.name = "in"}, %out: memref<64xi8, #ws> {accel.name = "out", bufferize.result}, %x: i8) {
  %a = memref_pool.alloc : memref<64xi8, #ws> loc("a")
  %b = memref_pool.alloc : memref<2x24xi8, #ws> loc("b")
  %c = memref_pool.alloc : memref<64xi8, #ws> loc("c")
  %one = memref.get_global @one : memref<24xi8, #memref_pool.space<@flash>>
  %two = memref.get_global @two : memref<8xi8, #memref_pool.space<@flash>>
  %state = memref.get_global @state : memref<24xi8, #memref_pool.space<@kept>>
  %other = memref.get_global @other_state : memref<24xi8, #memref_pool.space<@kept>>
  %row = memref.subview %b[1, 0] [1, 24] [1, 1] : memref<2x24xi8, #ws> to memref<24xi8, strided<[1], offset: 24>, #ws>
  %flat = memref.collapse_shape %b [[0, 1]] : memref<2x24xi8, #ws> into memref<48xi8, #ws>
  %tail = memref.subview %c[56] [8] [1] : memref<64xi8, #ws> to memref<8xi8, strided<[1], offset: 56>, #ws>
  memref.copy %in, %a : memref<64xi8, #ws> to memref<64xi8, #ws>
  linalg.fill ins(%x : i8) outs(%flat : memref<48xi8, #ws>)
  memref.copy %one, %row : memref<24xi8, #memref_pool.space<@flash>> to memref<24xi8, strided<[1], offset: 24>, #ws>
  memref.copy %a, %c : memref<64xi8, #ws> to memref<64xi8, #ws>
  memref.copy %row, %state : memref<24xi8, strided<[1], offset: 24>, #ws> to memref<24xi8, #memref_pool.space<@kept>>
  memref.copy %state, %other : memref<24xi8, #memref_pool.space<@kept>> to memref<24xi8, #memref_pool.space<@kept>>
  memref.copy %two, %tail : memref<8xi8, #memref_pool.space<@flash>> to memref<8xi8, strided<[1], offset: 56>, #ws>
  memref.copy %c, %out : memref<64xi8, #ws> to memref<64xi8, #ws>
  return
}
