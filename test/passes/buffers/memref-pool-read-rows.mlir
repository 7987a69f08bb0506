// RUN: forebay-opt %s --memref-pool-read-rows | FileCheck %s
// RUN: forebay-opt %s --memref-pool-read-rows --memref-pool-cascade | FileCheck %s --check-prefix=LOOP

// The copy is in front of the first reader, and the argument is in no pool.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: memref<8x8xi8> {accel.name = "image", memref_pool.row_source}
// CHECK: linalg.fill
// CHECK: %[[A:.*]] = memref_pool.alloc : memref<8x8xi8, #memref_pool.space<@ws>>
// CHECK-NEXT: memref.copy %[[X]], %[[A]]
// CHECK-NEXT: linalg.generic {{.*}} ins(%[[A]] :

// Without a budget too, one loop reads and uses the rows. The pool has no capacity, and gets none.
// LOOP: memref_pool.pool @ws workspace{{$}}
// LOOP: %[[A:.*]] = memref_pool.alloc : memref<8x8xi8, #memref_pool.rows<1>, #memref_pool.space<@ws>>
// LOOP: scf.for %[[T:.*]] = %{{.*}} to %c8
// LOOP-NEXT: %[[ROW:.*]] = memref.subview %{{.*}}[%[[T]], 0] [1, 8] [1, 1] : memref<8x8xi8>
// LOOP: memref.copy %[[ROW]]
// LOOP: linalg.generic
#s = #memref_pool.space<@ws>
#id = affine_map<(y, x) -> (y, x)>
memref_pool.pool @ws workspace
func.func @main(%x: memref<8x8xi8, #s> {accel.name = "image", memref_pool.row_source},
                %one: memref<8xi8> {bufferize.result}, %out: memref<8x8xi8> {bufferize.result}) {
  %c0 = arith.constant 0 : i8
  linalg.fill ins(%c0 : i8) outs(%one : memref<8xi8>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x8xi8, #s>) outs(%out : memref<8x8xi8>) {
  ^bb0(%in: i8, %o: i8):
    linalg.yield %in : i8
  }
  return
}
