// RUN: forebay-opt %s --split-input-file --accel-pad-sources | FileCheck %s

#ws = #memref_pool.space<@ws>
#x = affine_map<(y, x, c, ky, kx, k) -> (y + ky - 1, x + kx - 1, k)>
#w = affine_map<(y, x, c, ky, kx, k) -> (c, ky, kx, k)>
#p = affine_map<(y, x, c) -> (c)>
#o = affine_map<(y, x, c) -> (y, x, c)>

// The copy has the zero point around the source. The bias takes 3 * the sum of 72 weights. %x is not live beside %y, so the copy
// takes no bytes.
// CHECK-DAG:   #[[FROM:.*]] = affine_map<(d0, d1, d2) -> (d0 - 1, d1 - 1, d2)>
// CHECK-DAG:   #[[TO:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG:   #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 + d3, d1 + d4, d5)>
// CHECK:       memref.global "private" constant @b : memref<16xi32> = dense<1085>
// CHECK-LABEL: func.func @conv(
// CHECK:         %[[COPY:.*]] = memref_pool.alloc : memref<10x10x8xi8, #memref_pool.space<@ws>>
// CHECK:         accel.reduce [10, 10, 8] ins(%{{.*}}) outs(%[[COPY]] {{.*}} maps [#[[FROM]], #[[TO]]] init {
// CHECK-NEXT:      %[[ZERO:.*]] = arith.constant -3 : i8
// CHECK-NEXT:      accel.yield %[[ZERO]]
// CHECK:         accel.reduce [8, 8, 16 | 3, 3, 8] ins(%[[COPY]], {{.*}} maps [#[[X]], #{{.*}}
// CHECK-NOT:     arith.addi %{{.*}}, %c3
// CHECK:         return
memref_pool.pool @ws workspace
memref.global "private" constant @w : memref<16x3x3x8xi8> = dense<5>
memref.global "private" constant @b : memref<16xi32> = dense<5>
func.func @conv(%in: memref<8x8x8xi8>, %out: memref<8x8x16xi8>) {
  %c3 = arith.constant 3 : i32
  %w = memref.get_global @w : memref<16x3x3x8xi8>
  %b = memref.get_global @b : memref<16xi32>
  %x = memref_pool.alloc : memref<8x8x8xi8, #ws>
  memref.copy %in, %x : memref<8x8x8xi8> to memref<8x8x8xi8, #ws>
  %y = memref_pool.alloc : memref<8x8x16xi8, #ws>
  accel.reduce [8, 8, 16 | 3, 3, 8] ins(%x, %w : memref<8x8x8xi8, #ws>, memref<16x3x3x8xi8>) params(%b : memref<16xi32>)
    outs(%y : memref<8x8x16xi8, #ws>) maps [#x, #w, #p, #o]
    init {
    ^bb0(%b0: i32):
      accel.yield %b0 : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %x2 = arith.addi %x1, %c3 : i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x2, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %n: i32, %b0: i32):
      %r = arith.trunci %acc : i32 to i8
      accel.yield %r : i8
    }
  memref.copy %y, %out : memref<8x8x16xi8, #ws> to memref<8x8x16xi8>
  %z = memref_pool.alloc : memref<8x8x32xi8, #ws>
  memref.copy %z, %z : memref<8x8x32xi8, #ws> to memref<8x8x32xi8, #ws>
  return
}
