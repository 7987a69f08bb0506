// RUN: forebay-opt %s --memref-pool-verify-plan --split-input-file

// The first part of a sum does not read its accumulators, and the last one does not write them: before and behind the
// parts their bytes may hold something else.
#ws = #memref_pool.space<@ws>
#row = affine_map<(y, k) -> (y, k)>
#out = affine_map<(y) -> (y)>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 16, lower_bound = 16>

func.func @parts(%x: memref<4x6xi32>, %v: i32, %out: memref<4xi32>, %other: memref<4xi32>) {
  %b = memref_pool.alloc at <@ws, 0> : memref<4xi32, #ws>
  linalg.fill ins(%v : i32) outs(%b : memref<4xi32, #ws>)
  memref.copy %b, %other : memref<4xi32, #ws> to memref<4xi32>
  %a = memref_pool.alloc at <@ws, 0> : memref<4xi32, #ws>
  accel.reduce [4 | 6] at [0 | 0] sizes [4 | 2] ins(%x : memref<4x6xi32>) outs(%out : memref<4xi32>)
    accumulators(%a : memref<4xi32, #ws>) maps [#row, #out]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i32):
      %sum = arith.addi %acc, %x0 : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  accel.reduce [4 | 6] at [0 | 2] sizes [4 | 2] ins(%x : memref<4x6xi32>) outs(%out : memref<4xi32>)
    accumulators(%a : memref<4xi32, #ws>) maps [#row, #out]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i32):
      %sum = arith.addi %acc, %x0 : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  accel.reduce [4 | 6] at [0 | 4] sizes [4 | 2] ins(%x : memref<4x6xi32>) outs(%out : memref<4xi32>)
    accumulators(%a : memref<4xi32, #ws>) maps [#row, #out]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i32):
      %sum = arith.addi %acc, %x0 : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  %c = memref_pool.alloc at <@ws, 0> : memref<4xi32, #ws>
  linalg.fill ins(%v : i32) outs(%c : memref<4xi32, #ws>)
  memref.copy %c, %other : memref<4xi32, #ws> to memref<4xi32>
  return
}
