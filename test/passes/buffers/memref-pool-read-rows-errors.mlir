// RUN: forebay-opt %s --split-input-file --memref-pool-read-rows --memref-pool-cascade --verify-diagnostics

#s = #memref_pool.space<@ws>
memref_pool.pool @ws workspace
// expected-error @below {{input 'image' cannot be read row by row: its shape 1x64 is a single row}}
func.func @main(%x: memref<1x64xi8, #s> {accel.name = "image", memref_pool.row_source}) {
  return
}

// -----

memref_pool.pool @ws workspace
// expected-error @below {{input 'image' has no pool for its rows}}
func.func @main(%x: memref<8x8xi8> {accel.name = "image", memref_pool.row_source}) {
  return
}

// -----

// Row 7 is needed first.
#s = #memref_pool.space<@ws>
memref_pool.pool @ws workspace
func.func @main(%x: memref<8x8xi8, #s> {accel.name = "image", memref_pool.row_source},
                %out: memref<8x8xi8> {bufferize.result}) {
  // expected-error @below {{input 'image' cannot be handed in row by row: 'linalg.generic' needs all 8 rows at once; leave out --input-rows for it}}
  linalg.generic {indexing_maps = [affine_map<(y, x) -> (x, y)>, affine_map<(y, x) -> (y, x)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x8xi8, #s>) outs(%out : memref<8x8xi8>) {
  ^bb0(%in: i8, %o: i8):
    linalg.yield %in : i8
  }
  return
}

// -----

// An op without rows is between two readers.
#s = #memref_pool.space<@ws>
#id = affine_map<(y, x) -> (y, x)>
memref_pool.pool @ws workspace
func.func private @sort(memref<8x8xi8>)
func.func @main(%x: memref<8x8xi8, #s> {accel.name = "image", memref_pool.row_source},
                %out: memref<8x8xi8> {bufferize.result}, %two: memref<8x8xi8> {bufferize.result}) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x8xi8, #s>) outs(%out : memref<8x8xi8>) {
  ^bb0(%in: i8, %o: i8):
    linalg.yield %in : i8
  }
  // expected-error @below {{input 'image' cannot be handed in row by row: 'func.call' does not compute rows; leave out --input-rows for it}}
  func.call @sort(%out) : (memref<8x8xi8>) -> ()
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %out : memref<8x8xi8, #s>, memref<8x8xi8>) outs(%two : memref<8x8xi8>) {
  ^bb0(%in: i8, %other: i8, %o: i8):
    %sum = arith.addi %in, %other : i8
    linalg.yield %sum : i8
  }
  return
}

// -----

// The capacity is a budget for the rows of the input, too.
#s = #memref_pool.space<@ws>
#id = affine_map<(y, x) -> (y, x)>
memref_pool.pool @ws workspace capacity 7
// expected-error @below {{pool 'ws' cannot hold this program in 7 bytes; the smallest budget that works is 8, set by 'image', 'linalg.generic'}}
func.func @main(%x: memref<8x8xi8, #s> {accel.name = "image", memref_pool.row_source},
                %out: memref<8x8xi8> {bufferize.result}) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x8xi8, #s>) outs(%out : memref<8x8xi8>) {
  ^bb0(%in: i8, %o: i8):
    linalg.yield %in : i8
  }
  return
}
