// RUN: forebay-opt %s --memref-pool-verify-plan --split-input-file --verify-diagnostics

// The vector is read from a row that something else has overwritten.
#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 48>

func.func @row_before(%v: i8, %out: memref<3x16xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  // expected-note @+1 {{is declared here}}
  %x = memref_pool.alloc at <@ws, 16> : memref<3x16xi8, #ws>
  // expected-note @+1 {{is declared here}}
  %y = memref_pool.alloc at <@ws, 0> : memref<3x16xi8, #ws>
  linalg.fill ins(%v : i8) outs(%x : memref<3x16xi8, #ws>)
  scf.for %t = %c0 to %c3 step %c1 {
    %before = arith.subi %t, %c2 : index
    %known = arith.maxsi %before, %c0 : index
    // expected-error @+1 {{'vector.load' reads buffer 'buffer[0]' at [16, 32) of pool @ws, but 'buffer[1]' at [16, 32) has overwritten its bytes}}
    %elements = vector.load %x[%known, %c0] : memref<3x16xi8, #ws>, vector<16xi8>
    %first = vector.extract %elements[0] : i8 from vector<16xi8>
    // expected-note @+1 {{is written here}}
    memref.store %first, %y[%t, %c0] : memref<3x16xi8, #ws>
  } {memref_pool.by_rows}
  memref.copy %y, %out : memref<3x16xi8, #ws> to memref<3x16xi8>
  return
}

// -----

// A row that is outside of the memory in some iterations, and has been overwritten in another one.
#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 64, lower_bound = 48>

func.func @filled(%v: i8, %out: memref<3x16xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %lanes = arith.constant 16 : index
  // expected-note @+1 {{is declared here}}
  %x = memref_pool.alloc at <@ws, 16> : memref<3x16xi8, #ws>
  // expected-note @+1 {{is declared here}}
  %y = memref_pool.alloc at <@ws, 0> : memref<3x16xi8, #ws>
  linalg.fill ins(%v : i8) outs(%x : memref<3x16xi8, #ws>)
  scf.for %t = %c0 to %c3 step %c1 {
    %before = arith.subi %t, %c2 : index
    %is_inside = arith.cmpi ult, %before, %c3 : index
    %end = arith.select %is_inside, %lanes, %c0 : index
    // expected-error @+1 {{'accel.load_between' reads buffer 'buffer[0]' at [16, 32) of pool @ws, but 'buffer[1]' at [16, 32) has overwritten its bytes}}
    %elements = accel.load_between %x[%before, %c0] from %c0 to %end fill -128 : memref<3x16xi8, #ws>, vector<16xi8>
    %first = vector.extract %elements[0] : i8 from vector<16xi8>
    // expected-note @+1 {{is written here}}
    memref.store %first, %y[%t, %c0] : memref<3x16xi8, #ws>
  } {memref_pool.by_rows}
  memref.copy %y, %out : memref<3x16xi8, #ws> to memref<3x16xi8>
  return
}

// -----

// The stored vector overwrites a row that is read later.
#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 48, lower_bound = 48>

func.func @stored(%v: f32, %out: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{is declared here}}
  %x = memref_pool.alloc at <@ws, 16> : memref<8xf32, #ws>
  // expected-note @+1 {{is declared here}}
  %y = memref_pool.alloc at <@ws, 0> : memref<8xf32, #ws>
  linalg.fill ins(%v : f32) outs(%x : memref<8xf32, #ws>)
  %values = vector.broadcast %v : f32 to vector<8xf32>
  // expected-note @+1 {{is written here}}
  vector.store %values, %y[%c0] : memref<8xf32, #ws>, vector<8xf32>
  // expected-error @+1 {{'memref.copy' reads buffer 'buffer' at [16, 48) of pool @ws, but 'buffer' at [0, 32) has overwritten its bytes}}
  memref.copy %x, %out : memref<8xf32, #ws> to memref<8xf32>
  memref.copy %y, %out : memref<8xf32, #ws> to memref<8xf32>
  return
}
