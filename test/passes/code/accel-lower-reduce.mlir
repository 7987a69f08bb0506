// RUN: forebay-opt %s --split-input-file --accel-lower-reduce --canonicalize | FileCheck %s

// Nothing can be left: plain loops, with the address's row in the loop where it is known.
// CHECK-LABEL: func.func @valid(
// CHECK-SAME:    %[[X:.*]]: memref<1x9x4xi8>, %[[W:.*]]: memref<3x4xi8>, %[[B:.*]]: memref<1xi32>, %[[OUT:.*]]: memref<1x4xi32>)
func.func @valid(%x: memref<1x9x4xi8>, %w: memref<3x4xi8>, %b: memref<1xi32>, %out: memref<1x4xi32>) {
  // CHECK-NOT: min
  // CHECK-NOT: max
  // CHECK:     scf.for %[[Y:.*]] = %c0 to %c4 step %c1 {
  // CHECK:       %[[ROW:.*]] = arith.muli %[[Y]], %c2
  // CHECK:       %[[BIAS:.*]] = memref.load %[[B]][%c0]
  // CHECK:       %[[SUM:.*]] = scf.for %[[KY:.*]] = %c0 to %c3 step %c1 iter_args(%[[A0:.*]] = %[[BIAS]])
  // CHECK:         %[[ROW_K:.*]] = arith.addi %[[ROW]], %[[KY]]
  // CHECK:         %[[SUM_K:.*]] = scf.for %[[K:.*]] = %c0 to %c4 step %c1 iter_args(%[[A1:.*]] = %[[A0]])
  // CHECK:           %[[X0:.*]] = memref.load %[[X]][%c0, %[[ROW_K]], %[[K]]]
  // CHECK:           %[[W0:.*]] = memref.load %[[W]][%[[KY]], %[[K]]]
  // CHECK:           %[[X1:.*]] = arith.extsi %[[X0]]
  // CHECK:           %[[W1:.*]] = arith.extsi %[[W0]]
  // CHECK:           %[[PRODUCT:.*]] = arith.muli %[[X1]], %[[W1]]
  // CHECK:           %[[NEXT:.*]] = arith.addi %[[A1]], %[[PRODUCT]]
  // CHECK:           scf.yield %[[NEXT]]
  // CHECK:         scf.yield %[[SUM_K]]
  // CHECK:       memref.store %[[SUM]], %[[OUT]][%c0, %[[Y]]]
  accel.reduce [4 | 3, 4] ins(%x, %w : memref<1x9x4xi8>, memref<3x4xi8>) params(%b : memref<1xi32>) outs(%out : memref<1x4xi32>)
    maps [affine_map<(y, ky, k) -> (0, y * 2 + ky, k)>, affine_map<(y, ky, k) -> (ky, k)>, affine_map<(y) -> (0)>, affine_map<(y) -> (0, y)>]
    init {
    ^bb0(%b0: i32):
      accel.yield %b0 : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32, %b0: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

// Average pooling with padding: window y begins at max(0, 1 - 2y) and ends at min(3, 8 - (2y - 1)),
// and `count` is the product of the lengths, taken where the inner one is known.
// CHECK-LABEL: func.func @pool(
func.func @pool(%x: memref<8x8x2xi8>, %out: memref<4x4x2xi8>) {
  // CHECK:      scf.for %[[Y:.*]] = %c0 to %c4
  // CHECK-NEXT:   %[[Y2:.*]] = arith.muli %[[Y]], %c2
  // CHECK-NEXT:   %[[ROW:.*]] = arith.addi %[[Y2]], %c-1
  // CHECK-NEXT:   %[[ABOVE:.*]] = arith.subi %c1, %[[Y2]]
  // CHECK-NEXT:   %[[BEGIN_Y:.*]] = arith.maxsi %[[ABOVE]], %c0
  // CHECK-NOT:    arith.minsi
  // CHECK:        scf.for %[[X:.*]] = %c0 to %c4
  // CHECK-NEXT:     %[[X2:.*]] = arith.muli %[[X]], %c2
  // CHECK-NEXT:     %[[LEFT:.*]] = arith.subi %c8, %[[X2]]
  // CHECK-NEXT:     %[[END_X:.*]] = arith.minsi %[[LEFT]], %c3
  // CHECK-NEXT:     %[[HEIGHT:.*]] = arith.subi %c3, %[[BEGIN_Y]]
  // CHECK-NEXT:     %[[POINTS:.*]] = arith.muli %[[HEIGHT]], %[[END_X]]
  // CHECK-NEXT:     %[[COUNT:.*]] = arith.index_cast %[[POINTS]] : index to i32
  // CHECK-NEXT:     scf.for %[[C:.*]] = %c0 to %c2
  // CHECK-NEXT:       %[[SUM:.*]] = scf.for %[[KY:.*]] = %[[BEGIN_Y]] to %c3 step %c1 iter_args(%{{.*}} = %c0_i32)
  // CHECK-NEXT:         %[[ROW_K:.*]] = arith.addi %[[ROW]], %[[KY]]
  // CHECK-NEXT:         scf.for %[[KX:.*]] = %c0 to %[[END_X]]
  // CHECK-NEXT:           %[[COLUMN_K:.*]] = arith.addi %[[X2]], %[[KX]]
  // CHECK-NEXT:           memref.load %{{.*}}[%[[ROW_K]], %[[COLUMN_K]], %[[C]]]
  // CHECK:            %[[MEAN:.*]] = arith.divsi %[[SUM]], %[[COUNT]]
  // CHECK:            memref.store
  accel.reduce [4, 4, 2 | 3, 3] ins(%x : memref<8x8x2xi8>) outs(%out : memref<4x4x2xi8>)
    maps [affine_map<(y, x, c, ky, kx) -> (y * 2 + ky - 1, x * 2 + kx, c)>, affine_map<(y, x, c) -> (y, x, c)>]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %sum = arith.addi %acc, %x1 : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      %mean = arith.divsi %acc, %count : i32
      %narrow = arith.trunci %mean : i32 to i8
      accel.yield %narrow : i8
    }
  return
}

// -----

// Without clamps, `count` is a number: 2 * 3.
// CHECK-LABEL: func.func @count_of_a_whole_window(
func.func @count_of_a_whole_window(%x: memref<2x3xi32>, %out: memref<1xi32>) {
  // CHECK: %[[SUM:.*]] = scf.for
  // CHECK: arith.divsi %[[SUM]], %c6_i32
  accel.reduce [| 2, 3] ins(%x : memref<2x3xi32>) outs(%out : memref<1xi32>)
    maps [affine_map<(i, j) -> (i, j)>, affine_map<() -> (0)>]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i32):
      %sum = arith.addi %acc, %x0 : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      %mean = arith.divsi %acc, %count : i32
      accel.yield %mean : i32
    }
  return
}

// -----

// Dilation 3: window x reads x - 4 + 3k. It begins at ceil((4 - x) / 3), which truncating division
// makes of (4 - x + 2) / 3, and ends at ceil((8 - (x - 4)) / 3), the same of (12 - x + 2) / 3.
// CHECK-LABEL: func.func @dilated(
func.func @dilated(%x: memref<8xi32>, %out: memref<10xi32>) {
  // CHECK:      scf.for %[[X:.*]] = %c0 to %c10
  // CHECK-NEXT:   %[[BASE:.*]] = arith.addi %[[X]], %c-4
  // CHECK-NEXT:   %[[BEFORE:.*]] = arith.subi %c6, %[[X]]
  // CHECK-NEXT:   %[[CEIL_BEGIN:.*]] = arith.divsi %[[BEFORE]], %c3
  // CHECK-NEXT:   %[[BEGIN:.*]] = arith.maxsi %[[CEIL_BEGIN]], %c0
  // CHECK-NEXT:   %[[BEHIND:.*]] = arith.subi %c14, %[[X]]
  // CHECK-NEXT:   %[[CEIL_END:.*]] = arith.divsi %[[BEHIND]], %c3
  // CHECK-NEXT:   %[[END:.*]] = arith.minsi %[[CEIL_END]], %c3
  // CHECK-NEXT:   scf.for %[[K:.*]] = %[[BEGIN]] to %[[END]]
  // CHECK-NEXT:     %[[K3:.*]] = arith.muli %[[K]], %c3
  // CHECK-NEXT:     %[[COLUMN:.*]] = arith.addi %[[BASE]], %[[K3]]
  // CHECK-NEXT:     memref.load %{{.*}}[%[[COLUMN]]]
  accel.reduce [10 | 3] ins(%x : memref<8xi32>) outs(%out : memref<10xi32>)
    maps [affine_map<(x, k) -> (x + k * 3 - 4)>, affine_map<(x) -> (x)>]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i32):
      %sum = arith.addi %acc, %x0 : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

// A transposed convolution clamps to the weights, x - 2i in [0, 3): from max(0, ceil((x - 2) / 2))
// to min(4, floor(x / 2) + 1).
// CHECK-LABEL: func.func @transposed(
func.func @transposed(%x: memref<4xi32>, %w: memref<3xi32>, %out: memref<9xi32>) {
  // CHECK:      scf.for %[[X:.*]] = %c0 to %c9
  // CHECK:        %[[FIRST:.*]] = arith.addi %[[X]], %c-1
  // CHECK-NEXT:   %[[CEIL:.*]] = arith.divsi %[[FIRST]], %c2
  // CHECK-NEXT:   %[[BEGIN:.*]] = arith.maxsi %[[CEIL]], %c0
  // CHECK:        %[[AFTER:.*]] = arith.addi %[[X]], %c2
  // CHECK-NEXT:   %[[HALF:.*]] = arith.divsi %[[AFTER]], %c2
  // CHECK-NEXT:   %[[END:.*]] = arith.minsi %[[HALF]], %c4
  // CHECK-NEXT:   scf.for %[[I:.*]] = %[[BEGIN]] to %[[END]]
  // CHECK-NEXT:     %[[I2:.*]] = arith.muli %[[I]], %c2
  // CHECK-NEXT:     %[[TAP:.*]] = arith.subi %[[X]], %[[I2]]
  // CHECK-NEXT:     memref.load %arg0[%[[I]]]
  // CHECK-NEXT:     memref.load %arg1[%[[TAP]]]
  accel.reduce [9 | 4] ins(%x, %w : memref<4xi32>, memref<3xi32>) outs(%out : memref<9xi32>)
    maps [affine_map<(x, i) -> (i)>, affine_map<(x, i) -> (x - i * 2)>, affine_map<(x) -> (x)>]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i32, %w0: i32):
      %product = arith.muli %x0, %w0 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

// An axis with two reduction dimensions has no bounds for either: each point is asked, and counted.
// CHECK-LABEL: func.func @guarded(
func.func @guarded(%x: memref<5xi32>, %out: memref<4xi32>) {
  // CHECK:      scf.for %[[X:.*]] = %c0 to %c4
  // CHECK-NEXT:   %[[SUMS:.*]]:2 = scf.for %[[I:.*]] = %c0 to %c2
  // CHECK-NEXT:     %[[XI:.*]] = arith.addi %[[X]], %[[I]]
  // CHECK-NEXT:     scf.for %[[J:.*]] = %c0 to %c3
  // CHECK-NEXT:       %[[AT:.*]] = arith.addi %[[XI]], %[[J]]
  // CHECK-NEXT:       %[[INSIDE:.*]] = arith.cmpi slt, %[[AT]], %c5
  // CHECK-NEXT:       scf.if %[[INSIDE]]
  // CHECK-NEXT:         memref.load %{{.*}}[%[[AT]]]
  // CHECK:        arith.divsi %[[SUMS]]#0, %[[SUMS]]#1
  accel.reduce [4 | 2, 3] ins(%x : memref<5xi32>) outs(%out : memref<4xi32>)
    maps [affine_map<(x, i, j) -> (x + i + j)>, affine_map<(x) -> (x)>]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i32):
      %sum = arith.addi %acc, %x0 : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      %mean = arith.divsi %acc, %count : i32
      accel.yield %mean : i32
    }
  return
}

// -----

// Loops that run once are none; what no region uses is not loaded; two accumulators are carried.
// CHECK-LABEL: func.func @unit(
func.func @unit(%x: memref<1x6xi32>, %unused: memref<1xi32>, %out: memref<1xi32>) {
  // CHECK-NOT:  memref.load %arg1
  // CHECK:      %[[BOTH:.*]]:2 = scf.for %{{.*}} = %c0 to %c6 step %c1 iter_args(%{{.*}} = %c0_i32, %{{.*}} = %c1_i32)
  // CHECK-NOT:  scf.for
  // CHECK:      %[[RESULT:.*]] = arith.addi %[[BOTH]]#0, %[[BOTH]]#1
  // CHECK-NEXT: memref.store %[[RESULT]], %arg2[%c0]
  accel.reduce [1 | 1, 6] ins(%x : memref<1x6xi32>) params(%unused : memref<1xi32>) outs(%out : memref<1xi32>)
    maps [affine_map<(n, i, j) -> (n + i, j)>, affine_map<(n) -> (n)>, affine_map<(n) -> (n)>]
    init {
    ^bb0(%p: i32):
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      accel.yield %zero, %one : i32, i32
    } body {
    ^bb0(%sum: i32, %product: i32, %x0: i32):
      %next_sum = arith.addi %sum, %x0 : i32
      %next_product = arith.muli %product, %x0 : i32
      accel.yield %next_sum, %next_product : i32, i32
    } finish {
    ^bb0(%sum: i32, %product: i32, %count: i32, %p: i32):
      %both = arith.addi %sum, %product : i32
      accel.yield %both : i32
    }
  return
}

// -----

// Rows 4 to 7 of a padded mean: loops over positions of the whole domain, clamped at the borders of the whole operand
// (row y reads y - 1 to y + 1 of 8), so only the end is cut.
// CHECK-LABEL: func.func @rows_of_a_box(
// CHECK-SAME:    %[[X:.*]]: memref<8xi32>, %[[OUT:.*]]: memref<8xi32>)
func.func @rows_of_a_box(%x: memref<8xi32>, %out: memref<8xi32>) {
  // CHECK:     scf.for %[[Y:.*]] = %c4 to %c8 step %c1 {
  // CHECK-NOT:   arith.maxsi
  // CHECK:       %[[LEFT:.*]] = arith.subi %c9, %[[Y]]
  // CHECK:       %[[END:.*]] = arith.minsi %[[LEFT]], %c3
  // CHECK:       scf.for %{{.*}} = %c0 to %[[END]]
  // CHECK:       memref.store %{{.*}}, %[[OUT]][%[[Y]]]
  accel.reduce [8 | 3] at [4 | 0] sizes [4 | 3] ins(%x : memref<8xi32>) outs(%out : memref<8xi32>)
    maps [affine_map<(y, k) -> (y + k - 1)>, affine_map<(y) -> (y)>]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i32):
      %sum = arith.addi %acc, %x0 : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      %mean = arith.divsi %acc, %count : i32
      accel.yield %mean : i32
    }
  return
}

// -----

// The first of two parts of each sum: init, no finish. The accumulator and the count are stored at the position in the
// box.
// CHECK-LABEL: func.func @first_part(
// CHECK-SAME:    %[[X:.*]]: memref<8x6xi32>, %[[OUT:.*]]: memref<8xi32>, %[[A:.*]]: memref<2xi32>, %[[N:.*]]: memref<2xi32>)
func.func @first_part(%x: memref<8x6xi32>, %out: memref<8xi32>, %a: memref<2xi32>, %n: memref<2xi32>) {
  // CHECK:     scf.for %[[Y:.*]] = %c4 to %c6 step %c1 {
  // CHECK:       %[[PLACE:.*]] = arith.addi %[[Y]], %c-4
  // CHECK:       %[[SUM:.*]] = scf.for %{{.*}} = %c0 to %c2 step %c1 iter_args(%{{.*}} = %c0_i32)
  // CHECK-NOT:   arith.divsi
  // CHECK:       memref.store %[[SUM]], %[[A]][%[[PLACE]]]
  // CHECK:       memref.store %c2_i32, %[[N]][%[[PLACE]]]
  // CHECK-NOT:   memref.store
  accel.reduce [8 | 6] at [4 | 0] sizes [2 | 2] ins(%x : memref<8x6xi32>) outs(%out : memref<8xi32>)
    accumulators(%a, %n : memref<2xi32>, memref<2xi32>)
    maps [affine_map<(y, k) -> (y, k)>, affine_map<(y) -> (y)>]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i32):
      %sum = arith.addi %acc, %x0 : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      %mean = arith.divsi %acc, %count : i32
      accel.yield %mean : i32
    }
  return
}

// -----

// Starts that are values decide at run time whether the box is the first (start 0) and the last (6 - 2).
// CHECK-LABEL: func.func @any_part(
// CHECK-SAME:    %[[X:.*]]: memref<8x6xi32>, %[[OUT:.*]]: memref<8xi32>, %[[A:.*]]: memref<2xi32>, %[[N:.*]]: memref<2xi32>, %[[Y:.*]]: index, %[[K:.*]]: index)
func.func @any_part(%x: memref<8x6xi32>, %out: memref<8xi32>, %a: memref<2xi32>, %n: memref<2xi32>, %y: index, %k: index) {
  // CHECK:     %[[Y_END:.*]] = arith.addi %[[Y]], %c2
  // CHECK:     %[[K_END:.*]] = arith.addi %[[K]], %c2
  // CHECK:     %[[FIRST:.*]] = arith.cmpi eq, %[[K]], %c0
  // CHECK:     %[[LAST:.*]] = arith.cmpi eq, %[[K]], %c4
  // CHECK:     scf.for %[[ROW:.*]] = %[[Y]] to %[[Y_END]] step %c1 {
  // CHECK:       %[[PLACE:.*]] = arith.subi %[[ROW]], %[[Y]]
  // CHECK:       %[[START:.*]]:2 = scf.if %[[FIRST]] -> (i32, i32) {
  // CHECK-NEXT:    scf.yield %c0_i32, %c0_i32
  // CHECK-NEXT:  } else {
  // CHECK-NEXT:    %[[OLD:.*]] = memref.load %[[A]][%[[PLACE]]]
  // CHECK-NEXT:    %[[SEEN:.*]] = memref.load %[[N]][%[[PLACE]]]
  // CHECK-NEXT:    scf.yield %[[OLD]], %[[SEEN]]
  // CHECK:       %[[SUM:.*]] = scf.for %{{.*}} = %[[K]] to %[[K_END]] step %c1 iter_args(%{{.*}} = %[[START]]#0)
  // CHECK:       %[[COUNT:.*]] = arith.addi %[[START]]#1, %c2_i32
  // CHECK:       scf.if %[[LAST]] {
  // CHECK-NEXT:    %[[MEAN:.*]] = arith.divsi %[[SUM]], %[[COUNT]]
  // CHECK-NEXT:    memref.store %[[MEAN]], %[[OUT]][%[[ROW]]]
  // CHECK-NEXT:  } else {
  // CHECK-NEXT:    memref.store %[[SUM]], %[[A]][%[[PLACE]]]
  // CHECK-NEXT:    memref.store %[[COUNT]], %[[N]][%[[PLACE]]]
  accel.reduce [8 | 6] at [%y | %k] sizes [2 | 2] ins(%x : memref<8x6xi32>) outs(%out : memref<8xi32>)
    accumulators(%a, %n : memref<2xi32>, memref<2xi32>)
    maps [affine_map<(y, k) -> (y, k)>, affine_map<(y) -> (y)>]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i32):
      %sum = arith.addi %acc, %x0 : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      %mean = arith.divsi %acc, %count : i32
      accel.yield %mean : i32
    }
  return
}

// The sums of four channels become one vector, which is requantised and stored at once.
// CHECK-LABEL: func.func @lanes(
// CHECK:         %[[SUMS:.*]] = vector.from_elements %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : vector<4xi32>
// CHECK:         %[[M:.*]] = vector.load %arg2[%[[C:.*]]] : memref<8xi32>, vector<4xi32>
// CHECK:         %[[S:.*]] = accel.load_extended %arg3[%{{.*}}] : memref<8xi8>, vector<4xi32>
// CHECK:         accel.store_rescaled %[[SUMS]], %[[M]], %[[S]], %arg4[%{{.*}}] zero_point 0 low -128 high 127
func.func @lanes(%x: memref<16xi8>, %w: memref<8x16xi8>, %m: memref<8xi32>, %s: memref<8xi8>, %o: memref<8xi8>) {
  accel.reduce [8 | 16] ins(%x, %w : memref<16xi8>, memref<8x16xi8>) params(%m, %s : memref<8xi32>, memref<8xi8>)
    outs(%o : memref<8xi8>) maps [affine_map<(c, k) -> (k)>, affine_map<(c, k) -> (c, k)>, affine_map<(c) -> (c)>, affine_map<(c) -> (c)>, affine_map<(c) -> (c)>] blocks [4, 16] words [1, 16] lanes [4, 1] init {
    ^bb0(%m0: i32, %s0: i8):
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32, %m0: i32, %s0: i8):
      %low = arith.constant -128 : i32
      %high = arith.constant 127 : i32
      %scaled = tosa.apply_scale %acc, %m0, %s0 {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %raised = arith.maxsi %scaled, %low : i32
      %limited = arith.minsi %raised, %high : i32
      %narrow = arith.trunci %limited : i32 to i8
      accel.yield %narrow : i8
    }
  return
}

// The sums of eight channels are a vector from the beginning.
// CHECK-LABEL: func.func @vectors_of_sums(
// CHECK:         %[[START:.*]] = arith.constant dense<0> : vector<8xi32>
// CHECK:         %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[START]]) -> (vector<8xi32>)
// CHECK:           %[[X:.*]] = accel.load_extended
// CHECK:           %[[W:.*]] = accel.load_extended
// CHECK:           accel.multiply_add %[[ACC]], %[[X]], %[[W]] : vector<8xi32>, vector<8xi16>
// CHECK:         accel.store_rescaled %[[SUM]]
func.func @vectors_of_sums(%x: memref<3x8xi8>, %w: memref<3x8xi8>, %m: memref<8xi32>, %s: memref<8xi8>, %o: memref<8xi8>) {
  accel.reduce [8 | 3] ins(%x, %w : memref<3x8xi8>, memref<3x8xi8>) params(%m, %s : memref<8xi32>, memref<8xi8>)
    outs(%o : memref<8xi8>) maps [affine_map<(c, k) -> (k, c)>, affine_map<(c, k) -> (k, c)>, affine_map<(c) -> (c)>, affine_map<(c) -> (c)>, affine_map<(c) -> (c)>] blocks [8, 1] words [8, 1] lanes [8, 1] init {
    ^bb0(%m0: i32, %s0: i8):
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32, %m0: i32, %s0: i8):
      %low = arith.constant -128 : i32
      %high = arith.constant 127 : i32
      %scaled = tosa.apply_scale %acc, %m0, %s0 {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %raised = arith.maxsi %scaled, %low : i32
      %limited = arith.minsi %raised, %high : i32
      %narrow = arith.trunci %limited : i32 to i8
      accel.yield %narrow : i8
    }
  return
}

// Each position has eight partial sums, also for the last two elements. Their total is added to the bias.
// CHECK-LABEL: func.func @partial_sums(
// CHECK:         %[[START:.*]] = arith.constant dense<0> : vector<8xi32>
// CHECK:         %[[SUM:.*]]:2 = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[START]], %{{.*}} = %[[START]]) -> (vector<8xi32>, vector<8xi32>)
// CHECK:           accel.dots %[[ACC]], %{{.*}}, %{{.*}} : vector<8xi32>, vector<8xi8>
// CHECK:         accel.dots %[[SUM]]#0, %{{.*}}, %{{.*}} : vector<8xi32>, vector<2xi8>
// CHECK:         %[[B:.*]] = memref.load %arg2
// CHECK:         vector.reduction <add>, %{{.*}}, %{{.*}} : vector<8xi32> into i32
func.func @partial_sums(%x: memref<18xi8>, %w: memref<2x18xi8>, %b: memref<2xi32>, %m: memref<2xi32>, %s: memref<2xi8>, %o: memref<2xi8>) {
  accel.reduce [2 | 18] ins(%x, %w : memref<18xi8>, memref<2x18xi8>) params(%b, %m, %s : memref<2xi32>, memref<2xi32>, memref<2xi8>)
    outs(%o : memref<2xi8>) maps [affine_map<(c, k) -> (k)>, affine_map<(c, k) -> (c, k)>, affine_map<(c) -> (c)>, affine_map<(c) -> (c)>, affine_map<(c) -> (c)>, affine_map<(c) -> (c)>] blocks [2, 8] words [1, 8] partial_sums 8 init {
    ^bb0(%b0: i32, %m0: i32, %s0: i8):
      accel.yield %b0 : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32, %b0: i32, %m0: i32, %s0: i8):
      %low = arith.constant -128 : i32
      %high = arith.constant 127 : i32
      %scaled = tosa.apply_scale %acc, %m0, %s0 {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %raised = arith.maxsi %scaled, %low : i32
      %limited = arith.minsi %raised, %high : i32
      %narrow = arith.trunci %limited : i32 to i8
      accel.yield %narrow : i8
    }
  return
}

// The totals become one vector with the biases.
// CHECK-LABEL: func.func @totals_of_lanes(
// CHECK:         %[[B:.*]] = vector.load %arg2[%{{.*}}] : memref<2xi32>, vector<2xi32>
// CHECK:         %[[SUMS:.*]] = accel.add_totals %[[B]], %{{.*}}, %{{.*}} : vector<2xi32>, vector<8xi32>, vector<8xi32>
// CHECK:         accel.store_rescaled %[[SUMS]]
func.func @totals_of_lanes(%x: memref<18xi8>, %w: memref<2x18xi8>, %b: memref<2xi32>, %m: memref<2xi32>, %s: memref<2xi8>, %o: memref<2xi8>) {
  accel.reduce [2 | 18] ins(%x, %w : memref<18xi8>, memref<2x18xi8>) params(%b, %m, %s : memref<2xi32>, memref<2xi32>, memref<2xi8>)
    outs(%o : memref<2xi8>) maps [affine_map<(c, k) -> (k)>, affine_map<(c, k) -> (c, k)>, affine_map<(c) -> (c)>, affine_map<(c) -> (c)>, affine_map<(c) -> (c)>, affine_map<(c) -> (c)>] blocks [2, 8] words [1, 8] partial_sums 8 lanes [2, 1] init {
    ^bb0(%b0: i32, %m0: i32, %s0: i8):
      accel.yield %b0 : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x1, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32, %b0: i32, %m0: i32, %s0: i8):
      %low = arith.constant -128 : i32
      %high = arith.constant 127 : i32
      %scaled = tosa.apply_scale %acc, %m0, %s0 {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %raised = arith.maxsi %scaled, %low : i32
      %limited = arith.minsi %raised, %high : i32
      %narrow = arith.trunci %limited : i32 to i8
      accel.yield %narrow : i8
    }
  return
}

// -----

// Windows of three elements with one of padding; two positions together, one is left over. The windows at the borders have two
// points, which are constants, so no limit is computed, and no loop is left.
// CHECK-LABEL: func.func @peeled(
// CHECK-NOT:     max
// CHECK-NOT:     min
// CHECK:         scf.for %{{.*}} = %c1 to %c5 step %c2
// CHECK-NOT:     scf.for
// CHECK-NOT:     arith.select
// CHECK:         memref.store %{{.*}}, %{{.*}}[%c5]
// CHECK-NOT:     scf.for
// CHECK:         memref.store %{{.*}}, %{{.*}}[%c0]
// CHECK-NOT:     scf.for
// CHECK:         memref.store %{{.*}}, %{{.*}}[%c6]
// CHECK-NOT:     memref.store
func.func @peeled(%x: memref<7xi8>, %o: memref<7xi32>) {
  accel.reduce [7 | 3] ins(%x : memref<7xi8>) outs(%o : memref<7xi32>)
    maps [affine_map<(x, k) -> (x + k - 1)>, affine_map<(x) -> (x)>] blocks [2, 3] peeled [0] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8):
      %x1 = arith.extsi %x0 : i8 to i32
      %sum = arith.addi %acc, %x1 : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// The words of sixteen channels are one vector, whose products with a word of a pixel are added to one vector of sums. Two
// pixels get the same weights.
// CHECK-LABEL: func.func @sums_of_words(
// CHECK:         %[[X:.*]] = memref.subview %arg0
// CHECK:         %[[W:.*]] = memref.subview %arg1
// CHECK:         %[[SUMS:.*]]:2 = scf.for %[[K:.*]] = {{.*}} iter_args(%[[FIRST:.*]] = %{{.*}}, %[[SECOND:.*]] = %{{.*}}) -> (vector<16xi32>, vector<16xi32>)
// CHECK:           %[[STEP:.*]] = arith.muli %[[K]], %c4
// CHECK:           %[[WORD:.*]] = vector.load %[[X]][%{{.*}}, %[[STEP]]] : {{.*}}, vector<4xi8>
// CHECK:           %[[WORDS:.*]] = vector.load %[[W]][%{{.*}}, %[[K]], %{{.*}}] : {{.*}}, vector<64xi8>
// CHECK:           %[[A:.*]] = accel.dot_each %[[FIRST]], %[[WORD]], %[[WORDS]] offset 128
// CHECK-NOT:       vector.load %[[W]]
// CHECK:           %[[NEXT:.*]] = vector.load %[[X]][%{{.*}}, %[[STEP]]] : {{.*}}, vector<4xi8>
// CHECK:           %[[B:.*]] = accel.dot_each %[[SECOND]], %[[NEXT]], %[[WORDS]] offset 128
// CHECK:           scf.yield %[[A]], %[[B]]
// CHECK:         accel.store_rescaled %[[SUMS]]#0
// CHECK:         accel.store_rescaled %[[SUMS]]#1
func.func @sums_of_words(%x: memref<4x12xi8>, %w: memref<2x3x64xi8>, %m: memref<32xi32>, %s: memref<32xi8>, %o: memref<4x32xi8>) {
  accel.reduce [4, 2, 16 | 3, 4] ins(%x, %w : memref<4x12xi8>, memref<2x3x64xi8>) params(%m, %s : memref<32xi32>, memref<32xi8>)
    outs(%o : memref<4x32xi8>) maps [affine_map<(p, c, l, k, t) -> (p, k * 4 + t)>, affine_map<(p, c, l, k, t) -> (c, k, l * 4 + t)>, affine_map<(p, c, l) -> (c * 16 + l)>, affine_map<(p, c, l) -> (c * 16 + l)>, affine_map<(p, c, l) -> (p, c * 16 + l)>] blocks [2, 1, 16, 1, 4] words [1, 1, 16, 1, 4] lanes [1, 1, 16, 1, 1] init {
    ^bb0(%m0: i32, %s0: i8):
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %offset = arith.constant 128 : i32
      %x1 = arith.extsi %x0 : i8 to i32
      %x2 = arith.addi %x1, %offset : i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x2, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32, %m0: i32, %s0: i8):
      %low = arith.constant -128 : i32
      %high = arith.constant 127 : i32
      %scaled = tosa.apply_scale %acc, %m0, %s0 {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %raised = arith.maxsi %scaled, %low : i32
      %limited = arith.minsi %raised, %high : i32
      %narrow = arith.trunci %limited : i32 to i8
      accel.yield %narrow : i8
    }
  return
}

// Two words of two vectors of sums, without a loop. Each word of the pixel is loaded once.
// CHECK-LABEL: func.func @sums_of_two_words(
// CHECK:         %[[WORD:.*]] = vector.load {{.*}}, vector<4xi8>
// CHECK:         %[[A:.*]] = accel.dot_each %{{.*}}, %[[WORD]], %{{.*}} offset -3 : vector<8xi32>, vector<4xi8>, vector<32xi8>
// CHECK:         %[[B:.*]] = accel.dot_each %{{.*}}, %[[WORD]], %{{.*}} offset -3
// CHECK:         %[[NEXT:.*]] = vector.load {{.*}}, vector<4xi8>
// CHECK:         %[[C:.*]] = accel.dot_each %[[A]], %[[NEXT]], %{{.*}} offset -3
// CHECK:         %[[D:.*]] = accel.dot_each %[[B]], %[[NEXT]], %{{.*}} offset -3
// CHECK:         accel.store_rescaled %[[C]]
// CHECK:         accel.store_rescaled %[[D]]
func.func @sums_of_two_words(%x: memref<1x8xi8>, %w: memref<2x2x32xi8>, %m: memref<16xi32>, %s: memref<16xi8>, %o: memref<1x16xi8>) {
  accel.reduce [1, 2, 8 | 2, 4] ins(%x, %w : memref<1x8xi8>, memref<2x2x32xi8>) params(%m, %s : memref<16xi32>, memref<16xi8>)
    outs(%o : memref<1x16xi8>) maps [affine_map<(p, c, l, k, t) -> (p, k * 4 + t)>, affine_map<(p, c, l, k, t) -> (c, k, l * 4 + t)>, affine_map<(p, c, l) -> (c * 8 + l)>, affine_map<(p, c, l) -> (c * 8 + l)>, affine_map<(p, c, l) -> (p, c * 8 + l)>] blocks [1, 2, 8, 2, 4] words [1, 1, 8, 1, 4] lanes [1, 1, 8, 1, 1] init {
    ^bb0(%m0: i32, %s0: i8):
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      %offset = arith.constant -3 : i32
      %x1 = arith.extsi %x0 : i8 to i32
      %x2 = arith.addi %x1, %offset : i32
      %w1 = arith.extsi %w0 : i8 to i32
      %product = arith.muli %x2, %w1 : i32
      %sum = arith.addi %acc, %product : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32, %m0: i32, %s0: i8):
      %low = arith.constant -128 : i32
      %high = arith.constant 127 : i32
      %scaled = tosa.apply_scale %acc, %m0, %s0 {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %raised = arith.maxsi %scaled, %low : i32
      %limited = arith.minsi %raised, %high : i32
      %narrow = arith.trunci %limited : i32 to i8
      accel.yield %narrow : i8
    }
  return
}
