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

// -----

// A loop over the rows of a sum writes the result in its last iteration only: until then its bytes hold the second row.
#ws = #memref_pool.space<@ws>
#in = affine_map<(x, y) -> (y, x)>
#out = affine_map<(x) -> (x)>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 36, lower_bound = 8>

func.func @result_in_a_row(%v: i8, %out: memref<4xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %x = memref_pool.alloc at_rows <@ws, [0, 16, 0]> : memref<3x4xi8, #memref_pool.rows<1>, #ws>
  %sums = memref_pool.alloc at <@ws, 32> : memref<4xi8, #ws>
  %result = memref_pool.alloc at <@ws, 16> : memref<4xi8, #ws>
  scf.for %t = %c0 to %c3 step %c1 {
    %row = memref_pool.row %x[%t] : memref<3x4xi8, #memref_pool.rows<1>, #ws> to memref<4xi8, #ws>
    linalg.fill ins(%v : i8) outs(%row : memref<4xi8, #ws>)
    accel.reduce [4 | 3] at [0 | %t] sizes [4 | 1]
      ins(%x : memref<3x4xi8, #memref_pool.rows<1>, #ws>) outs(%result : memref<4xi8, #ws>)
      accumulators(%sums : memref<4xi8, #ws>) maps [#in, #out]
      init {
        %zero = arith.constant 0 : i8
        accel.yield %zero : i8
      } body {
      ^bb0(%acc: i8, %x0: i8):
        %sum = arith.addi %acc, %x0 : i8
        accel.yield %sum : i8
      } finish {
      ^bb0(%acc: i8, %count: i32):
        accel.yield %acc : i8
      }
  }
  memref.copy %result, %out : memref<4xi8, #ws> to memref<4xi8>
  return
}

// -----

// A transposed convolution of stride 2 whose kernel has one row: row 0 of the result needs row 0 of the input, row 1 none, and
// row 2 row 1, which exists from iteration 2 on.
#ws = #memref_pool.space<@ws>
#x = affine_map<(y, j) -> (0, j, 0)>
#w = affine_map<(y, j) -> (y - j * 2)>
#out = affine_map<(y) -> (0, y, 0)>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 5, lower_bound = 5>

func.func @transposed(%v: i8, %weights: memref<1xi8>, %out: memref<1x3x1xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %x = memref_pool.alloc at_rows <@ws, [0, 4]> : memref<1x2x1xi8, #memref_pool.rows<2>, #ws>
  scf.for %i = %c0 to %c3 step %c1 {
    %rest = arith.remsi %i, %c2 : index
    %runs = arith.cmpi eq, %rest, %c0 : index
    scf.if %runs {
      %y = arith.divsi %i, %c2 : index
      %row = memref_pool.row %x[0, %y] : memref<1x2x1xi8, #memref_pool.rows<2>, #ws> to memref<1xi8, #ws>
      linalg.fill ins(%v : i8) outs(%row : memref<1xi8, #ws>)
    }
    accel.reduce [3 | 2] at [%i | 0] sizes [1 | 2] ins(%x, %weights : memref<1x2x1xi8, #memref_pool.rows<2>, #ws>, memref<1xi8>)
      outs(%out : memref<1x3x1xi8>) maps [#x, #w, #out]
      init {
        %zero = arith.constant 0 : i8
        accel.yield %zero : i8
      } body {
      ^bb0(%acc: i8, %x0: i8, %w0: i8):
        %product = arith.muli %x0, %w0 : i8
        %sum = arith.addi %acc, %product : i8
        accel.yield %sum : i8
      } finish {
      ^bb0(%acc: i8, %count: i32):
        accel.yield %acc : i8
      }
  } {memref_pool.by_rows}
  return
}

// -----

// A view shows the first five elements of each row. A row of the result needs the row of the view that was written last.
#ws = #memref_pool.space<@ws>
#in = affine_map<(y, x) -> (y, x)>
#out = affine_map<(y, x) -> (y, x)>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 29, lower_bound = 8>

func.func @part_of_rows(%v: i8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %x = memref_pool.alloc at <@ws, 0> : memref<3x8xi8, #ws>
  %z = memref_pool.alloc at_rows <@ws, [8, 16, 24]> : memref<3x5xi8, #memref_pool.rows<1>, #ws>
  %part = memref.subview %x[0, 0] [3, 5] [1, 1] : memref<3x8xi8, #ws> to memref<3x5xi8, strided<[8, 1]>, #ws>
  scf.for %y = %c0 to %c3 step %c1 {
    %row = memref.subview %x[%y, 0] [1, 8] [1, 1] : memref<3x8xi8, #ws> to memref<1x8xi8, strided<[8, 1], offset: ?>, #ws>
    linalg.fill ins(%v : i8) outs(%row : memref<1x8xi8, strided<[8, 1], offset: ?>, #ws>)
    accel.reduce [3, 5] at [%y, 0] sizes [1, 5] ins(%part : memref<3x5xi8, strided<[8, 1]>, #ws>)
      outs(%z : memref<3x5xi8, #memref_pool.rows<1>, #ws>) maps [#in, #out]
      init {
        %zero = arith.constant 0 : i8
        accel.yield %zero : i8
      } body {
      ^bb0(%acc: i8, %x0: i8):
        %sum = arith.addi %acc, %x0 : i8
        accel.yield %sum : i8
      } finish {
      ^bb0(%acc: i8, %count: i32):
        accel.yield %acc : i8
      }
  } {memref_pool.by_rows}
  return
}
