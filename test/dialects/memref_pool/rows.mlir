// RUN: forebay-opt %s | forebay-opt | FileCheck %s
// RUN: forebay-opt %s --mlir-print-op-generic | forebay-opt | FileCheck %s
// RUN: forebay-opt %s --canonicalize --cse | FileCheck %s --check-prefix=KEPT

memref_pool.pool @sram workspace

// CHECK-LABEL: func.func @rows
func.func @rows(%y: index) {
  // A buffer of one memref per row: 4 rows of 8 bytes, in two places by turns.
  // CHECK: memref_pool.alloc at_rows <@sram, [0, 8, 0, 8]> : memref<4x8xi8, #memref_pool.rows<1>, #memref_pool.space<@sram>>
  %a = memref_pool.alloc at_rows <@sram, [0, 8, 0, 8]> : memref<4x8xi8, #memref_pool.rows<1>, #memref_pool.space<@sram>>
  // CHECK: memref_pool.alloc align 4 pinned_rows <@sram, [32, 16]> at_rows <@sram, [32, 16]> : memref<1x2x3xi32, #memref_pool.rows<2>
  %b = memref_pool.alloc align 4 pinned_rows <@sram, [32, 16]> at_rows <@sram, [32, 16]> : memref<1x2x3xi32, #memref_pool.rows<2>, #memref_pool.space<@sram>>
  // CHECK: %[[ROW:.*]] = memref_pool.row %{{.*}}[%{{.*}}] : memref<4x8xi8, #memref_pool.rows<1>, #memref_pool.space<@sram>> to memref<8xi8, #memref_pool.space<@sram>>
  %0 = memref_pool.row %a[%y] : memref<4x8xi8, #memref_pool.rows<1>, #memref_pool.space<@sram>> to memref<8xi8, #memref_pool.space<@sram>>
  // KEPT: memref_pool.row %{{.*}}[0, %{{.*}}]
  // CHECK: memref_pool.row %{{.*}}[0, %{{.*}}] : memref<1x2x3xi32, #memref_pool.rows<2>, #memref_pool.space<@sram>> to memref<3xi32, #memref_pool.space<@sram>>
  %1 = memref_pool.row %b[0, %y] : memref<1x2x3xi32, #memref_pool.rows<2>, #memref_pool.space<@sram>> to memref<3xi32, #memref_pool.space<@sram>>
  // CHECK: memref_pool.row %{{.*}}[0, 1] : memref<1x2x3xi32
  %2 = memref_pool.row %b[0, 1] : memref<1x2x3xi32, #memref_pool.rows<2>, #memref_pool.space<@sram>> to memref<3xi32, #memref_pool.space<@sram>>
  // CHECK: memref.copy %[[ROW]], %[[ROW]]
  memref.copy %0, %0 : memref<8xi8, #memref_pool.space<@sram>> to memref<8xi8, #memref_pool.space<@sram>>
  memref.copy %1, %2 : memref<3xi32, #memref_pool.space<@sram>> to memref<3xi32, #memref_pool.space<@sram>>
  return
}

// The operands of a box are the whole buffers, rows or not; the maps are those of the logical buffers.
// CHECK-LABEL: func.func @reduce
func.func @reduce(%y: index, %in: memref<5x8xi8, #memref_pool.rows<1>, #memref_pool.space<@sram>>,
                  %out: memref<4x8xi8, #memref_pool.rows<1>, #memref_pool.space<@sram>>) {
  // CHECK: accel.reduce [4, 8 | 2] at [%{{.*}}, 0 | 0] sizes [1, 8 | 2] ins(%{{.*}} : memref<5x8xi8, #memref_pool.rows<1>, #memref_pool.space<@sram>>) outs(%{{.*}} : memref<4x8xi8, #memref_pool.rows<1>, #memref_pool.space<@sram>>)
  accel.reduce [4, 8 | 2] at [%y, 0 | 0] sizes [1, 8 | 2]
    ins(%in : memref<5x8xi8, #memref_pool.rows<1>, #memref_pool.space<@sram>>)
    outs(%out : memref<4x8xi8, #memref_pool.rows<1>, #memref_pool.space<@sram>>)
    maps [affine_map<(y, c, k) -> (y + k, c)>, affine_map<(y, c) -> (y, c)>]
    init {
      %least = arith.constant -128 : i8
      accel.yield %least : i8
    } body {
    ^bb0(%most: i8, %x: i8):
      %next = arith.maxsi %most, %x : i8
      accel.yield %next : i8
    } finish {
    ^bb0(%most: i8, %count: i32):
      accel.yield %most : i8
    }
  return
}
