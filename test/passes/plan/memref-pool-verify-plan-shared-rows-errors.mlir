// RUN: forebay-opt %s --memref-pool-verify-plan --split-input-file --verify-diagnostics

// @fill shows rows of the buffer that each call names, at the places of the table that each call passes. A right plan:

!base = memref<32xi8, #memref_pool.space<@ws>>
!row = memref<8xi8, #memref_pool.space<@ws>>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 32, lower_bound = 0>
memref.global "private" constant @x_rows : memref<2xi16> = dense<[0, 2]> {memref_pool.row_table = 8 : i64}
memref.global "private" constant @y_rows : memref<2xi16> = dense<[3, 1]> {memref_pool.row_table = 8 : i64}

func.func private @fill(%ws: !base {memref_pool.base}, %rows: memref<2xi16> {memref_pool.row_table = 8 : i64}, %n: index) {
  %value = arith.constant 1 : i8
  %c8 = arith.constant 8 : index
  %entry = memref.load %rows[%n] : memref<2xi16>
  %place = arith.index_cast %entry : i16 to index
  %offset = arith.muli %place, %c8 : index
  %row = memref.view %ws[%offset][] {memref_pool.row_of = 0 : i64} : !base to !row
  linalg.fill ins(%value : i8) outs(%row : !row)
  return
}
func.func @main(%ws: !base {memref_pool.base}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %x = memref.get_global @x_rows : memref<2xi16>
  %y = memref.get_global @y_rows : memref<2xi16>
  call @fill(%ws, %x, %c0) {memref_pool.row_buffers = ["x"]} : (!base, memref<2xi16>, index) -> ()
  call @fill(%ws, %y, %c0) {memref_pool.row_buffers = ["y"]} : (!base, memref<2xi16>, index) -> ()
  %0 = memref.view %ws[%c0][] {memref_pool.row_number = 0 : i64, memref_pool.row_of = "x"} : !base to !row
  memref.copy %0, %0 : !row to !row
  return
}

// -----

// The second call passes the table of another buffer.

!base = memref<32xi8, #memref_pool.space<@ws>>
!row = memref<8xi8, #memref_pool.space<@ws>>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 32, lower_bound = 0>
memref.global "private" constant @x_rows : memref<2xi16> = dense<[0, 2]> {memref_pool.row_table = 8 : i64}
memref.global "private" constant @y_rows : memref<2xi16> = dense<[3, 1]> {memref_pool.row_table = 8 : i64}

func.func private @fill(%ws: !base {memref_pool.base}, %rows: memref<2xi16> {memref_pool.row_table = 8 : i64}, %n: index) {
  %value = arith.constant 1 : i8
  %c8 = arith.constant 8 : index
  %entry = memref.load %rows[%n] : memref<2xi16>
  %place = arith.index_cast %entry : i16 to index
  %offset = arith.muli %place, %c8 : index
  // expected-note@+2 {{'y[0]' is declared here}}
  // expected-error@+1 {{row 0 of 'y' is at byte 0 of pool @ws here, but at [24, 32) elsewhere}}
  %row = memref.view %ws[%offset][] {memref_pool.row_of = 0 : i64} : !base to !row
  linalg.fill ins(%value : i8) outs(%row : !row)
  return
}
func.func @main(%ws: !base {memref_pool.base}) {
  %c0 = arith.constant 0 : index
  %x = memref.get_global @x_rows : memref<2xi16>
  %y = memref.get_global @y_rows : memref<2xi16>
  call @fill(%ws, %y, %c0) {memref_pool.row_buffers = ["y"]} : (!base, memref<2xi16>, index) -> ()
  call @fill(%ws, %x, %c0) {memref_pool.row_buffers = ["y"]} : (!base, memref<2xi16>, index) -> ()
  return
}

// -----

// The row of %x is filled, and that of %y, which the call names, is not.

!base = memref<32xi8, #memref_pool.space<@ws>>
!row = memref<8xi8, #memref_pool.space<@ws>>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 32, lower_bound = 0>
memref.global "private" constant @x_rows : memref<2xi16> = dense<[0, 2]> {memref_pool.row_table = 8 : i64}

func.func private @read(%ws: !base {memref_pool.base}, %rows: memref<2xi16> {memref_pool.row_table = 8 : i64}, %n: index) {
  %c8 = arith.constant 8 : index
  %entry = memref.load %rows[%n] : memref<2xi16>
  %place = arith.index_cast %entry : i16 to index
  %offset = arith.muli %place, %c8 : index
  // expected-note@+1 {{'y[0]' is declared here}}
  %row = memref.view %ws[%offset][] {memref_pool.row_of = 1 : i64} : !base to !row
  // expected-error@+1 {{'memref.copy' reads buffer 'y[0]' at [0, 8) of pool @ws, into which nothing was written}}
  memref.copy %row, %row : !row to !row
  return
}
func.func @main(%ws: !base {memref_pool.base}) {
  %value = arith.constant 1 : i8
  %c0 = arith.constant 0 : index
  %x = memref.get_global @x_rows : memref<2xi16>
  %row = memref.view %ws[%c0][] {memref_pool.row_number = 0 : i64, memref_pool.row_of = "x"} : !base to !row
  linalg.fill ins(%value : i8) outs(%row : !row)
  call @read(%ws, %x, %c0) {memref_pool.row_buffers = ["x", "y"]} : (!base, memref<2xi16>, index) -> ()
  return
}

// -----

// A call that names no buffer, and a table whose entries are not known.

!base = memref<32xi8, #memref_pool.space<@ws>>
!row = memref<8xi8, #memref_pool.space<@ws>>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 32, lower_bound = 0>

func.func private @fill(%ws: !base {memref_pool.base}, %n: index) {
  %value = arith.constant 1 : i8
  // expected-error@+1 {{'memref.view' shows a row of buffer 0 of the call, which does not name this buffer}}
  %row = memref.view %ws[%n][] {memref_pool.row_of = 0 : i64} : !base to !row
  linalg.fill ins(%value : i8) outs(%row : !row)
  return
}
func.func @main(%ws: !base {memref_pool.base}) {
  %c0 = arith.constant 0 : index
  call @fill(%ws, %c0) : (!base, index) -> ()
  return
}

// -----

!base = memref<32xi8, #memref_pool.space<@ws>>
!row = memref<8xi8, #memref_pool.space<@ws>>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 32, lower_bound = 0>
memref.global "private" constant @x_rows : memref<2xi16> = dense<[0, 2]> {memref_pool.row_table = 8 : i64}

func.func private @fill(%ws: !base {memref_pool.base}, %rows: memref<2xi16>, %n: index) {
  %value = arith.constant 1 : i8
  %entry = memref.load %rows[%n] : memref<2xi16>
  %offset = arith.index_cast %entry : i16 to index
  // expected-error@+1 {{it is unknown which row of 'x' 'memref.view' shows}}
  %row = memref.view %ws[%offset][] {memref_pool.row_of = 0 : i64} : !base to !row
  linalg.fill ins(%value : i8) outs(%row : !row)
  return
}
func.func @main(%ws: !base {memref_pool.base}, %data: memref<2xi16>) {
  %c0 = arith.constant 0 : index
  %x = memref.get_global @x_rows : memref<2xi16>
  call @fill(%ws, %x, %c0) {memref_pool.row_buffers = ["x"]} : (!base, memref<2xi16>, index) -> ()
  call @fill(%ws, %data, %c0) {memref_pool.row_buffers = ["x"]} : (!base, memref<2xi16>, index) -> ()
  return
}
