// Buffers that swap, that every iteration allocates, and a loop that ends at its condition.

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace
memref_pool.pool @spare workspace
memref_pool.pool @flash constant
memref_pool.pool @kept state
memref.global "private" constant @one : memref<24xi8, #memref_pool.space<@flash>> = dense<1>
memref.global "private" constant @two : memref<8xi8, #memref_pool.space<@flash>> = dense<2>
memref.global "private" @state : memref<24xi8, #memref_pool.space<@kept>>
memref.global "private" @other_state : memref<24xi8, #memref_pool.space<@kept>>

func.func @main(%in: memref<64xi8, #ws> {accel.name = "in"}, %out: memref<64xi8, #ws> {accel.name = "out", bufferize.result}, %x: i8, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ping = memref_pool.alloc : memref<64xi8, #ws> loc("ping")
  %pong = memref_pool.alloc : memref<64xi8, #ws> loc("pong")
  %after = memref_pool.alloc : memref<64xi8, #ws> loc("after")
  linalg.fill ins(%x : i8) outs(%ping : memref<64xi8, #ws>)
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %ping, %q = %pong) -> (memref<64xi8, #ws>, memref<64xi8, #ws>) {
    %t = memref_pool.alloc : memref<48xi8, #ws> loc("t")
    %u = memref_pool.alloc : memref<48xi8, #ws> loc("u")
    linalg.fill ins(%x : i8) outs(%t : memref<48xi8, #ws>)
    memref.copy %t, %u : memref<48xi8, #ws> to memref<48xi8, #ws>
    %e = memref.load %u[%c0] : memref<48xi8, #ws>
    linalg.map ins(%p, %in : memref<64xi8, #ws>, memref<64xi8, #ws>) outs(%q : memref<64xi8, #ws>) (%s: i8, %d: i8, %old: i8) {
      %sum = arith.addi %s, %e : i8
      linalg.yield %sum : i8
    }
    scf.yield %q, %p : memref<64xi8, #ws>, memref<64xi8, #ws>
  }
  linalg.fill ins(%x : i8) outs(%after : memref<64xi8, #ws>)
  %w = scf.while (%p = %after) : (memref<64xi8, #ws>) -> memref<64xi8, #ws> {
    %fresh = memref_pool.alloc : memref<16xi8, #ws> loc("fresh")
    linalg.fill ins(%x : i8) outs(%fresh : memref<16xi8, #ws>)
    %e = memref.load %fresh[%c0] : memref<16xi8, #ws>
    %go = arith.cmpi ne, %e, %x : i8
    scf.condition(%go) %p : memref<64xi8, #ws>
  } do {
  ^bb0(%p: memref<64xi8, #ws>):
    memref.copy %r#0, %p : memref<64xi8, #ws> to memref<64xi8, #ws>
    scf.yield %p : memref<64xi8, #ws>
  }
  memref.copy %w, %out : memref<64xi8, #ws> to memref<64xi8, #ws>
  return
}
