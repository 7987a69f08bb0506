// RUN: forebay-opt %s --memref-pool-materialize | FileCheck %s

#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace

// The places of %ring are irregular: a table, which both readers share. The others need none.
// CHECK: memref.global "private" constant @buffer_rows : memref<4xi16> = dense<[0, 16, 40, 0]> {memref_pool.row_table = 1 : i64}
// CHECK-NOT: memref.global

// CHECK: func.func private @reader(%[[WS:.*]]: memref<96xi8, #memref_pool.space<@ws>> {memref_pool.base}, %[[Y:.*]]: index) {
func.func private @reader(%x: memref<1x4x8xi8, #memref_pool.rows<2>, #ws>, %y: index) {
  // CHECK: %[[TABLE:.*]] = memref.get_global @buffer_rows : memref<4xi16>
  // CHECK: %[[ENTRY:.*]] = memref.load %[[TABLE]][%[[Y]]] : memref<4xi16>
  // CHECK: %[[OFFSET:.*]] = arith.index_cast %[[ENTRY]] : i16 to index
  // CHECK: %[[ROW:.*]] = memref.view %[[WS]][%[[OFFSET]]][] {memref_pool.row_of = "buffer"} : memref<96xi8, #memref_pool.space<@ws>> to memref<8xi8, #memref_pool.space<@ws>>
  // CHECK: memref.copy %[[ROW]], %[[ROW]]
  %0 = memref_pool.row %x[0, %y] : memref<1x4x8xi8, #memref_pool.rows<2>, #ws> to memref<8xi8, #ws>
  memref.copy %0, %0 : memref<8xi8, #ws> to memref<8xi8, #ws>
  return
}

// CHECK: func.func @main(%[[WS:.*]]: memref<96xi8, #memref_pool.space<@ws>> {memref_pool.base}, %[[Y:.*]]: index) {
func.func @main(%y: index) {
  // CHECK-NOT: memref_pool.alloc
  %irregular = memref_pool.alloc at_rows <@ws, [0, 16, 40, 0]> : memref<1x4x8xi8, #memref_pool.rows<2>, #ws>
  %stride = memref_pool.alloc at_rows <@ws, [24, 16, 8]> : memref<3x8xi8, #memref_pool.rows<1>, #ws>
  %ring = memref_pool.alloc at_rows <@ws, [56, 64, 56, 64]> : memref<2x2x8xi8, #memref_pool.rows<2>, #ws>
  %one = memref_pool.alloc at_rows <@ws, [88, 88, 88]> : memref<3x8xi8, #memref_pool.rows<1>, #ws>

  // CHECK: call @reader(%[[WS]], %[[Y]])
  func.call @reader(%irregular, %y) : (memref<1x4x8xi8, #memref_pool.rows<2>, #ws>, index) -> ()

  // A constant index is a constant offset.
  // CHECK: %[[C40:.*]] = arith.constant 40 : index
  // CHECK: memref.view %[[WS]][%[[C40]]][] {memref_pool.row_number = 2 : i64, memref_pool.row_of = "buffer"}
  %0 = memref_pool.row %irregular[0, 2] : memref<1x4x8xi8, #memref_pool.rows<2>, #ws> to memref<8xi8, #ws>

  // CHECK: %[[STEP:.*]] = arith.constant -8 : index
  // CHECK: %[[BACK:.*]] = arith.muli %[[Y]], %[[STEP]] overflow<nsw>
  // CHECK: %[[START:.*]] = arith.constant 24 : index
  // CHECK: %[[OFFSET:.*]] = arith.addi %[[BACK]], %[[START]] overflow<nsw>
  // CHECK: memref.view %[[WS]][%[[OFFSET]]][] {memref_pool.row_of = "buffer_2"}
  %1 = memref_pool.row %stride[%y] : memref<3x8xi8, #memref_pool.rows<1>, #ws> to memref<8xi8, #ws>

  // Row [%y, 1] of 2x2 rows is number %y * 2 + 1, in a ring of two.
  // CHECK: %[[TWICE:.*]] = arith.muli %[[Y]], %{{.*}} overflow<nsw>
  // CHECK: %[[NUMBER:.*]] = arith.addi %[[TWICE]], %{{.*}} overflow<nsw>
  // CHECK: %[[SLOT:.*]] = arith.remui %[[NUMBER]], %{{.*}}
  // CHECK: arith.muli %[[SLOT]], %{{.*}} overflow<nsw>
  %2 = memref_pool.row %ring[%y, 1] : memref<2x2x8xi8, #memref_pool.rows<2>, #ws> to memref<8xi8, #ws>

  // All rows have one place; the row's number stays in the factor.
  // CHECK: %[[ZERO:.*]] = arith.muli %[[Y]], %c0{{.*}} overflow<nsw>
  // CHECK: %[[C88:.*]] = arith.constant 88 : index
  // CHECK: %[[OFFSET:.*]] = arith.addi %[[ZERO]], %[[C88]]
  // CHECK: memref.view %[[WS]][%[[OFFSET]]][] {memref_pool.row_of = "buffer_4"}
  %3 = memref_pool.row %one[%y] : memref<3x8xi8, #memref_pool.rows<1>, #ws> to memref<8xi8, #ws>
  memref.copy %0, %1 : memref<8xi8, #ws> to memref<8xi8, #ws>
  memref.copy %2, %3 : memref<8xi8, #ws> to memref<8xi8, #ws>
  return
}
