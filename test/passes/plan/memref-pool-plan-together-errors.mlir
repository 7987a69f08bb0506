// RUN: forebay-opt %s --memref-pool-plan=planner=first-fit --verify-diagnostics

// %r may be either buffer, but a pin has one of them in each pool.

#any = #memref_pool.space<[@fast, @ws]>
memref_pool.pool @fast workspace
memref_pool.pool @ws workspace

func.func @main(%x: i8, %which: i1, %out: memref<64xi8>) {
  // expected-error@+1 {{buffers 'buffer', 'buffer_2' meet in one value but have no pool in common}}
  %a = memref_pool.alloc pinned <@fast, 0> : memref<64xi8, #any>
  %b = memref_pool.alloc pinned <@ws, 0> : memref<64xi8, #any>
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #any>)
  linalg.fill ins(%x : i8) outs(%b : memref<64xi8, #any>)
  %r = arith.select %which, %a, %b : memref<64xi8, #any>
  memref.copy %r, %out : memref<64xi8, #any> to memref<64xi8>
  return
}
