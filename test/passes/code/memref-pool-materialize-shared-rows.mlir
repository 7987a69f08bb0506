// RUN: forebay-opt %s --memref-pool-materialize | FileCheck %s
// RUN: forebay-opt %s --memref-pool-materialize --memref-pool-verify-plan

#ws = #memref_pool.space<@ws>
!rows = memref<4x8xi8, #memref_pool.rows<1>, #ws>
!row = memref<8xi8, #ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 131104, lower_bound = 0>

// The places of %x and of %y differ, so @copy takes a table, also for %y, whose places have a constant distance. Both
// have one unit, so that 131096 fits 16 bits. The places of %x and %same are equal, so @fill takes no table. All row
// numbers 3 are at one place.
// CHECK-DAG: memref.global "private" constant @[[Y:.*]] : memref<4xi16> = dense<[4, 5, 6, 7]> {memref_pool.row_table = 8 : i64}
// CHECK-DAG: memref.global "private" constant @[[Z:.*]] : memref<4xi16> = dense<[0, 2, 16387, 7]> {memref_pool.row_table = 8 : i64}
// CHECK-DAG: memref.global "private" constant @[[X:.*]] : memref<4xi16> = dense<[0, 8, 24, 56]> {memref_pool.row_table = 1 : i64}

// CHECK: func.func private @copy(%[[WS:.*]]: memref<131104xi8, #memref_pool.space<@ws>> {memref_pool.base}, %[[IN:.*]]: memref<4xi16> {memref_pool.row_table = 8 : i64}, %[[N:.*]]: index) {
func.func private @copy(%x: !rows, %n: index, %y: !rows) {
  // CHECK: %[[ENTRY:.*]] = memref.load %[[IN]][%[[N]]] : memref<4xi16>
  // CHECK: %[[INDEX:.*]] = arith.index_cast %[[ENTRY]] : i16 to index
  // CHECK: %[[C8:.*]] = arith.constant 8 : index
  // CHECK: %[[OFFSET:.*]] = arith.muli %[[INDEX]], %[[C8]]
  // CHECK: memref.view %[[WS]][%[[OFFSET]]][] {memref_pool.row_of = 0 : i64}
  %a = memref_pool.row %x[%n] : !rows to !row
  // CHECK: %[[C56:.*]] = arith.constant 56 : index
  // CHECK: memref.view %[[WS]][%[[C56]]][] {memref_pool.row_number = 3 : i64, memref_pool.row_of = 0 : i64}
  %b = memref_pool.row %x[3] : !rows to !row
  // CHECK: arith.constant 88 : index
  // CHECK: memref.view %{{.*}} {memref_pool.row_number = 2 : i64, memref_pool.row_of = 1 : i64}
  %c = memref_pool.row %y[2] : !rows to !row
  memref.copy %a, %c : !row to !row
  memref.copy %b, %c : !row to !row
  return
}

// A function whose rows have equal places in both buffers takes no table.
// CHECK: func.func private @fill(%[[WS:.*]]: memref<131104xi8, #memref_pool.space<@ws>> {memref_pool.base}, %{{.*}}: index) {
// CHECK:   memref.get_global @[[X]] : memref<4xi16>
// CHECK:   memref.view %{{.*}} {memref_pool.row_of = 0 : i64}
func.func private @fill(%x: !rows, %n: index) {
  %c1 = arith.constant 1 : i8
  %a = memref_pool.row %x[%n] : !rows to !row
  linalg.fill ins(%c1 : i8) outs(%a : !row)
  return
}

// CHECK: func.func @main(%[[WS:.*]]: memref<131104xi8, #memref_pool.space<@ws>> {memref_pool.base}) {
func.func @main() {
  %c1 = arith.constant 1 : i8
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %x = memref_pool.alloc at_rows <@ws, [0, 8, 24, 56]> : !rows loc("x")
  scf.for %t = %c0 to %c4 step %one {
    // CHECK: call @fill(%[[WS]], %{{.*}}) {memref_pool.row_buffers = ["x"]}
    func.call @fill(%x, %t) : (!rows, index) -> ()
  } {memref_pool.by_rows}
  %same = memref_pool.alloc at_rows <@ws, [0, 8, 24, 56]> : !rows loc("same")
  %y = memref_pool.alloc at_rows <@ws, [32, 40, 48, 56]> : !rows loc("y")
  %z = memref_pool.alloc at_rows <@ws, [0, 16, 131096, 56]> : !rows loc("z")
  %u = memref_pool.alloc at_rows <@ws, [64, 72, 88, 96]> : !rows loc("u")
  %v = memref_pool.alloc at_rows <@ws, [72, 80, 88, 104]> : !rows loc("v")
  scf.for %t = %c0 to %c4 step %one {
    // CHECK: call @fill(%[[WS]], %{{.*}}) {memref_pool.row_buffers = ["same"]}
    func.call @fill(%same, %t) : (!rows, index) -> ()
  } {memref_pool.by_rows}
  scf.for %t = %c0 to %c4 step %one {
    %a = memref_pool.row %y[%t] : !rows to !row
    linalg.fill ins(%c1 : i8) outs(%a : !row)
  } {memref_pool.by_rows}
  scf.for %t = %c0 to %c4 step %one {
    // CHECK: %[[TABLE:.*]] = memref.get_global @[[Y]] : memref<4xi16>
    // CHECK: call @copy(%[[WS]], %[[TABLE]], %{{.*}}) {memref_pool.row_buffers = ["y", "u"]}
    func.call @copy(%y, %t, %u) : (!rows, index, !rows) -> ()
  } {memref_pool.by_rows}
  scf.for %t = %c0 to %c4 step %one {
    %a = memref_pool.row %z[%t] : !rows to !row
    linalg.fill ins(%c1 : i8) outs(%a : !row)
  } {memref_pool.by_rows}
  scf.for %t = %c0 to %c4 step %one {
    // CHECK: %[[TABLE:.*]] = memref.get_global @[[Z]] : memref<4xi16>
    // CHECK: call @copy(%[[WS]], %[[TABLE]], %{{.*}}) {memref_pool.row_buffers = ["z", "v"]}
    func.call @copy(%z, %t, %v) : (!rows, index, !rows) -> ()
  } {memref_pool.by_rows}
  return
}
