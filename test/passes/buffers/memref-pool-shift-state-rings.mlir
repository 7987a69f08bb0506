// RUN: forebay-opt %s --memref-pool-shift-state --split-input-file | FileCheck %s
// RUN: forebay-opt %s --memref-pool-shift-state=smallest=true --split-input-file | FileCheck %s --check-prefix SMALLEST

// The state has 4 columns, and the only reader adds up all of them: the new column replaces the oldest one.
// SMALLEST-NOT: memref_pool.ring
// SMALLEST-NOT: remui

#window = affine_map<(f, m) -> (f, m)>
#out = affine_map<(f) -> (f)>
memref_pool.pool @ws workspace
memref_pool.pool @flash constant
memref_pool.pool @kept state

// The weights of columns 0 to 2 are there once more.
// CHECK:       memref.global "private" constant @w : memref<2x7xi8, #memref_pool.space<@flash>>
// CHECK-SAME{LITERAL}: = dense<[[1, 2, 3, 4, 1, 2, 3], [5, 6, 7, 8, 5, 6, 7]]>
// CHECK-SAME:  {accel.model_shape = array<i64: 2, 4>, accel.repeated}
// CHECK-NOT:   constant @w
memref.global "private" constant @w : memref<2x4xi8, #memref_pool.space<@flash>> = dense<[[1, 2, 3, 4], [5, 6, 7, 8]]>

// The position is a variable of its own.
// CHECK:       memref.global "private" @position : memref<1xi32, #memref_pool.space<@kept>>
// CHECK-NEXT:  memref.global "private" @s : memref<8xi8, #memref_pool.space<@kept>>
// CHECK-SAME:  {memref_pool.ring = array<i64: 2, 4, 1, 1>, memref_pool.ring_position = @position}
memref.global "private" @s : memref<8xi8, #memref_pool.space<@kept>>

// CHECK-LABEL: func.func @main
// CHECK:         %[[S:.*]] = memref.get_global @s
// CHECK-NEXT:    %[[RING:.*]] = memref.expand_shape %[[S]] {{.*}} into memref<2x4xi8, #memref_pool.space<@kept>>
// CHECK:         %[[AT:.*]] = memref.get_global @position
// CHECK:         %[[STORED:.*]] = memref.load %[[AT]][%[[ZERO:.*]]] {memref_pool.position}
// CHECK-NEXT:    %[[P:.*]] = arith.remui %[[STORED]], %[[PERIOD:.*]] : i32
// CHECK-NEXT:    %[[NEXT:.*]] = arith.addi %[[P]], %{{.*}} : i32
// CHECK-NEXT:    %[[WRAPPED:.*]] = arith.remui %[[NEXT]], %[[PERIOD]] : i32
// CHECK-NEXT:    memref.store %[[WRAPPED]], %[[AT]][%[[ZERO]]]
// CHECK:         %[[NEW:.*]] = arith.index_cast %[[P]] : i32 to index
// CHECK:         %[[FIRST:.*]] = arith.subi %c3, %[[NEW]] : index
// CHECK-NOT:     memref_pool.copy
// CHECK:         %[[COLUMN:.*]] = memref.subview %[[RING]][0, %[[NEW]]] [2, 1] [1, 1]
// CHECK-NEXT:    memref.copy %{{.*}}, %[[COLUMN]]
// CHECK:         %[[W:.*]] = memref.get_global @w : memref<2x7xi8
// CHECK-NEXT:    %[[PART:.*]] = memref.subview %[[W]][0, %[[FIRST]]] [2, 4] [1, 1]
// CHECK-SAME:      to memref<2x4xi8, strided<[7, 1], offset: ?>
// CHECK-NEXT:    accel.reduce [2 | 4] ins(%[[RING]], %[[PART]] :
// CHECK-NOT:     memref_pool.copy
// CHECK:         return
func.func @main(%x: memref<2x1xi8>, %y: memref<2xi32> {bufferize.result}) {
  %s = memref.get_global @s : memref<8xi8, #memref_pool.space<@kept>>
  %weights = memref.get_global @w : memref<2x4xi8, #memref_pool.space<@flash>>
  %zero = arith.constant 0 : i32
  %e = memref.expand_shape %s [[0, 1]] output_shape [2, 4] : memref<8xi8, #memref_pool.space<@kept>> into memref<2x4xi8, #memref_pool.space<@kept>>
  %kept = memref.subview %e[0, 1] [2, 3] [1, 1] : memref<2x4xi8, #memref_pool.space<@kept>> to memref<2x3xi8, strided<[4, 1], offset: 1>, #memref_pool.space<@kept>>
  %w = memref_pool.alloc : memref<2x4xi8, #memref_pool.space<@ws>>
  %old = memref.subview %w[0, 0] [2, 3] [1, 1] : memref<2x4xi8, #memref_pool.space<@ws>> to memref<2x3xi8, strided<[4, 1]>, #memref_pool.space<@ws>>
  memref_pool.copy %kept into %old : memref<2x3xi8, strided<[4, 1], offset: 1>, #memref_pool.space<@kept>>, memref<2x3xi8, strided<[4, 1]>, #memref_pool.space<@ws>>
  %new = memref.subview %w[0, 3] [2, 1] [1, 1] : memref<2x4xi8, #memref_pool.space<@ws>> to memref<2x1xi8, strided<[4, 1], offset: 3>, #memref_pool.space<@ws>>
  memref.copy %x, %new : memref<2x1xi8> to memref<2x1xi8, strided<[4, 1], offset: 3>, #memref_pool.space<@ws>>
  accel.reduce [2 | 4] ins(%w, %weights : memref<2x4xi8, #memref_pool.space<@ws>>, memref<2x4xi8, #memref_pool.space<@flash>>) outs(%y : memref<2xi32>) maps [#window, #window, #out] init {
    accel.yield %zero : i32
  } body {
  ^bb0(%sum: i32, %a: i8, %b: i8):
    %1 = arith.extsi %a : i8 to i32
    %2 = arith.extsi %b : i8 to i32
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %sum, %3 : i32
    accel.yield %4 : i32
  } finish {
  ^bb0(%sum: i32, %count: i32):
    accel.yield %sum : i32
  }
  %f = memref.collapse_shape %w [[0, 1]] : memref<2x4xi8, #memref_pool.space<@ws>> into memref<8xi8, #memref_pool.space<@ws>>
  memref_pool.copy %f into %s : memref<8xi8, #memref_pool.space<@ws>>, memref<8xi8, #memref_pool.space<@kept>>
  return
}

// The columns are in the order of the model when the position is 0.
// CHECK-LABEL: func.func @reset
// CHECK:         linalg.fill {{.*}} outs(%{{.*}} : memref<8xi8
// CHECK:         %[[START:.*]] = arith.constant 0 : i32
// CHECK:         %[[AT:.*]] = memref.get_global @position
// CHECK:         memref.store %[[START]], %[[AT]]
// CHECK-NEXT:    return
func.func @reset() {
  %s = memref.get_global @s : memref<8xi8, #memref_pool.space<@kept>>
  %zero = arith.constant 0 : i8
  linalg.fill ins(%zero : i8) outs(%s : memref<8xi8, #memref_pool.space<@kept>>)
  return
}

// -----

// Two new rows of 6, and one new row of 2: the places are the same again after 6 runs. The first window has two readers;
// the rows of the second one's weights are along the first axis. Another op reads the weights @w, so they stay, too.
// CHECK:       memref.global "private" constant @w_0 : memref<10xi8
// CHECK-SAME:    dense<[1, 2, 3, 4, 5, 6, 1, 2, 3, 4]>
// CHECK:       memref.global "private" constant @w : memref<6xi8
// CHECK-SAME:    dense<[1, 2, 3, 4, 5, 6]>
// CHECK:       memref.global "private" constant @v : memref<10x2xi8
// CHECK:       memref.global "private" constant @u : memref<3xi8
// CHECK-SAME:    dense<[1, 2, 1]>
// CHECK:       @a : memref<6xi8, {{.*}}> {memref_pool.ring = array<i64: 1, 6, 1, 2>, memref_pool.ring_position = @position}
// CHECK:       @b : memref<2xi8, {{.*}}> {memref_pool.ring = array<i64: 1, 2, 1, 1>, memref_pool.ring_position = @position}
// CHECK-LABEL: func.func @main
// CHECK:         %[[STORED:.*]] = memref.load
// CHECK-NEXT:    %[[P:.*]] = arith.remui %[[STORED]], %c6_i32
// CHECK:         %[[THREE:.*]] = arith.remui %[[P]], %c3_i32
// CHECK:         %[[INDEX:.*]] = arith.index_cast %[[THREE]]
// CHECK:         %[[NEW:.*]] = arith.muli %[[INDEX]], %c2
// CHECK:         %[[FIRST:.*]] = arith.subi %c4, %[[NEW]]
// CHECK:         %[[TWO:.*]] = arith.remui %[[P]], %c2_i32
// CHECK:         %[[OTHER:.*]] = arith.index_cast %[[TWO]]
// CHECK:         memref.subview %{{.*}}[%[[NEW]]] [2] [1]
// CHECK:         memref.subview %{{.*}}[%[[FIRST]]] [6] [1] : memref<10xi8
// CHECK:         memref.subview %{{.*}}[%[[FIRST]], 0] [6, 2] [1, 1] : memref<10x2xi8
// CHECK:         memref.subview %{{.*}}[%[[OTHER]]] [1] [1]
#source = affine_map<(c, m) -> (m)>
#columns = affine_map<(c, m) -> (m, c)>
#channel = affine_map<(c) -> (c)>
memref_pool.pool @ws workspace
memref_pool.pool @flash constant
memref_pool.pool @kept state
memref.global "private" constant @w : memref<6xi8, #memref_pool.space<@flash>> = dense<[1, 2, 3, 4, 5, 6]>
memref.global "private" constant @v : memref<6x2xi8, #memref_pool.space<@flash>> = dense<1>
memref.global "private" constant @u : memref<2xi8, #memref_pool.space<@flash>> = dense<[1, 2]>
memref.global "private" @a : memref<6xi8, #memref_pool.space<@kept>>
memref.global "private" @b : memref<2xi8, #memref_pool.space<@kept>>
func.func @main(%x: memref<2xi8>, %y: memref<1xi32> {bufferize.result}, %y2: memref<2xi32> {bufferize.result}, %y3: memref<1xi32> {bufferize.result}, %z: memref<6xi8> {bufferize.result}) {
  %a = memref.get_global @a : memref<6xi8, #memref_pool.space<@kept>>
  %b = memref.get_global @b : memref<2xi8, #memref_pool.space<@kept>>
  %w = memref.get_global @w : memref<6xi8, #memref_pool.space<@flash>>
  %v = memref.get_global @v : memref<6x2xi8, #memref_pool.space<@flash>>
  %u = memref.get_global @u : memref<2xi8, #memref_pool.space<@flash>>
  %zero = arith.constant 0 : i32
  memref.copy %w, %z : memref<6xi8, #memref_pool.space<@flash>> to memref<6xi8>
  %kept = memref.subview %a[2] [4] [1] : memref<6xi8, #memref_pool.space<@kept>> to memref<4xi8, strided<[1], offset: 2>, #memref_pool.space<@kept>>
  %one = memref_pool.alloc : memref<6xi8, #memref_pool.space<@ws>>
  %old = memref.subview %one[0] [4] [1] : memref<6xi8, #memref_pool.space<@ws>> to memref<4xi8, strided<[1]>, #memref_pool.space<@ws>>
  memref_pool.copy %kept into %old : memref<4xi8, strided<[1], offset: 2>, #memref_pool.space<@kept>>, memref<4xi8, strided<[1]>, #memref_pool.space<@ws>>
  %new = memref.subview %one[4] [2] [1] : memref<6xi8, #memref_pool.space<@ws>> to memref<2xi8, strided<[1], offset: 4>, #memref_pool.space<@ws>>
  memref.copy %x, %new : memref<2xi8> to memref<2xi8, strided<[1], offset: 4>, #memref_pool.space<@ws>>
  accel.reduce [1 | 6] ins(%one, %w : memref<6xi8, #memref_pool.space<@ws>>, memref<6xi8, #memref_pool.space<@flash>>) outs(%y : memref<1xi32>) maps [#source, #source, #channel] init {
    accel.yield %zero : i32
  } body {
  ^bb0(%sum: i32, %p: i8, %q: i8):
    %1 = arith.extsi %p : i8 to i32
    %2 = arith.extsi %q : i8 to i32
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %sum, %3 : i32
    accel.yield %4 : i32
  } finish {
  ^bb0(%sum: i32, %count: i32):
    accel.yield %sum : i32
  }
  accel.reduce [2 | 6] ins(%one, %v : memref<6xi8, #memref_pool.space<@ws>>, memref<6x2xi8, #memref_pool.space<@flash>>) outs(%y2 : memref<2xi32>) maps [#source, #columns, #channel] init {
    accel.yield %zero : i32
  } body {
  ^bb0(%sum: i32, %p: i8, %q: i8):
    %1 = arith.extsi %p : i8 to i32
    %2 = arith.extsi %q : i8 to i32
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %3, %sum : i32
    accel.yield %4 : i32
  } finish {
  ^bb0(%sum: i32, %count: i32):
    accel.yield %sum : i32
  }
  memref_pool.copy %one into %a : memref<6xi8, #memref_pool.space<@ws>>, memref<6xi8, #memref_pool.space<@kept>>
  %last = memref.subview %b[1] [1] [1] : memref<2xi8, #memref_pool.space<@kept>> to memref<1xi8, strided<[1], offset: 1>, #memref_pool.space<@kept>>
  %two = memref_pool.alloc : memref<2xi8, #memref_pool.space<@ws>>
  %first = memref.subview %two[0] [1] [1] : memref<2xi8, #memref_pool.space<@ws>> to memref<1xi8, strided<[1]>, #memref_pool.space<@ws>>
  memref_pool.copy %last into %first : memref<1xi8, strided<[1], offset: 1>, #memref_pool.space<@kept>>, memref<1xi8, strided<[1]>, #memref_pool.space<@ws>>
  %second = memref.subview %two[1] [1] [1] : memref<2xi8, #memref_pool.space<@ws>> to memref<1xi8, strided<[1], offset: 1>, #memref_pool.space<@ws>>
  %part = memref.subview %x[0] [1] [1] : memref<2xi8> to memref<1xi8, strided<[1]>>
  memref.copy %part, %second : memref<1xi8, strided<[1]>> to memref<1xi8, strided<[1], offset: 1>, #memref_pool.space<@ws>>
  accel.reduce [1 | 2] ins(%two, %u : memref<2xi8, #memref_pool.space<@ws>>, memref<2xi8, #memref_pool.space<@flash>>) outs(%y3 : memref<1xi32>) maps [#source, #source, #channel] init {
    accel.yield %zero : i32
  } body {
  ^bb0(%sum: i32, %p: i8, %q: i8):
    %1 = arith.extsi %p : i8 to i32
    %2 = arith.extsi %q : i8 to i32
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %sum, %3 : i32
    accel.yield %4 : i32
  } finish {
  ^bb0(%sum: i32, %count: i32):
    accel.yield %sum : i32
  }
  memref_pool.copy %two into %b : memref<2xi8, #memref_pool.space<@ws>>, memref<2xi8, #memref_pool.space<@kept>>
  return
}
func.func @reset() {
  %a = memref.get_global @a : memref<6xi8, #memref_pool.space<@kept>>
  %b = memref.get_global @b : memref<2xi8, #memref_pool.space<@kept>>
  %zero = arith.constant 0 : i8
  linalg.fill ins(%zero : i8) outs(%a : memref<6xi8, #memref_pool.space<@kept>>)
  linalg.fill ins(%zero : i8) outs(%b : memref<2xi8, #memref_pool.space<@kept>>)
  return
}
