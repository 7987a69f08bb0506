// RUN: forebay-opt %s --accel-outline-operators --canonicalize | FileCheck %s

#sram = #memref_pool.space<@sram>
#id = affine_map<(d0) -> (d0)>
#relu = loc("act"("RELU"("net.tflite":0:0)))
#copy = loc("copied"("CONCATENATION"("net.tflite":1:0)))

memref_pool.pool @sram workspace

// A loop and its branches that come from no operator stay; each operator inside has a function that takes the number of
// the row. Rows of the buffers are taken inside of it.
// CHECK-LABEL: func.func private @relu_0(
// CHECK-SAME:    %[[X:.*]]: memref<4x8xi8, #memref_pool.rows<1>, #memref_pool.space<@sram>>, %[[Y:.*]]: index) {
// CHECK:         %[[ROW:.*]] = memref_pool.row %[[X]][%[[Y]]]
// CHECK:         linalg.generic {{.*}} outs(%[[ROW]] : memref<8xi8
// CHECK-LABEL: func.func private @concatenation_1(
// CHECK-SAME:    %[[X:arg0]]: memref<4x8xi8, #memref_pool.rows<1>, #memref_pool.space<@sram>>, %[[Y:arg1]]: index, %[[Z:arg2]]: memref<4x16xi8, #memref_pool.rows<1>, #memref_pool.space<@sram>>) {
// CHECK:         memref_pool.row
// CHECK:         memref.subview
// CHECK:         memref.copy
// CHECK-LABEL: func.func @main() {
func.func @main() {
  %zero = arith.constant 0 : i8
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %x = memref_pool.alloc : memref<4x8xi8, #memref_pool.rows<1>, #sram>
  %z = memref_pool.alloc : memref<4x16xi8, #memref_pool.rows<1>, #sram>
  // CHECK: scf.for %[[T:.*]] = %c0 to %c5
  scf.for %t = %c0 to %c5 step %c1 {
    %now = arith.cmpi slt, %t, %c5 : index
    // CHECK: scf.if
    scf.if %now {
      // CHECK-NEXT: func.call @relu_0(%{{.*}}, %[[T]])
      // CHECK-NEXT: }
      %0 = memref_pool.row %x[%t] : memref<4x8xi8, #memref_pool.rows<1>, #sram> to memref<8xi8, #sram> loc(#relu)
      linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%0 : memref<8xi8, #sram>) {
      ^bb0(%o: i8):
        %m = arith.maxsi %o, %zero : i8
        linalg.yield %m : i8
      } loc(#relu)
    }
    %late = arith.cmpi sge, %t, %c1 : index
    // CHECK: scf.if
    scf.if %late {
      // CHECK: %[[ROW:.*]] = arith.subi %[[T]], %c1
      // CHECK-NEXT: func.call @concatenation_1(%{{.*}}, %[[ROW]], %{{.*}})
      %y = arith.subi %t, %c1 : index
      %1 = memref_pool.row %z[%y] : memref<4x16xi8, #memref_pool.rows<1>, #sram> to memref<16xi8, #sram> loc(#copy)
      %2 = memref.subview %1[8] [8] [1] : memref<16xi8, #sram> to memref<8xi8, strided<[1], offset: 8>, #sram> loc(#copy)
      %3 = memref_pool.row %x[%y] : memref<4x8xi8, #memref_pool.rows<1>, #sram> to memref<8xi8, #sram> loc(#copy)
      memref.copy %3, %2 : memref<8xi8, #sram> to memref<8xi8, strided<[1], offset: 8>, #sram> loc(#copy)
    }
  }
  return
}
