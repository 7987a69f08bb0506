// RUN: forebay-opt %s --split-input-file --accel-fuse-host | FileCheck %s

// A padded convolution with its bias, a multiplier and a shift per channel, and a clamp: one op. The
// padding is where the map leaves the operand; batch is 1 and has no dimension in the domain.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (0, d0 * 2 + d3 - 1, d1 * 2 + d4, d5)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d3, d4, d5)>
// CHECK-DAG: #[[C:.*]] = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-DAG: #[[O:.*]] = affine_map<(d0, d1, d2) -> (0, d0, d1, d2)>
// CHECK-LABEL: func.func @convolution(
// CHECK-SAME:    %[[ARG:.*]]: tensor
func.func @convolution(%x: tensor<1x7x8x4xi8>) -> tensor<1x4x4x2xi8> {
  // CHECK: %[[WEIGHTS:.*]] = "tosa.const"() <{values = dense<1> : tensor<2x3x3x4xi8>}>
  %w = "tosa.const"() <{values = dense<1> : tensor<2x3x3x4xi8>}> : () -> tensor<2x3x3x4xi8>
  // CHECK: %[[BIAS:.*]] = "tosa.const"() <{values = dense<[1, 2]> : tensor<2xi32>}>
  %b = "tosa.const"() <{values = dense<[1, 2]> : tensor<2xi32>}> : () -> tensor<2xi32>
  // CHECK: %[[MULTIPLIER:.*]] = "tosa.const"()
  %m = "tosa.const"() <{values = dense<[1073741824, 1073741825]> : tensor<2xi32>}> : () -> tensor<2xi32>
  // CHECK: %[[SHIFT:.*]] = "tosa.const"()
  %s = "tosa.const"() <{values = dense<[33, 34]> : tensor<2xi8>}> : () -> tensor<2xi8>
  %zx = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z8 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z32 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %0 = tosa.conv2d %x, %w, %b, %zx, %z8 {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 0, 1>, stride = array<i64: 2, 2>} : (tensor<1x7x8x4xi8>, tensor<2x3x3x4xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4x2xi32>
  %1 = tosa.rescale %0, %m, %s, %z32, %zx {input_unsigned = false, output_unsigned = false, per_channel = true, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x4x4x2xi32>, tensor<2xi32>, tensor<2xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4x4x2xi8>
  %2 = tosa.clamp %1 {min_val = -128 : i8, max_val = 12 : i8} : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8>
  // CHECK:      %[[EMPTY:.*]] = tensor.empty() : tensor<1x4x4x2xi8>
  // CHECK:      %[[RESULT:.*]] = accel.reduce [4, 4, 2 | 3, 3, 4] ins(%[[ARG]], %[[WEIGHTS]] : {{.*}}) params(%[[BIAS]], %[[MULTIPLIER]], %[[SHIFT]] : {{.*}}) outs(%[[EMPTY]] : {{.*}}) maps [#[[X]], #[[W]], #[[C]], #[[C]], #[[C]], #[[O]]] init {
  // CHECK-NEXT: ^bb0(%[[B:.*]]: i32, %{{.*}}: i32, %{{.*}}: i8):
  // CHECK-NEXT:   accel.yield %[[B]]
  // CHECK-NEXT: } body {
  // CHECK-NEXT: ^bb0(%[[ACC:.*]]: i32, %[[X0:.*]]: i8, %[[W0:.*]]: i8):
  // CHECK-NEXT:   %[[X1:.*]] = arith.extsi %[[X0]]
  // CHECK-NEXT:   %[[ZX:.*]] = arith.constant 128
  // CHECK-NEXT:   %[[X2:.*]] = arith.addi %[[X1]], %[[ZX]] overflow<nsw>
  // CHECK-NEXT:   %[[W1:.*]] = arith.extsi %[[W0]]
  // CHECK-NEXT:   %[[PRODUCT:.*]] = arith.muli %[[X2]], %[[W1]] overflow<nsw>
  // CHECK-NEXT:   %[[SUM:.*]] = arith.addi %[[ACC]], %[[PRODUCT]] overflow<nsw>
  // CHECK-NEXT:   accel.yield %[[SUM]]
  // CHECK-NEXT: } finish {
  // CHECK-NEXT: ^bb0(%[[ACC:.*]]: i32, %{{.*}}: i32, %{{.*}}: i32, %[[M:.*]]: i32, %[[S:.*]]: i8):
  // CHECK-NEXT:   %[[SCALED:.*]] = tosa.apply_scale %[[ACC]], %[[M]], %[[S]] {rounding_mode = DOUBLE_ROUND}
  // CHECK-NEXT:   %[[ZO:.*]] = arith.constant -128
  // CHECK-NEXT:   %[[SHIFTED:.*]] = arith.addi %[[SCALED]], %[[ZO]] overflow<nsw>
  // CHECK-NEXT:   %[[LOW:.*]] = arith.constant -128
  // CHECK-NEXT:   %[[RAISED:.*]] = arith.maxsi %[[SHIFTED]], %[[LOW]]
  // CHECK-NEXT:   %[[HIGH:.*]] = arith.constant 12
  // CHECK-NEXT:   %[[CLAMPED:.*]] = arith.minsi %[[RAISED]], %[[HIGH]]
  // CHECK-NEXT:   %[[NARROW:.*]] = arith.trunci %[[CLAMPED]]
  // CHECK-NEXT:   accel.yield %[[NARROW]]
  // CHECK:      return %[[RESULT]]
  return %2 : tensor<1x4x4x2xi8>
}

// -----

// Channel c * 2 + m of the output; a bias of zeros is no operand, one factor is a constant inside.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (0, d0 + d4, d1 + d5, d2)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5, d2, d3)>
// CHECK-DAG: #[[O:.*]] = affine_map<(d0, d1, d2, d3) -> (0, d0, d1, d2 * 2 + d3)>
// CHECK-LABEL: func.func @depthwise(
func.func @depthwise(%x: tensor<1x6x6x4xi8>, %w: tensor<3x3x4x2xi8>) -> tensor<1x4x4x8xi8> {
  %b = "tosa.const"() <{values = dense<0> : tensor<8xi32>}> : () -> tensor<8xi32>
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<31> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z8 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z32 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  // CHECK: accel.reduce [4, 4, 4, 2 | 3, 3] ins(%{{.*}}, %{{.*}} : {{.*}}) outs({{.*}}) maps [#[[X]], #[[W]], #[[O]]]
  // CHECK: %[[M:.*]] = arith.constant 1073741824 : i32
  // CHECK: %[[S:.*]] = arith.constant 31 : i8
  // A shift of 31 rounds once in either mode.
  // CHECK: tosa.apply_scale %{{.*}}, %[[M]], %[[S]] {rounding_mode = SINGLE_ROUND}
  %0 = tosa.depthwise_conv2d %x, %w, %b, %z8, %z8 {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x6x6x4xi8>, tensor<3x3x4x2xi8>, tensor<8xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4x8xi32>
  %1 = tosa.rescale %0, %m, %s, %z32, %z8 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x4x4x8xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4x4x8xi8>
  return %1 : tensor<1x4x4x8xi8>
}

// -----

// A fully connected layer is a matrix times vectors, on tensors of rank 2.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[O:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @fully_connected(
func.func @fully_connected(%x: tensor<5x1x1x8xf32>, %w: tensor<3x1x1x8xf32>, %b: tensor<3xf32>) -> tensor<5x1x1x3xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  // CHECK:      %[[X0:.*]] = tosa.reshape %{{.*}} -> tensor<5x8xf32>
  // CHECK:      %[[W0:.*]] = tosa.reshape %{{.*}} -> tensor<3x8xf32>
  // CHECK:      %[[OUT:.*]] = accel.reduce [5, 3 | 8] ins(%[[X0]], %[[W0]] : {{.*}}) params(%{{.*}} : {{.*}}) outs({{.*}}) maps [#[[X]], #[[W]], #[[B]], #[[O]]] init {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32):
  // CHECK-NEXT:   %[[ZERO:.*]] = arith.constant 0.000000e+00
  // CHECK-NEXT:   accel.yield %[[ZERO]]
  // CHECK-NEXT: } body {
  // CHECK-NEXT: ^bb0(%[[ACC:.*]]: f32, %[[X1:.*]]: f32, %[[W1:.*]]: f32):
  // CHECK-NEXT:   %[[PRODUCT:.*]] = arith.mulf %[[X1]], %[[W1]]
  // CHECK-NEXT:   %[[SUM:.*]] = arith.addf %[[ACC]], %[[PRODUCT]]
  // CHECK-NEXT:   accel.yield %[[SUM]]
  // CHECK-NEXT: } finish {
  // The bias comes last, as in TFLite.
  // CHECK-NEXT: ^bb0(%[[ACC:.*]]: f32, %{{.*}}: i32, %[[BIAS:.*]]: f32):
  // CHECK-NEXT:   %[[SUM:.*]] = arith.addf %[[ACC]], %[[BIAS]]
  // CHECK:        %[[RAISED:.*]] = arith.maximumf %[[SUM]]
  // CHECK:        arith.minimumf %[[RAISED]]
  // CHECK:      tosa.reshape %[[OUT]], %{{.*}} -> tensor<5x1x1x3xf32>
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<5x1x1x8xf32>, tensor<3x1x1x8xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<5x1x1x3xf32>
  %1 = tosa.clamp %0 {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<5x1x1x3xf32>) -> tensor<5x1x1x3xf32>
  return %1 : tensor<5x1x1x3xf32>
}

// -----

// Row y gets row iy of the source through row y - 1 - 2 * iy of the weights.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (0, d3, d4, d5)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d0 - d3 * 2 - 1, d1 - d4, d5)>
// CHECK-LABEL: func.func @transpose_convolution(
func.func @transpose_convolution(%x: tensor<1x4x5x3xi8>, %w: tensor<2x3x3x3xi8>, %b: tensor<2xi32>) -> tensor<1x10x7x2xi32> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // CHECK: accel.reduce [10, 7, 2 | 4, 5, 3] {{.*}} maps [#[[X]], #[[W]], #{{.*}}, #{{.*}}]
  %0 = tosa.transpose_conv2d %x, %w, %b, %z, %z {acc_type = i32, out_pad = array<i64: 1, 0, 0, 0>, stride = array<i64: 2, 1>} : (tensor<1x4x5x3xi8>, tensor<2x3x3x3xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x10x7x2xi32>
  return %0 : tensor<1x10x7x2xi32>
}

// -----

// CHECK-LABEL: func.func @matmul(
func.func @matmul(%a: tensor<1x3x4xi8>, %b: tensor<1x4x5xi8>) -> tensor<1x3x5xi32> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // CHECK: accel.reduce [3, 5 | 4] ins(%arg0, %arg1
  %0 = tosa.matmul %a, %b, %z, %z : (tensor<1x3x4xi8>, tensor<1x4x5xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x5xi32>
  return %0 : tensor<1x3x5xi32>
}

// -----

// The mean of what the window saw, halves away from zero.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (0, d0 + d3 - 1, d1 + d4 - 1, d2)>
// CHECK-LABEL: func.func @average_pool(
func.func @average_pool(%x: tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8> {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // CHECK: accel.reduce [4, 4, 2 | 3, 3] ins(%arg0 : {{.*}}) outs({{.*}}) maps [#[[X]], #{{.*}}]
  // CHECK:      } finish {
  // CHECK-NEXT: ^bb0(%[[SUM:.*]]: i32, %[[COUNT:.*]]: i32):
  // CHECK-NEXT:   %[[C0:.*]] = arith.constant 0 : i32
  // CHECK-NEXT:   %[[C2:.*]] = arith.constant 2 : i32
  // CHECK-NEXT:   %[[HALF:.*]] = arith.divsi %[[COUNT]], %[[C2]]
  // CHECK-NEXT:   %[[POSITIVE:.*]] = arith.cmpi sgt, %[[SUM]], %[[C0]]
  // CHECK-NEXT:   %[[MORE:.*]] = arith.addi %[[SUM]], %[[HALF]]
  // CHECK-NEXT:   %[[LESS:.*]] = arith.subi %[[SUM]], %[[HALF]]
  // CHECK-NEXT:   %[[AWAY:.*]] = arith.select %[[POSITIVE]], %[[MORE]], %[[LESS]]
  // CHECK-NEXT:   %[[MEAN:.*]] = arith.divsi %[[AWAY]], %[[COUNT]]
  // CHECK-NEXT:   %[[NARROW:.*]] = arith.trunci %[[MEAN]]
  // CHECK-NEXT:   accel.yield %[[NARROW]]
  %0 = tosa.avg_pool2d %x, %z, %z {kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>, acc_type = i32} : (tensor<1x4x4x2xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4x2xi8>
  return %0 : tensor<1x4x4x2xi8>
}

// -----

// CHECK-LABEL: func.func @max_pool(
func.func @max_pool(%x: tensor<1x4x4x2xi8>) -> tensor<1x2x2x2xi8> {
  // CHECK:      accel.reduce [2, 2, 2 | 2, 2]
  // CHECK-NEXT:   %[[LOWEST:.*]] = arith.constant -128 : i8
  // CHECK:        arith.maxsi %{{.*}} : i8
  // CHECK:      } finish {
  // CHECK:        arith.maxsi %{{.*}} : i8
  // CHECK:        arith.minsi %{{.*}} : i8
  %0 = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x4x4x2xi8>) -> tensor<1x2x2x2xi8>
  %1 = tosa.clamp %0 {min_val = 0 : i8, max_val = 100 : i8} : (tensor<1x2x2x2xi8>) -> tensor<1x2x2x2xi8>
  return %1 : tensor<1x2x2x2xi8>
}

// -----

// MEAN: a rescale by exactly one in front takes the zero point off, and two sums are one nest.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2) -> (0, d1, d0, d2)>
// CHECK-DAG: #[[O:.*]] = affine_map<(d0) -> (0, 0, d0, 0)>
// CHECK-LABEL: func.func @mean(
func.func @mean(%x: tensor<1x4x8x2xi8>) -> tensor<1x1x8x1xi8> {
  %one = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s30 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %s33 = "tosa.const"() <{values = dense<33> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zx = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z32 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  // CHECK-NOT:  tosa.rescale
  // CHECK:      accel.reduce [8 | 4, 2] ins(%arg0 : {{.*}}) outs({{.*}}) maps [#[[X]], #[[O]]]
  // CHECK:      } body {
  // CHECK:        %[[X0:.*]] = arith.extsi
  // CHECK-NEXT:   %[[C5:.*]] = arith.constant 5 : i32
  // CHECK-NEXT:   %[[X1:.*]] = arith.addi %[[X0]], %[[C5]]
  // CHECK-NEXT:   %[[SUM:.*]] = arith.addi %{{.*}}, %[[X1]]
  // CHECK-NEXT:   accel.yield %[[SUM]]
  // CHECK:        tosa.apply_scale
  %0 = tosa.rescale %x, %one, %s30, %zx, %z32 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x4x8x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x4x8x2xi32>
  %1 = tosa.reduce_sum %0 {axis = 1 : i32} : (tensor<1x4x8x2xi32>) -> tensor<1x1x8x2xi32>
  %2 = tosa.reduce_sum %1 {axis = 3 : i32} : (tensor<1x1x8x2xi32>) -> tensor<1x1x8x1xi32>
  %3 = tosa.rescale %2, %one, %s33, %z32, %zx {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x1x8x1xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x8x1xi8>
  return %3 : tensor<1x1x8x1xi8>
}

// -----

// What the windows do not read and what they would read as the zero point is not stored: rows
// [1, 6) of 8, then one of padding in front, are rows y - 0 of the source, and column x - 1.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (0, d0 + d3 + 1, d1 + d4 - 1, d5)>
// CHECK-LABEL: func.func @views(
func.func @views(%x: tensor<1x8x6x2xi8>, %w: tensor<2x3x3x2xi8>, %b: tensor<2xi32>) -> tensor<1x3x6x2xi32> {
  %start = tosa.const_shape {values = dense<[0, 1, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %size = tosa.const_shape {values = dense<[1, 5, 6, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %amounts = tosa.const_shape {values = dense<[0, 0, 0, 0, 1, 1, 0, 0]> : tensor<8xindex>} : () -> !tosa.shape<8>
  %zx = "tosa.const"() <{values = dense<7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z8 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // CHECK-NOT: tosa.slice
  // CHECK-NOT: tosa.pad
  // CHECK:     accel.reduce [3, 6, 2 | 3, 3, 2] ins(%arg0, %arg1 : {{.*}}) params(%arg2 : {{.*}}) outs({{.*}}) maps [#[[X]]
  %0 = tosa.slice %x, %start, %size : (tensor<1x8x6x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x5x6x2xi8>
  %1 = tosa.pad %0, %amounts, %zx : (tensor<1x5x6x2xi8>, !tosa.shape<8>, tensor<1xi8>) -> tensor<1x5x8x2xi8>
  %2 = tosa.conv2d %1, %w, %b, %zx, %z8 {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x5x8x2xi8>, tensor<2x3x3x2xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x6x2xi32>
  return %2 : tensor<1x3x6x2xi32>
}

// -----

// A sum that two ops want is stored, and only then rescaled.
// CHECK-LABEL: func.func @two_users(
func.func @two_users(%a: tensor<1x3x4xi8>, %b: tensor<1x4x5xi8>) -> (tensor<1x3x5xi32>, tensor<1x3x5xi8>) {
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<31> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z32 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  // CHECK: %[[SUM:.*]] = accel.reduce
  // CHECK: -> tensor<1x3x5xi32>
  // CHECK: tosa.rescale %[[SUM]]
  %0 = tosa.matmul %a, %b, %z, %z : (tensor<1x3x4xi8>, tensor<1x4x5xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x5xi32>
  %1 = tosa.rescale %0, %m, %s, %z32, %z {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x3x5xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x3x5xi8>
  return %0, %1 : tensor<1x3x5xi32>, tensor<1x3x5xi8>
}

// -----

// With whole windows the zero point goes into the bias: 10 - (-4) * (1 + 2 + 3) = 34.
// CHECK-LABEL: func.func @zero_point_in_bias(
func.func @zero_point_in_bias(%x: tensor<1x2x2x3xi8>) -> tensor<1x2x2x1xi32> {
  %w = "tosa.const"() <{values = dense<[[[[1, 2, 3]]]]> : tensor<1x1x1x3xi8>}> : () -> tensor<1x1x1x3xi8>
  %b = "tosa.const"() <{values = dense<10> : tensor<1xi32>}> : () -> tensor<1xi32>
  %zx = "tosa.const"() <{values = dense<-4> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zw = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // CHECK:      %[[BIAS:.*]] = "tosa.const"() <{values = dense<34> : tensor<1xi32>}>
  // CHECK:      accel.reduce [2, 2 | 3] {{.*}} params(%[[BIAS]] :
  // CHECK:      } body {
  // CHECK-NEXT: ^bb0(%{{.*}}: i32, %{{.*}}: i8, %{{.*}}: i8):
  // CHECK-NEXT:   arith.extsi
  // CHECK-NEXT:   arith.extsi
  // CHECK-NEXT:   arith.muli
  %0 = tosa.conv2d %x, %w, %b, %zx, %zw {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x2x2x3xi8>, tensor<1x1x1x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2x1xi32>
  return %0 : tensor<1x2x2x1xi32>
}

// -----

// It stays where the bias and the largest products, 128 * 6, would leave 32 bits on the way.
// CHECK-LABEL: func.func @bias_near_the_limit(
func.func @bias_near_the_limit(%x: tensor<1x2x2x3xi8>) -> tensor<1x2x2x1xi32> {
  %w = "tosa.const"() <{values = dense<[[[[1, 2, 3]]]]> : tensor<1x1x1x3xi8>}> : () -> tensor<1x1x1x3xi8>
  // 2^31 - 1 - 128 * 6 - 4 * 6 is the last to fold.
  // CHECK:      %[[BIAS:.*]] = "tosa.const"() <{values = dense<2147482856> : tensor<1xi32>}>
  %b = "tosa.const"() <{values = dense<2147482856> : tensor<1xi32>}> : () -> tensor<1xi32>
  %zx = "tosa.const"() <{values = dense<-4> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zw = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // CHECK:      accel.reduce [2, 2 | 3] {{.*}} params(%[[BIAS]] :
  // CHECK:        arith.constant 4 : i32
  %0 = tosa.conv2d %x, %w, %b, %zx, %zw {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x2x2x3xi8>, tensor<1x1x1x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2x1xi32>
  return %0 : tensor<1x2x2x1xi32>
}
