// RUN: forebay-opt %s --accel-share-kernels --split-input-file | FileCheck %s

#ws = #memref_pool.space<@ws>
#c0 = loc("t0"("COPY"("net.tflite":0:0)))
#c1 = loc("t1"("COPY"("net.tflite":1:0)))
#c2 = loc("t2"("COPY"("net.tflite":2:0)))
#c3 = loc("t3"("COPY"("net.tflite":3:0)))
!rows = memref<4x8xi8, #memref_pool.rows<1>, #ws>
!row = memref<8xi8, #ws>
memref_pool.pool @ws workspace

// Functions of rows are equal, too. A call stays in its loop over rows and in its guard. The functions of a guard that
// data decides and of another loop have no place in the order of calls, so they stay.
// CHECK-LABEL: memref_pool.pool @ws
// CHECK:       func.func private @copy_0
// CHECK-NOT:   func.func private @copy_1
// CHECK:       func.func private @copy_2
// CHECK:       func.func private @copy_3
func.func private @copy_0(%x: !rows, %y: !rows, %n: index) {
  %a = memref_pool.row %x[%n] : !rows to !row
  %b = memref_pool.row %y[%n] : !rows to !row
  memref.copy %a, %b : !row to !row
  return
} loc(#c0)
func.func private @copy_1(%x: !rows, %y: !rows, %n: index) {
  %a = memref_pool.row %x[%n] : !rows to !row
  %b = memref_pool.row %y[%n] : !rows to !row
  memref.copy %a, %b : !row to !row
  return
} loc(#c1)
func.func private @copy_2(%x: !rows, %y: !rows, %n: index) {
  %a = memref_pool.row %x[%n] : !rows to !row
  %b = memref_pool.row %y[%n] : !rows to !row
  memref.copy %a, %b : !row to !row
  return
} loc(#c2)
func.func private @copy_3(%x: !rows, %y: !rows, %n: index) {
  %a = memref_pool.row %x[%n] : !rows to !row
  %b = memref_pool.row %y[%n] : !rows to !row
  memref.copy %a, %b : !row to !row
  return
} loc(#c3)
// CHECK-LABEL: func.func @main
func.func @main(%data: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %x = memref_pool.alloc at_rows <@ws, [0, 8, 16, 24]> : !rows
  %y = memref_pool.alloc at_rows <@ws, [32, 40, 32, 40]> : !rows
  %z = memref_pool.alloc at_rows <@ws, [48, 56, 64, 72]> : !rows
  // CHECK: %[[X:.*]] = memref_pool.alloc at_rows <@ws, [0
  // CHECK: %[[Y:.*]] = memref_pool.alloc at_rows <@ws, [32
  // CHECK: %[[Z:.*]] = memref_pool.alloc at_rows <@ws, [48
  // CHECK: scf.for %[[T:.*]] = %c0 to %c5
  scf.for %t = %c0 to %c5 step %c1 {
    %first = arith.cmpi slt, %t, %c4 : index
    // CHECK: scf.if
    scf.if %first {
      // CHECK-NEXT: func.call @copy_0(%[[X]], %[[Y]], %[[T]])
      func.call @copy_0(%x, %y, %t) : (!rows, !rows, index) -> () loc(#c0)
    }
    %second = arith.cmpi sge, %t, %c1 : index
    // CHECK: scf.if
    scf.if %second {
      // CHECK: %[[ROW:.*]] = arith.subi %[[T]], %c1
      // CHECK-NEXT: func.call @copy_0(%[[Y]], %[[Z]], %[[ROW]])
      %n = arith.subi %t, %c1 : index
      func.call @copy_1(%y, %z, %n) : (!rows, !rows, index) -> () loc(#c1)
    }
    scf.if %data {
      // CHECK: func.call @copy_2
      func.call @copy_2(%x, %z, %c0) : (!rows, !rows, index) -> () loc(#c2)
    }
  } {memref_pool.by_rows}
  scf.for %t = %c0 to %c4 step %c1 {
    // CHECK: func.call @copy_3
    func.call @copy_3(%x, %z, %t) : (!rows, !rows, index) -> () loc(#c3)
  }
  return
}

// -----

#any = #memref_pool.space<[@fast, @slow]>
#c0 = loc("t0"("COPY"("net.tflite":0:0)))
#c1 = loc("t1"("COPY"("net.tflite":1:0)))
#c2 = loc("t2"("COPY"("net.tflite":2:0)))
!rows = memref<4x8xi8, #memref_pool.rows<1>, #any>
!row = memref<8xi8, #any>
memref_pool.pool @fast workspace
memref_pool.pool @slow workspace

// The rows of %z are in another pool than those of %x and %y.
// CHECK-LABEL: memref_pool.pool @slow workspace
// CHECK:         func.func private @fill_0
// CHECK-NOT:     func.func private @fill_1
// CHECK:         func.func private @fill_2
func.func private @fill_0(%x: !rows, %n: index) {
  %c = arith.constant 1 : i8
  %a = memref_pool.row %x[%n] : !rows to !row
  linalg.fill ins(%c : i8) outs(%a : !row)
  return
} loc(#c0)
func.func private @fill_1(%x: !rows, %n: index) {
  %c = arith.constant 1 : i8
  %a = memref_pool.row %x[%n] : !rows to !row
  linalg.fill ins(%c : i8) outs(%a : !row)
  return
} loc(#c1)
func.func private @fill_2(%x: !rows, %n: index) {
  %c = arith.constant 1 : i8
  %a = memref_pool.row %x[%n] : !rows to !row
  linalg.fill ins(%c : i8) outs(%a : !row)
  return
} loc(#c2)
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = memref_pool.alloc at_rows <@fast, [0, 8, 16, 24]> : !rows
  %y = memref_pool.alloc at_rows <@fast, [32, 40, 48, 56]> : !rows
  %z = memref_pool.alloc at_rows <@slow, [0, 8, 16, 24]> : !rows
  scf.for %t = %c0 to %c4 step %c1 {
    // CHECK: func.call @fill_0
    // CHECK: func.call @fill_0
    // CHECK: func.call @fill_2
    func.call @fill_0(%x, %t) : (!rows, index) -> () loc(#c0)
    func.call @fill_1(%y, %t) : (!rows, index) -> () loc(#c1)
    func.call @fill_2(%z, %t) : (!rows, index) -> () loc(#c2)
  } {memref_pool.by_rows}
  return
}
