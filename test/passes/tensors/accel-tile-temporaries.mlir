// RUN: forebay-opt %s --accel-tile-temporaries --split-input-file | FileCheck %s

// A gate of a recurrent layer: c = c * (W x + R h), with two sums of different lengths as temporaries.
// An element has 4 bytes, so a tile has 16 / 4 = 4 of the 10 units; the last 2 are behind the loop.
#x = affine_map<(n, c, k) -> (n, k)>
#w = affine_map<(n, c, k) -> (c, k)>
#bias = affine_map<(n, c) -> (c)>
#out = affine_map<(n, c) -> (n, c)>

// CHECK-LABEL: func.func @gate(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x28xf32>, %{{[^:]*}}: tensor<2x10xf32>, %[[C:[^:]*]]: tensor<2x10xf32>,
// CHECK-SAME: %[[W:[^:]*]]: tensor<10x28xf32>, %{{[^:]*}}: tensor<10x10xf32>, %[[B:[^:]*]]: tensor<10xf32>
func.func @gate(%x: tensor<2x28xf32>, %h: tensor<2x10xf32>, %c: tensor<2x10xf32>, %w: tensor<10x28xf32>,
                %r: tensor<10x10xf32>, %b: tensor<10xf32>) -> tensor<2x10xf32> {
  // CHECK: %[[ROWS:.*]] = scf.for %[[N:.*]] = %{{.*}} to %c2{{.*}} step %c1{{.*}} iter_args(%[[C0:.*]] = %[[C]])
  // CHECK: %[[LOOP:.*]] = scf.for %[[U:.*]] = %{{.*}} to %c8{{.*}} step %c4{{.*}} iter_args(%[[C1:.*]] = %[[C0]])
  // CHECK: %[[CPART:.*]] = tensor.extract_slice %[[C1]][%[[N]], %[[U]]] [1, 4] [1, 1]
  // CHECK: %[[XPART:.*]] = tensor.extract_slice %[[X]][%[[N]], 0] [1, 28] [1, 1]
  // CHECK: %[[WPART:.*]] = tensor.extract_slice %[[W]][%[[U]], 0] [4, 28] [1, 1]
  // CHECK: %[[BPART:.*]] = tensor.extract_slice %[[B]][%[[U]]] [4] [1]
  // CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<1x4xf32>
  // CHECK: %[[WX:.*]] = accel.reduce [1, 4 | 28] ins(%[[XPART]], %[[WPART]] :
  // CHECK-SAME: params(%[[BPART]] : tensor<4xf32>) outs(%[[EMPTY]] : tensor<1x4xf32>)
  %e = tensor.empty() : tensor<2x10xf32>
  %wx = accel.reduce [2, 10 | 28] ins(%x, %w : tensor<2x28xf32>, tensor<10x28xf32>) params(%b : tensor<10xf32>)
    outs(%e : tensor<2x10xf32>) maps [#x, #w, #bias, #out]
    init {
    ^bb0(%start: f32):
      accel.yield %start : f32
    } body {
    ^bb0(%sum: f32, %one: f32, %other: f32):
      %product = arith.mulf %one, %other : f32
      %next = arith.addf %sum, %product : f32
      accel.yield %next : f32
    } finish {
    ^bb0(%sum: f32, %count: i32, %start: f32):
      accel.yield %sum : f32
    } -> tensor<2x10xf32> loc(#lstm)
  // CHECK: %[[RH:.*]] = accel.reduce [1, 4 | 10] ins(
  %e1 = tensor.empty() : tensor<2x10xf32>
  %rh = accel.reduce [2, 10 | 10] ins(%h, %r : tensor<2x10xf32>, tensor<10x10xf32>)
    outs(%e1 : tensor<2x10xf32>) maps [#x, #w, #out]
    init {
      %zero = arith.constant 0.0 : f32
      accel.yield %zero : f32
    } body {
    ^bb0(%sum: f32, %one: f32, %other: f32):
      %product = arith.mulf %one, %other : f32
      %next = arith.addf %sum, %product : f32
      accel.yield %next : f32
    } finish {
    ^bb0(%sum: f32, %count: i32):
      accel.yield %sum : f32
    } -> tensor<2x10xf32> loc(#lstm)
  // CHECK: %[[PART:.*]] = linalg.generic {{.*}} ins(%[[WX]], %[[RH]] : {{.*}}) outs(%[[CPART]] : tensor<1x4xf32>)
  // CHECK: %[[PUT:.*]] = tensor.insert_slice %[[PART]] into %[[C1]][%[[N]], %[[U]]] [1, 4] [1, 1]
  // CHECK: scf.yield %[[PUT]]
  // CHECK: tensor.extract_slice %[[LOOP]][%[[N]], 8] [1, 2] [1, 1]
  // CHECK: accel.reduce [1, 2 | 28]
  // CHECK: accel.reduce [1, 2 | 10]
  // CHECK: %[[END:.*]] = tensor.insert_slice %{{.*}} into %[[LOOP]][%[[N]], 8] [1, 2] [1, 1]
  // CHECK: scf.yield %[[END]]
  // CHECK: return %[[ROWS]]
  %new = linalg.generic {indexing_maps = [#out, #out, #out], iterator_types = ["parallel", "parallel"]}
      ins(%wx, %rh : tensor<2x10xf32>, tensor<2x10xf32>) outs(%c : tensor<2x10xf32>) {
  ^bb0(%one: f32, %other: f32, %old: f32):
    %gate = arith.addf %one, %other : f32
    %kept = arith.mulf %old, %gate : f32
    linalg.yield %kept : f32
  } -> tensor<2x10xf32> loc(#lstm)
  return %new : tensor<2x10xf32>
}
#lstm = loc("state"("UNIDIRECTIONAL_SEQUENCE_LSTM"("net.tflite":0:0)))

// -----

// A new tensor that becomes row 3 of the result is computed there.
#out = affine_map<(c) -> (0, c)>
#x = affine_map<(c, k) -> (0, k)>
#w = affine_map<(c, k) -> (c, k)>
#one = affine_map<(n, c) -> (n, c)>

// CHECK-LABEL: func.func @row(
// CHECK-SAME: %[[ALL:[^:]*]]: tensor<5x16xi16>
func.func @row(%x: tensor<1x9xi16>, %w: tensor<16x9xi16>, %all: tensor<5x16xi16>) -> tensor<5x16xi16> {
  // CHECK: %[[ROW:.*]] = tensor.extract_slice %[[ALL]][3, 0] [1, 16] [1, 1]
  // CHECK: scf.for %[[U:.*]] = {{.*}} to %c16{{.*}} step %c8{{.*}} iter_args(%[[SO_FAR:.*]] = %[[ROW]])
  // CHECK: accel.reduce [8 | 9]
  %e = tensor.empty() : tensor<1x16xi16>
  %sum = accel.reduce [16 | 9] ins(%x, %w : tensor<1x9xi16>, tensor<16x9xi16>) outs(%e : tensor<1x16xi16>)
    maps [#x, #w, #out]
    init {
      %zero = arith.constant 0 : i16
      accel.yield %zero : i16
    } body {
    ^bb0(%sum: i16, %one: i16, %other: i16):
      %product = arith.muli %one, %other : i16
      %next = arith.addi %sum, %product : i16
      accel.yield %next : i16
    } finish {
    ^bb0(%sum: i16, %count: i32):
      accel.yield %sum : i16
    } -> tensor<1x16xi16> loc(#lstm)
  // CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x8xi16>)
  %e1 = tensor.empty() : tensor<1x16xi16>
  %square = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<1x16xi16>) outs(%e1 : tensor<1x16xi16>) {
  ^bb0(%in: i16, %old: i16):
    %s = arith.muli %in, %in : i16
    linalg.yield %s : i16
  } -> tensor<1x16xi16> loc(#lstm)
  %put = tensor.insert_slice %square into %all[3, 0] [1, 16] [1, 1] : tensor<1x16xi16> into tensor<5x16xi16>
  return %put : tensor<5x16xi16>
}
#lstm = loc("state"("UNIDIRECTIONAL_SEQUENCE_LSTM"("net.tflite":0:0)))

// -----

// The sums read all of the state that the update overwrites: tiles would need a copy of it.
#out = affine_map<(c) -> (0, c)>
#x = affine_map<(c, k) -> (0, k)>
#w = affine_map<(c, k) -> (c, k)>
#one = affine_map<(n, c) -> (n, c)>

// CHECK-LABEL: func.func @overwritten(
// CHECK-NOT: scf.for
func.func @overwritten(%h: tensor<1x16xi16>, %w: tensor<16x16xi16>) -> tensor<1x16xi16> {
  %e = tensor.empty() : tensor<1x16xi16>
  %sum = accel.reduce [16 | 16] ins(%h, %w : tensor<1x16xi16>, tensor<16x16xi16>) outs(%e : tensor<1x16xi16>)
    maps [#x, #w, #out]
    init {
      %zero = arith.constant 0 : i16
      accel.yield %zero : i16
    } body {
    ^bb0(%sum: i16, %one: i16, %other: i16):
      %product = arith.muli %one, %other : i16
      %next = arith.addi %sum, %product : i16
      accel.yield %next : i16
    } finish {
    ^bb0(%sum: i16, %count: i32):
      accel.yield %sum : i16
    } -> tensor<1x16xi16> loc(#lstm)
  %new = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<1x16xi16>) outs(%h : tensor<1x16xi16>) {
  ^bb0(%in: i16, %old: i16):
    %s = arith.addi %in, %old : i16
    linalg.yield %s : i16
  } -> tensor<1x16xi16> loc(#lstm)
  return %new : tensor<1x16xi16>
}
#lstm = loc("state"("UNIDIRECTIONAL_SEQUENCE_LSTM"("net.tflite":0:0)))

// -----

// Tensors between operators are no temporaries.
#out = affine_map<(c) -> (0, c)>
#x = affine_map<(c, k) -> (0, k)>
#w = affine_map<(c, k) -> (c, k)>
#one = affine_map<(n, c) -> (n, c)>

// CHECK-LABEL: func.func @operators(
// CHECK-NOT: scf.for
func.func @operators(%x: tensor<1x9xi16>, %w: tensor<16x9xi16>) -> tensor<1x16xi16> {
  %e = tensor.empty() : tensor<1x16xi16>
  %sum = accel.reduce [16 | 9] ins(%x, %w : tensor<1x9xi16>, tensor<16x9xi16>) outs(%e : tensor<1x16xi16>)
    maps [#x, #w, #out]
    init {
      %zero = arith.constant 0 : i16
      accel.yield %zero : i16
    } body {
    ^bb0(%sum: i16, %one: i16, %other: i16):
      %product = arith.muli %one, %other : i16
      %next = arith.addi %sum, %product : i16
      accel.yield %next : i16
    } finish {
    ^bb0(%sum: i16, %count: i32):
      accel.yield %sum : i16
    } -> tensor<1x16xi16> loc("y"("FULLY_CONNECTED"("net.tflite":0:0)))
  %e1 = tensor.empty() : tensor<1x16xi16>
  %square = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<1x16xi16>) outs(%e1 : tensor<1x16xi16>) {
  ^bb0(%in: i16, %old: i16):
    %s = arith.muli %in, %in : i16
    linalg.yield %s : i16
  } -> tensor<1x16xi16> loc("z"("SQUARE"("net.tflite":1:0)))
  return %square : tensor<1x16xi16>
}

// -----

// The second pair of kernels reads all of what the first one computes, so each has a loop of its own.
#out = affine_map<(c) -> (0, c)>
#x = affine_map<(c, k) -> (0, k)>
#w = affine_map<(c, k) -> (c, k)>
#one = affine_map<(n, c) -> (n, c)>

// CHECK-LABEL: func.func @layers(
func.func @layers(%x: tensor<1x9xi16>, %w: tensor<16x9xi16>, %w1: tensor<16x16xi16>) -> tensor<1x16xi16> {
  %e1 = tensor.empty() : tensor<1x16xi16>
  %e2 = tensor.empty() : tensor<1x16xi16>
  %e3 = tensor.empty() : tensor<1x16xi16>
  %e4 = tensor.empty() : tensor<1x16xi16>
  // CHECK: %[[FIRST:.*]] = scf.for
  // CHECK: accel.reduce [8 | 9]
  // CHECK: scf.yield
  %sum0 = accel.reduce [16 | 9] ins(%x, %w : tensor<1x9xi16>, tensor<16x9xi16>) outs(%e1 : tensor<1x16xi16>)
    maps [#x, #w, #out]
    init {
      %zero = arith.constant 0 : i16
      accel.yield %zero : i16
    } body {
    ^bb0(%sum: i16, %one: i16, %other: i16):
      %product = arith.muli %one, %other : i16
      %next = arith.addi %sum, %product : i16
      accel.yield %next : i16
    } finish {
    ^bb0(%sum: i16, %count: i32):
      accel.yield %sum : i16
    } -> tensor<1x16xi16> loc(#lstm)
  %y = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel", "parallel"]}
      ins(%sum0 : tensor<1x16xi16>) outs(%e2 : tensor<1x16xi16>) {
  ^bb0(%in: i16, %old: i16):
    %s = arith.muli %in, %in : i16
    linalg.yield %s : i16
  } -> tensor<1x16xi16> loc(#lstm)
  // CHECK: scf.for
  // CHECK: accel.reduce [8 | 16] ins(%[[FIRST]], %{{.*}} : tensor<1x16xi16>, tensor<8x16xi16>)
  // CHECK: scf.yield
  %sum1 = accel.reduce [16 | 16] ins(%y, %w1 : tensor<1x16xi16>, tensor<16x16xi16>) outs(%e3 : tensor<1x16xi16>)
    maps [#x, #w, #out]
    init {
      %zero = arith.constant 0 : i16
      accel.yield %zero : i16
    } body {
    ^bb0(%sum: i16, %one: i16, %other: i16):
      %product = arith.muli %one, %other : i16
      %next = arith.addi %sum, %product : i16
      accel.yield %next : i16
    } finish {
    ^bb0(%sum: i16, %count: i32):
      accel.yield %sum : i16
    } -> tensor<1x16xi16> loc(#lstm)
  %z = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel", "parallel"]}
      ins(%sum1 : tensor<1x16xi16>) outs(%e4 : tensor<1x16xi16>) {
  ^bb0(%in: i16, %old: i16):
    %s = arith.muli %in, %in : i16
    linalg.yield %s : i16
  } -> tensor<1x16xi16> loc(#lstm)
  return %z : tensor<1x16xi16>
}
#lstm = loc("state"("UNIDIRECTIONAL_SEQUENCE_LSTM"("net.tflite":0:0)))

// -----

// The state after the first update is used, too: tiles would keep the last one only.
#out = affine_map<(c) -> (0, c)>
#x = affine_map<(c, k) -> (0, k)>
#w = affine_map<(c, k) -> (c, k)>
#one = affine_map<(n, c) -> (n, c)>

// CHECK-LABEL: func.func @both(
// CHECK-NOT: scf.for
func.func @both(%x: tensor<1x9xi16>, %w: tensor<16x9xi16>, %c: tensor<1x16xi16>)
    -> (tensor<1x16xi16>, tensor<1x16xi16>) {
  %e = tensor.empty() : tensor<1x16xi16>
  %sum = accel.reduce [16 | 9] ins(%x, %w : tensor<1x9xi16>, tensor<16x9xi16>) outs(%e : tensor<1x16xi16>)
    maps [#x, #w, #out]
    init {
      %zero = arith.constant 0 : i16
      accel.yield %zero : i16
    } body {
    ^bb0(%sum: i16, %one: i16, %other: i16):
      %product = arith.muli %one, %other : i16
      %next = arith.addi %sum, %product : i16
      accel.yield %next : i16
    } finish {
    ^bb0(%sum: i16, %count: i32):
      accel.yield %sum : i16
    } -> tensor<1x16xi16> loc(#lstm)
  %first = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<1x16xi16>) outs(%c : tensor<1x16xi16>) {
  ^bb0(%in: i16, %old: i16):
    %s = arith.addi %in, %old : i16
    linalg.yield %s : i16
  } -> tensor<1x16xi16> loc(#lstm)
  %second = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<1x16xi16>) outs(%first : tensor<1x16xi16>) {
  ^bb0(%in: i16, %old: i16):
    %s = arith.muli %in, %old : i16
    linalg.yield %s : i16
  } -> tensor<1x16xi16> loc(#lstm)
  return %first, %second : tensor<1x16xi16>, tensor<1x16xi16>
}
#lstm = loc("state"("UNIDIRECTIONAL_SEQUENCE_LSTM"("net.tflite":0:0)))

// -----

// A softmax of floats: the highest element and the total of a row are temporaries. All kernels share the 3 x 5
// rows, and the columns are in the tile: one row has one element of each temporary, and loops over its 7 columns.
#all = affine_map<(n, r, c) -> (n, r, c)>
#row = affine_map<(n, r, c) -> (n, r)>
#out = affine_map<(n, r) -> (n, r)>

// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:[^:]*]]: tensor<3x5x7xf32>
func.func @rows(%x: tensor<3x5x7xf32>) -> tensor<3x5x7xf32> {
  // CHECK: %[[Y:.*]] = tensor.empty() : tensor<3x5x7xf32>
  // CHECK: %[[ALL:.*]] = scf.for %[[N:.*]] = %{{.*}} to %c3{{.*}} step %c1{{.*}} iter_args(%[[Y0:.*]] = %[[Y]])
  // CHECK: scf.for %[[R:.*]] = %{{.*}} to %c5{{.*}} step %c1{{.*}} iter_args(%[[Y1:.*]] = %[[Y0]])
  // CHECK: %[[YROW:.*]] = tensor.extract_slice %[[Y1]][%[[N]], %[[R]], 0] [1, 1, 7] [1, 1, 1]
  // CHECK: %[[XROW:.*]] = tensor.extract_slice %[[X]][%[[N]], %[[R]], 0] [1, 1, 7] [1, 1, 1]
  // CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<1x1xf32>
  // CHECK: %[[HIGHEST:.*]] = accel.reduce [1, 1 | 7] ins(%[[XROW]] : tensor<1x1x7xf32>) outs(%[[EMPTY]] :
  %e0 = tensor.empty() : tensor<3x5xf32>
  %highest = accel.reduce [3, 5 | 7] ins(%x : tensor<3x5x7xf32>) outs(%e0 : tensor<3x5xf32>) maps [#all, #out]
    init {
      %least = arith.constant 0xFF800000 : f32
      accel.yield %least : f32
    } body {
    ^bb0(%so_far: f32, %one: f32):
      %next = arith.maximumf %so_far, %one : f32
      accel.yield %next : f32
    } finish {
    ^bb0(%so_far: f32, %count: i32):
      accel.yield %so_far : f32
    } -> tensor<3x5xf32> loc(#softmax)
  // CHECK: %[[EXPS:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[HIGHEST]] : {{.*}}) outs(%[[YROW]] :
  %e1 = tensor.empty() : tensor<3x5x7xf32>
  %exps = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %highest : tensor<3x5x7xf32>, tensor<3x5xf32>) outs(%e1 : tensor<3x5x7xf32>) {
  ^bb0(%in: f32, %most: f32, %old: f32):
    %difference = arith.subf %in, %most : f32
    %exp = math.exp %difference : f32
    linalg.yield %exp : f32
  } -> tensor<3x5x7xf32> loc(#softmax)
  // A total may be a linalg.generic, too.
  // CHECK: %[[ZEROS:.*]] = accel.reduce [1, 1] outs(%{{.*}} : tensor<1x1xf32>)
  // CHECK: %[[TOTAL:.*]] = linalg.generic {{.*}}"reduction"{{.*}} ins(%[[EXPS]] : {{.*}}) outs(%[[ZEROS]] :
  %e2 = tensor.empty() : tensor<3x5xf32>
  %zeros = accel.reduce [3, 5] outs(%e2 : tensor<3x5xf32>) maps [#out]
    init {
      %zero = arith.constant 0.0 : f32
      accel.yield %zero : f32
    } body {
    ^bb0(%so_far: f32):
      accel.yield %so_far : f32
    } finish {
    ^bb0(%so_far: f32, %count: i32):
      accel.yield %so_far : f32
    } -> tensor<3x5xf32> loc(#softmax)
  %total = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%exps : tensor<3x5x7xf32>) outs(%zeros : tensor<3x5xf32>) {
  ^bb0(%in: f32, %old: f32):
    %sum = arith.addf %old, %in : f32
    linalg.yield %sum : f32
  } -> tensor<3x5xf32> loc(#softmax)
  // CHECK: %[[QUOTIENTS:.*]] = linalg.generic {{.*}} ins(%[[TOTAL]] : tensor<1x1xf32>) outs(%[[EXPS]] :
  // CHECK: tensor.insert_slice %[[QUOTIENTS]] into %[[Y1]][%[[N]], %[[R]], 0] [1, 1, 7] [1, 1, 1]
  // CHECK: return %[[ALL]]
  %y = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%total : tensor<3x5xf32>) outs(%exps : tensor<3x5x7xf32>) {
  ^bb0(%in: f32, %old: f32):
    %quotient = arith.divf %old, %in : f32
    linalg.yield %quotient : f32
  } -> tensor<3x5x7xf32> loc(#softmax)
  return %y : tensor<3x5x7xf32>
}
#softmax = loc("y"("SOFTMAX"("net.tflite":0:0)))

// -----

// Column c is multiplied by the total of row c, so rows cannot be computed one by one.
#all = affine_map<(r, c) -> (r, c)>
#column = affine_map<(r, c) -> (c)>
#out = affine_map<(r) -> (r)>

// CHECK-LABEL: func.func @another_row(
// CHECK-NOT: scf.for
func.func @another_row(%x: tensor<6x6xi16>) -> tensor<6x6xi16> {
  %e0 = tensor.empty() : tensor<6xi16>
  %total = accel.reduce [6 | 6] ins(%x : tensor<6x6xi16>) outs(%e0 : tensor<6xi16>) maps [#all, #out]
    init {
      %zero = arith.constant 0 : i16
      accel.yield %zero : i16
    } body {
    ^bb0(%sum: i16, %one: i16):
      %next = arith.addi %sum, %one : i16
      accel.yield %next : i16
    } finish {
    ^bb0(%sum: i16, %count: i32):
      accel.yield %sum : i16
    } -> tensor<6xi16> loc(#op)
  %e1 = tensor.empty() : tensor<6x6xi16>
  %y = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %total : tensor<6x6xi16>, tensor<6xi16>) outs(%e1 : tensor<6x6xi16>) {
  ^bb0(%in: i16, %sum: i16, %old: i16):
    %product = arith.muli %in, %sum : i16
    linalg.yield %product : i16
  } -> tensor<6x6xi16> loc(#op)
  return %y : tensor<6x6xi16>
}
#op = loc("y"("L2_NORMALIZATION"("net.tflite":0:0)))

// -----

// The products of a row have 9 x 2 = 18 bytes: they stay as they are. The gates behind the totals of the rows share
// both axes, so they are computed in tiles of 16 / 2 = 8 of 9 units; the last unit is behind the loop.
#all = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#out = affine_map<(r) -> (r)>
#x = affine_map<(r, c, k) -> (r, k)>
#w = affine_map<(r, c, k) -> (c, k)>
#sum = affine_map<(r, c) -> (r, c)>

// CHECK-LABEL: func.func @long_rows(
func.func @long_rows(%x: tensor<2x5xi16>, %w: tensor<9x5xi16>) -> tensor<2x9xi16> {
  // CHECK: %[[TOTAL:.*]] = accel.reduce [2 | 5]
  %e0 = tensor.empty() : tensor<2xi16>
  %total = accel.reduce [2 | 5] ins(%x : tensor<2x5xi16>) outs(%e0 : tensor<2xi16>) maps [#all, #out]
    init {
      %zero = arith.constant 0 : i16
      accel.yield %zero : i16
    } body {
    ^bb0(%sum: i16, %one: i16):
      %next = arith.addi %sum, %one : i16
      accel.yield %next : i16
    } finish {
    ^bb0(%sum: i16, %count: i32):
      accel.yield %sum : i16
    } -> tensor<2xi16> loc(#op)
  // CHECK: scf.for %[[R:.*]] = %{{.*}} to %c2
  // CHECK: scf.for %{{.*}} = %{{.*}} to %c8{{.*}} step %c8
  // CHECK: accel.reduce [1, 8 | 5]
  // CHECK: %[[PART:.*]] = tensor.extract_slice %[[TOTAL]][%[[R]]] [1] [1]
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[PART]] : tensor<1x8xi16>, tensor<1xi16>)
  // CHECK: accel.reduce [1, 1 | 5]
  %e1 = tensor.empty() : tensor<2x9xi16>
  %gate = accel.reduce [2, 9 | 5] ins(%x, %w : tensor<2x5xi16>, tensor<9x5xi16>) outs(%e1 : tensor<2x9xi16>)
    maps [#x, #w, #sum]
    init {
      %zero = arith.constant 0 : i16
      accel.yield %zero : i16
    } body {
    ^bb0(%sum: i16, %one: i16, %other: i16):
      %product = arith.muli %one, %other : i16
      %next = arith.addi %sum, %product : i16
      accel.yield %next : i16
    } finish {
    ^bb0(%sum: i16, %count: i32):
      accel.yield %sum : i16
    } -> tensor<2x9xi16> loc(#op)
  %e2 = tensor.empty() : tensor<2x9xi16>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%gate, %total : tensor<2x9xi16>, tensor<2xi16>) outs(%e2 : tensor<2x9xi16>) {
  ^bb0(%in: i16, %sum: i16, %old: i16):
    %product = arith.muli %in, %sum : i16
    linalg.yield %product : i16
  } -> tensor<2x9xi16> loc(#op)
  return %y : tensor<2x9xi16>
}
#op = loc("y"("UNIDIRECTIONAL_SEQUENCE_LSTM"("net.tflite":0:0)))

// -----

// One row has one element of each temporary in any case.
#all = affine_map<(r, c) -> (r, c)>
#one = affine_map<(c) -> (0, c)>
#row = affine_map<(r, c) -> (r)>

// CHECK-LABEL: func.func @one_row(
// CHECK-NOT: {{scf.for|insert_slice}}
func.func @one_row(%x: tensor<1x6xi16>) -> tensor<1x6xi16> {
  %e0 = tensor.empty() : tensor<1xi16>
  %total = accel.reduce [| 6] ins(%x : tensor<1x6xi16>) outs(%e0 : tensor<1xi16>)
    maps [#one, affine_map<() -> (0)>]
    init {
      %zero = arith.constant 0 : i16
      accel.yield %zero : i16
    } body {
    ^bb0(%sum: i16, %one: i16):
      %next = arith.addi %sum, %one : i16
      accel.yield %next : i16
    } finish {
    ^bb0(%sum: i16, %count: i32):
      accel.yield %sum : i16
    } -> tensor<1xi16> loc(#op)
  %e1 = tensor.empty() : tensor<1x6xi16>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %total : tensor<1x6xi16>, tensor<1xi16>) outs(%e1 : tensor<1x6xi16>) {
  ^bb0(%in: i16, %sum: i16, %old: i16):
    %product = arith.muli %in, %sum : i16
    linalg.yield %product : i16
  } -> tensor<1x6xi16> loc(#op)
  return %y : tensor<1x6xi16>
}
#op = loc("y"("L2_NORMALIZATION"("net.tflite":0:0)))
