// RUN: forebay-opt %s --split-input-file --memref-pool-cascade=budget=ws=min | FileCheck %s
// RUN: forebay-opt %s --split-input-file --memref-pool-cascade=budget=ws=96 | FileCheck %s --check-prefix=WHOLE

// A window of 3 rows with stride 2 behind a pointwise operator. Whole tensors: 8 * 8 bytes and 3 * 8 bytes. As rows, 3
// rows of the first and one of the second are live, and the first two results: 3 * 8 + 3 * 8 = 48 bytes.
// CHECK: memref_pool.pool @ws workspace capacity 48
// WHOLE: memref_pool.pool @ws workspace capacity 96
memref_pool.pool @ws workspace

#s = #memref_pool.space<@ws>
#id = affine_map<(y, x) -> (y, x)>

// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = memref_pool.alloc : memref<8x8xi8, #memref_pool.rows<1>, #memref_pool.space<@ws>>
// CHECK: scf.for %[[T:.*]] = %{{.*}} to %c8{{.*}} step %{{.*}} {
// CHECK: %[[E:.*]] = memref_pool.row %[[A]][%[[T]]]
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : memref<1x8xi8
// CHECK: %[[U:.*]] = arith.subi %[[T]], %c2
// CHECK: arith.cmpi sge, %[[U]], %c0
// CHECK: arith.remsi %[[U]], %c2
// CHECK: scf.if
// CHECK-NEXT: %[[TWO:.*]] = arith.constant 2
// CHECK-NEXT: %[[Y:.*]] = arith.divsi %[[U]], %[[TWO]]
// CHECK-NEXT: accel.reduce [3, 8 | 3] at [%[[Y]], 0 | 0] sizes [1, 8 | 3] ins(%[[A]] :
// CHECK: } {memref_pool.by_rows}
// WHOLE-LABEL: func.func @main
// WHOLE-NOT: scf.for
// WHOLE: accel.reduce [3, 8 | 3] ins
func.func @main(%x: memref<8x8xi8>, %out: memref<3x8xi8, #s> {bufferize.result}) {
  %a = memref_pool.alloc : memref<8x8xi8, #s>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<8x8xi8>) outs(%a : memref<8x8xi8, #s>) {
  ^bb0(%in: i8, %o: i8):
    linalg.yield %in : i8
  }
  accel.reduce [3, 8 | 3] ins(%a : memref<8x8xi8, #s>) outs(%out : memref<3x8xi8, #s>)
    maps [affine_map<(y, x, k) -> (y * 2 + k, x)>, affine_map<(y, x) -> (y, x)>]
    init { %z = arith.constant 0 : i32  accel.yield %z : i32 }
    body { ^bb0(%sum: i32, %e: i8):  %w = arith.extsi %e : i8 to i32  %n = arith.addi %sum, %w : i32
      accel.yield %n : i32 }
    finish { ^bb0(%sum: i32, %count: i32):  %t = arith.trunci %sum : i32 to i8  accel.yield %t : i8 }
  return
}

// -----

memref_pool.pool @ws workspace
memref_pool.pool @other workspace

#s = #memref_pool.space<@ws>
#both = #memref_pool.space<[@ws, @other]>
#id = affine_map<(y, x) -> (y, x)>

// The result may be in another pool than the operand, which a function takes in @ws. So the operand keeps its buffer.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = memref_pool.alloc : memref<4x8xi8, {{.*}}#memref_pool.space<@ws>>
// CHECK: call @fill(%[[A]])
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : memref<{{[14]}}x8xi8, {{.*}}#memref_pool.space<[@ws, @other]>
// WHOLE-LABEL: func.func @main
func.func private @fill(memref<4x8xi8, #s>)
func.func @main(%out: memref<4x8xi8, #both> {bufferize.result}) {
  %a = memref_pool.alloc : memref<4x8xi8, #s>
  call @fill(%a) : (memref<4x8xi8, #s>) -> ()
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<4x8xi8, #s>) outs(%out : memref<4x8xi8, #both>) {
  ^bb0(%in: i8, %o: i8):
    linalg.yield %in : i8
  }
  return
}
