// A failing case as a file that anybody can plan: the problem is written before it is solved.
// RUN: not forebay-opt %s --memref-pool-plan=problem=%t.case.mlir
// RUN: FileCheck %s --input-file %t.case.mlir --check-prefix=IR
// RUN: not forebay-opt %t.case.mlir --memref-pool-solve 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: not forebay-opt %s --memref-pool-plan=problem=%t.case.json
// RUN: FileCheck %s --input-file %t.case.json --check-prefix=JSON
// RUN: not forebay plan %t.case.json 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: not forebay-opt %s --memref-pool-plan=problem=%t.case.csv
// RUN: FileCheck %s --input-file %t.case.csv --check-prefix=CSV
// RUN: not forebay-opt %s --memref-pool-plan=problem=%t.case.txt 2>&1 | FileCheck %s --check-prefix=SUFFIX

#ws = #memref_pool.space<@ws>
#flash = #memref_pool.space<@flash>
// IR:   memref_pool.pool @ws workspace capacity 100 align 16
// IR:   memref_pool.pool @flash constant align 16
memref_pool.pool @ws workspace capacity 100
memref_pool.pool @flash constant
memref.global "private" constant @weights : memref<4xi8, #flash> = dense<1>

func.func @main(%x: i8, %out: memref<64xi8>) {
  // IR:   memref_pool.buffer @buffer workspace size 64 live [0, 4] in [@ws]
  // IR:   memref_pool.buffer @buffer_2 workspace size 60 live [2, 3] in [@ws]
  // IR:   memref_pool.buffer @weights constant size 4 {{.*}} in [@flash]
  // JSON: {"name": "buffer_2", "size": 60, "lifetime": {{\[\[}}2, 3]], "candidates": ["ws"]}
  // CSV:      id,lower,upper,size,alignment,offset
  // CSV-NEXT: buffer,0,4,64,16,
  // CSV-NEXT: buffer_2,2,3,60,16,
  // CSV-NOT:  weights
  %a = memref_pool.alloc : memref<64xi8, #ws>
  %b = memref_pool.alloc : memref<60xi8, #ws>
  %w = memref.get_global @weights : memref<4xi8, #flash>
  %c0 = arith.constant 0 : index
  linalg.fill ins(%x : i8) outs(%a : memref<64xi8, #ws>)
  %y = memref.load %w[%c0] : memref<4xi8, #flash>
  // AGAIN: error: pool 'ws' needs 124 bytes but has 100; live: 'buffer' (64), 'buffer_2' (60). Give the pool 24 bytes more, or let a buffer live in another pool.
  linalg.fill ins(%y : i8) outs(%b : memref<60xi8, #ws>)
  memref.copy %a, %out : memref<64xi8, #ws> to memref<64xi8>
  return
}
// SUFFIX: error: {{.*}}.case.txt: a problem is written as one of .mlir, .csv, .json
