// RUN: forebay-opt %s --memref-pool-check-printable --split-input-file --verify-diagnostics

func.func @main() {
  // expected-error@+1 {{'memref.alloc' has no C form; a pass must lower it first}}
  %0 = memref.alloc() : memref<4xi32>
  return
}

// -----

func.func @main(%x: i48) {
  // expected-error@+1 {{type i48 has no C form; known: i1, i8, i16, i32, i64, index, f32, f64, memref}}
  %0 = arith.addi %x, %x : i48
  return
}

// -----

func.func @main(%x: memref<65536x32768xi8>) {
  %c0 = arith.constant 0 : index
  // 65,536 x 32,768 = 2^31
  // expected-error@+1 {{memref<65536x32768xi8> has 2,147,483,648 elements; an int32_t index reaches 2,147,483,647}}
  %0 = memref.load %x[%c0, %c0] : memref<65536x32768xi8>
  return
}

// -----

func.func @main(%x: memref<4xi8>, %y: memref<4xi8>, %c: i1) {
  // expected-error@+1 {{a select between buffers has no C form; copy the chosen buffer instead}}
  %0 = arith.select %c, %x, %y : memref<4xi8>
  return
}

// -----

func.func @main(%x: memref<4xi8>, %y: memref<4xi8>, %c: i1) {
  // expected-error@+1 {{'scf.if' yields a buffer; let it write to one instead}}
  %0 = scf.if %c -> memref<4xi8> {
    scf.yield %x : memref<4xi8>
  } else {
    scf.yield %y : memref<4xi8>
  }
  return
}

// -----

func.func @main(%x: memref<8x8xi8>, %step: index) {
  // expected-error@+1 {{has a stride that is known at run time only}}
  %0 = memref.subview %x[0, 0] [4, 4] [%step, 1] : memref<8x8xi8> to memref<4x4xi8, strided<[?, 1]>>
  return
}

// -----

func.func @main() {
  // expected-error@+1 {{index 2147483648 does not fit an int32_t}}
  %0 = arith.constant 2147483648 : index
  return
}

// -----

func.func @main() {
  // expected-error@+1 {{type vector<4xi16> has no C form; known: vector<1xi8> to vector<32xi8>, vector<64xi8>, vector<4xi32>, vector<8xi32>, vector<16xi32>, vector<8xi16>, vector<16xi16>}}
  %0 = arith.constant dense<1> : vector<4xi16>
  return
}

// -----

func.func @main() {
  // expected-error@+1 {{the elements of a constant vector must be equal in C}}
  %2 = arith.constant dense<[1, 2, 3, 4, 5]> : vector<5xi8>
  return
}

// -----

func.func @main(%a: i1, %b: i1) {
  // expected-error@+1 {{'arith.minsi' on i1 has no C form; use and, or, xor or select}}
  %0 = arith.minsi %a, %b : i1
  return
}

// -----

func.func @main(%a: i1, %b: i1) {
  // expected-error@+1 {{booleans have no order in C; use and, or, xor or select}}
  %0 = arith.cmpi ult, %a, %b : i1
  return
}

// -----

func.func @main(%x: i16) {
  // expected-error@+1 {{leading zeros of i16 have no C form; extend it first}}
  %0 = math.ctlz %x : i16
  return
}

// -----

func.func @main(%m: i32) {
  %wide = vector.broadcast %m : i32 to vector<4xi32>
  %shifts = arith.constant dense<33> : vector<4xi8>
  // expected-error@+1 {{apply_scale of vectors has a C form for vector<4xi32>, vector<8xi32>, equal constants, double rounding}}
  %v = tosa.apply_scale %wide, %wide, %shifts {rounding_mode = DOUBLE_ROUND} : (vector<4xi32>, vector<4xi32>, vector<4xi8>) -> vector<4xi32>
  return
}

// -----

func.func @main(%m: i16) {
  %eight = vector.broadcast %m : i16 to vector<8xi16>
  // expected-error@+1 {{sums and products of vector<8xi16> have no C form}}
  %p = arith.muli %eight, %eight : vector<8xi16>
  return
}

// -----

func.func @main(%sums: vector<16xi32>, %x: vector<2xi8>, %w: vector<32xi8>) {
  // expected-error@+1 {{accel.dot_each has a C form for words of 4 and vector<8xi32>, vector<16xi32>}}
  %0 = accel.dot_each %sums, %x, %w : vector<16xi32>, vector<2xi8>, vector<32xi8>
  return
}

// -----

func.func @main(%sums: vector<4xi32>, %x: vector<4xi8>, %w: vector<16xi8>) {
  // expected-error@+1 {{accel.dot_each has a C form for words of 4 and vector<8xi32>, vector<16xi32>}}
  %0 = accel.dot_each %sums, %x, %w : vector<4xi32>, vector<4xi8>, vector<16xi8>
  return
}

// -----

func.func @main(%x: i32, %m: i32, %s: i8) {
  // expected-error@+1 {{rounding of apply_scale; known: SINGLE_ROUND, DOUBLE_ROUND}}
  %0 = tosa.apply_scale %x, %m, %s {rounding_mode = INEXACT_ROUND} : (i32, i32, i8) -> i32
  return
}

// -----

func.func @main(%n: index, %x: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error@+1 {{a loop that compares unsigned has no C form}}
  scf.for unsigned %i = %c0 to %x step %c1 : i32 {
  }
  return
}

// -----

func.func private @two() -> (i32, i32) {
  %c0 = arith.constant 0 : i32
  // expected-error@+1 {{a C function returns one number at most; pass buffers to write to}}
  return %c0, %c0 : i32, i32
}

// -----

accel.device @npu kind "npu"
accel.intrinsic @npu.run on @npu symbol "run" operands [#accel.operand<name = "y", access = out>]

func.func @main(%y: memref<2x4xi8, strided<[8, 1]>>) {
  // expected-error@+1 {{an intrinsic gets the address of contiguous memory, but memref<2x4xi8, strided<[8, 1]>> is not}}
  accel.call @npu.run outs(%y : memref<2x4xi8, strided<[8, 1]>>)
  return
}

// -----

accel.device @npu kind "npu"
accel.intrinsic @npu.run on @npu symbol "npu_run" operands [#accel.operand<name = "y", access = out>]
func.func private @run(%y: memref<4xi8>) -> i32 {
  accel.call @npu.run outs(%y : memref<4xi8>)
  %zero = arith.constant 0 : i32
  // expected-error@+1 {{@run issues device commands, so it returns the device's status and cannot return a number; pass it a buffer to write to}}
  return %zero : i32
}

// -----

// The application hands in the rows of %x one by one.
func.func @main(%x: memref<4x8xi8> {memref_pool.row_source}, %out: memref<4x8xi8>) {
  // expected-error@+1 {{the application hands in the rows of this input one by one, so that only a copy of one row may read it, not 'memref.copy'}}
  memref.copy %x, %out : memref<4x8xi8> to memref<4x8xi8>
  return
}

// -----

func.func @main(%x: memref<4x8xi8> {memref_pool.row_source}, %out: memref<2x8xi8>) {
  // expected-error@+1 {{only a copy of one row may read it, not 'memref.subview'}}
  %two = memref.subview %x[0, 0] [2, 8] [1, 1] : memref<4x8xi8> to memref<2x8xi8, strided<[8, 1]>>
  memref.copy %two, %out : memref<2x8xi8, strided<[8, 1]>> to memref<2x8xi8>
  return
}

// -----

func.func @main(%x: memref<4x8xi8> {memref_pool.row_source}, %out: memref<1x16xi8>) {
  %row = memref.subview %x[2, 0] [1, 8] [1, 1] : memref<4x8xi8> to memref<1x8xi8, strided<[8, 1], offset: 16>>
  %half = memref.subview %out[0, 0] [1, 8] [1, 2] : memref<1x16xi8> to memref<1x8xi8, strided<[16, 2]>>
  // expected-error@+1 {{only a copy of one row may read it, not 'memref.copy'}}
  memref.copy %row, %half : memref<1x8xi8, strided<[8, 1], offset: 16>> to memref<1x8xi8, strided<[16, 2]>>
  return
}

// -----

func.func @main(%x: memref<4x8xi8> {memref_pool.row_source}, %i: index) -> i8 {
  // expected-error@+1 {{only a copy of one row may read it, not 'memref.load'}}
  %0 = memref.load %x[%i, %i] : memref<4x8xi8>
  return %0 : i8
}

// -----

func.func @main(%m: f32) {
  %eight = vector.broadcast %m : f32 to vector<8xf32>
  // expected-error@+1 {{arith.subf of vector<8xf32> has no C form}}
  %p = arith.subf %eight, %eight : vector<8xf32>
  return
}

// -----

func.func @main(%m: f32) {
  %eight = vector.broadcast %m : f32 to vector<8xf32>
  %limit = arith.constant dense<-0.0> : vector<8xf32>
  // expected-error@+1 {{arith.maximumf of vector<8xf32> has no C form}}
  %p = arith.maximumf %eight, %limit : vector<8xf32>
  return
}

// -----

func.func @f(%a: vector<32xi8>) {
  // expected-error@+1 {{'arith.maxsi' has a C form on numbers, and on signed vector<4xi8> to vector<16xi8>}}
  %0 = arith.maxsi %a, %a : vector<32xi8>
  return
}

// -----

func.func @f(%b: vector<16xi8>) {
  %0 = arith.minsi %b, %b : vector<16xi8>
  // expected-error@+1 {{'arith.maxui' has a C form on numbers, and on signed vector<4xi8> to vector<16xi8>}}
  %1 = arith.maxui %b, %b : vector<16xi8>
  return
}
