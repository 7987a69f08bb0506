// RUN: forebay-opt %s --memref-pool-verify-plan --split-input-file

// A vector is read from one row of a buffer, and not from the rows before it, whose bytes hold other rows by then.
#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 48>

func.func @row(%v: i8, %out: memref<3x16xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %x = memref_pool.alloc at <@ws, 16> : memref<3x16xi8, #ws>
  %y = memref_pool.alloc at <@ws, 0> : memref<3x16xi8, #ws>
  linalg.fill ins(%v : i8) outs(%x : memref<3x16xi8, #ws>)
  scf.for %t = %c0 to %c3 step %c1 {
    %elements = vector.load %x[%t, %c0] : memref<3x16xi8, #ws>, vector<16xi8>
    %first = vector.extract %elements[0] : i8 from vector<16xi8>
    memref.store %first, %y[%t, %c0] : memref<3x16xi8, #ws>
  } {memref_pool.by_rows}
  memref.copy %y, %out : memref<3x16xi8, #ws> to memref<3x16xi8>
  return
}

// -----

// Elements before and behind a row are filled, and not loaded: other rows are not read.
#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 48>

func.func @filled(%v: i8, %out: memref<3x16xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %before = arith.constant -2 : index
  %two = arith.constant 2 : index
  %lanes = arith.constant 16 : index
  %x = memref_pool.alloc at <@ws, 16> : memref<3x16xi8, #ws>
  %y = memref_pool.alloc at <@ws, 0> : memref<3x16xi8, #ws>
  linalg.fill ins(%v : i8) outs(%x : memref<3x16xi8, #ws>)
  scf.for %t = %c0 to %c3 step %c1 {
    %elements = accel.load_between %x[%t, %before] from %two to %lanes fill -128 : memref<3x16xi8, #ws>, vector<16xi8>
    %first = vector.extract %elements[0] : i8 from vector<16xi8>
    memref.store %first, %y[%t, %c0] : memref<3x16xi8, #ws>
  } {memref_pool.by_rows}
  memref.copy %y, %out : memref<3x16xi8, #ws> to memref<3x16xi8>
  return
}

// -----

// Behind the last row nothing is loaded, and before it no row that has been overwritten.
#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 48>

func.func @row_behind(%v: i8, %out: memref<3x16xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %lanes = arith.constant 16 : index
  %x = memref_pool.alloc at <@ws, 16> : memref<3x16xi8, #ws>
  %y = memref_pool.alloc at <@ws, 0> : memref<3x16xi8, #ws>
  linalg.fill ins(%v : i8) outs(%x : memref<3x16xi8, #ws>)
  scf.for %t = %c0 to %c3 step %c1 {
    %behind = arith.addi %t, %c1 : index
    %is_inside = arith.cmpi ult, %behind, %c3 : index
    %end = arith.select %is_inside, %lanes, %c0 : index
    %elements = accel.load_between %x[%behind, %c0] from %c0 to %end fill -128 : memref<3x16xi8, #ws>, vector<16xi8>
    %first = vector.extract %elements[0] : i8 from vector<16xi8>
    memref.store %first, %y[%t, %c0] : memref<3x16xi8, #ws>
  } {memref_pool.by_rows}
  memref.copy %y, %out : memref<3x16xi8, #ws> to memref<3x16xi8>
  return
}

// -----

// The rows from %t on are loaded, and those behind the last one are filled. The rows before %t have been overwritten.
#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 48>

func.func @rows_behind(%v: i8, %out: memref<3x16xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  %lanes = arith.constant 16 : index
  %x = memref_pool.alloc at <@ws, 16> : memref<3x16xi8, #ws>
  %y = memref_pool.alloc at <@ws, 0> : memref<3x16xi8, #ws>
  linalg.fill ins(%v : i8) outs(%x : memref<3x16xi8, #ws>)
  scf.for %t = %c0 to %c3 step %c1 {
    scf.for %k = %c0 to %c9 step %c1 {
      %behind = arith.addi %t, %k : index
      %is_inside = arith.cmpi ult, %behind, %c3 : index
      %end = arith.select %is_inside, %lanes, %c0 : index
      %elements = accel.load_between %x[%behind, %c0] from %c0 to %end fill -128 : memref<3x16xi8, #ws>, vector<16xi8>
      %first = vector.extract %elements[0] : i8 from vector<16xi8>
      memref.store %first, %y[%t, %c0] : memref<3x16xi8, #ws>
    }
  } {memref_pool.by_rows}
  memref.copy %y, %out : memref<3x16xi8, #ws> to memref<3x16xi8>
  return
}
