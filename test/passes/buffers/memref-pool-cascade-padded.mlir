// RUN: forebay-opt %s --memref-pool-cascade="budget=ws=512 cpu=generic" | FileCheck %s
// RUN: forebay-opt %s --memref-pool-cascade="budget=ws=512" | FileCheck %s --check-prefix=PLAIN
// RUN: forebay-opt %s --memref-pool-cascade="budget=ws=360 cpu=generic" | FileCheck %s --check-prefix=PLAIN
// RUN: forebay-opt %s --memref-pool-cascade="budget=ws=min cpu=generic" | FileCheck %s --check-prefix=PLAIN

#ws = #memref_pool.space<@ws>
#id = affine_map<(y, x, c) -> (y, x, c)>
#x = affine_map<(y, x, c, ky, kx, k) -> (y + ky - 1, x + kx - 1, k)>
#w = affine_map<(y, x, c, ky, kx, k) -> (c, ky, kx, k)>

// Whole tensors take 512 + 1,024 bytes; three rows of %x and one of the result 64 * 3 + 128 = 320. A row of %x dies with its copy, so
// three padded rows and one of the result take 80 * 3 + 128 = 368: a budget of 512 bytes has room for them, and one of 360 has not.
// CHECK-LABEL: func.func @main(
// CHECK:         %[[X:.*]] = memref_pool.alloc : memref<8x8x8xi8, #memref_pool.rows<1>, #memref_pool.space<@ws>>
// CHECK:         %[[PADDED:.*]] = memref_pool.alloc : memref<10x10x8xi8, #memref_pool.rows<1>, #memref_pool.space<@ws>>
// CHECK:         scf.for
// CHECK:           memref_pool.row %[[X]]
// CHECK:           accel.reduce [10, 10, 8] at [%{{.*}}, 0, 0] sizes [1, 10, 8] ins(%[[X]] {{.*}} outs(%[[PADDED]]
// CHECK:           accel.reduce [8, 8, 16 | 3, 3, 8] at [%{{.*}}, 0, 0 | 0, 0, 0] sizes [1, 8, 16 | 3, 3, 8] ins(%[[PADDED]]
// CHECK:         } {memref_pool.by_rows}
// PLAIN-LABEL: func.func @main(
// PLAIN-NOT:     accel.reduce [10, 10, 8]
// PLAIN:         accel.reduce [8, 8, 16 | 3, 3, 8] at [%{{.*}}, 0, 0 | 0, 0, 0]
memref_pool.pool @ws workspace
memref.global "private" constant @w : memref<16x3x3x8xi8> = dense<5>
func.func @main(%in: memref<8x8x8xi8>, %out: memref<8x8x16xi8>) {
  %c3 = arith.constant 3 : i32
  %w = memref.get_global @w : memref<16x3x3x8xi8>
  %x = memref_pool.alloc : memref<8x8x8xi8, #ws>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%in : memref<8x8x8xi8>) outs(%x : memref<8x8x8xi8, #ws>) {
  ^bb0(%e: i8, %o: i8):
    linalg.yield %e : i8
  }
  %y = memref_pool.alloc : memref<8x8x16xi8, #ws>
  accel.reduce [8, 8, 16 | 3, 3, 8] ins(%x, %w : memref<8x8x8xi8, #ws>, memref<16x3x3x8xi8>)
    outs(%y : memref<8x8x16xi8, #ws>) maps [#x, #w, #id]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %x2 = arith.addi %x1, %c3 : i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x2, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %n: i32):
      %r = arith.trunci %acc : i32 to i8
      accel.yield %r : i8
    }
  memref.copy %y, %out : memref<8x8x16xi8, #ws> to memref<8x8x16xi8>
  return
}
