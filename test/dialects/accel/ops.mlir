// RUN: forebay-opt %s | forebay-opt | FileCheck %s
// RUN: forebay-opt %s --mlir-print-op-generic | forebay-opt | FileCheck %s

// CHECK: accel.device @host kind "cpu"
accel.device @host kind "cpu"
// CHECK: accel.device @npu0 kind "npu"
accel.device @npu0 kind "npu"

// CHECK-LABEL: func.func @ports
// CHECK-SAME: accel.dtype = "uint8", accel.name = "image", accel.scale = 5.000000e-01 : f64, accel.zero_point = 128 : i64
func.func @ports(%x: tensor<4xi8> {accel.name = "image", accel.dtype = "uint8", accel.scale = 0.5 : f64, accel.zero_point = 128 : i64}) -> (tensor<4xi8> {accel.name = "copy"}) {
  return %x : tensor<4xi8>
}

#x = affine_map<(c, k) -> (c * 2 + k - 1)>
#w = affine_map<(c, k) -> (k)>
#b = affine_map<(c) -> (c)>
// CHECK-LABEL: func.func @convolution
func.func @convolution(%x: tensor<6xi8>, %w: tensor<3xi8>, %b: tensor<3xi32>, %o: tensor<3xi32>) -> tensor<3xi32> {
  // CHECK: %[[R:.*]] = accel.reduce [3 | 3] ins(%{{.*}}, %{{.*}} : tensor<6xi8>, tensor<3xi8>) params(%{{.*}} : tensor<3xi32>) outs(%{{.*}} : tensor<3xi32>) maps [#{{.*}}, #{{.*}}, #{{.*}}, #{{.*}}] init {
  // CHECK: } body {
  // CHECK: ^bb0(%{{.*}}: i32, %{{.*}}: i8, %{{.*}}: i8):
  // CHECK: } finish {
  // CHECK: ^bb0(%{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32):
  // CHECK: } -> tensor<3xi32>
  %r = accel.reduce [3 | 3] ins(%x, %w : tensor<6xi8>, tensor<3xi8>) params(%b : tensor<3xi32>) outs(%o : tensor<3xi32>) maps [#x, #w, #b, #b]
    init {
    ^bb0(%bias: i32):
      accel.yield %bias : i32
    } body {
    ^bb0(%acc: i32, %xe: i8, %we: i8):
      %0 = arith.extsi %xe : i8 to i32
      %1 = arith.extsi %we : i8 to i32
      %2 = arith.muli %0, %1 overflow<nsw> : i32
      %3 = arith.addi %acc, %2 overflow<nsw> : i32
      accel.yield %3 : i32
    } finish {
    ^bb0(%acc: i32, %count: i32, %bias: i32):
      accel.yield %acc : i32
    } -> tensor<3xi32>
  return %r : tensor<3xi32>
}

#scalar = affine_map<(i) -> (i)>
#none = affine_map<() -> ()>
// A total over everything has no parallel dimension; on memrefs there is no result.
// CHECK-LABEL: func.func @total
// CHECK: accel.reduce [| 4]
func.func @total(%x: memref<4xf32>, %o: memref<f32>) {
  accel.reduce [| 4] ins(%x : memref<4xf32>) outs(%o : memref<f32>) maps [#scalar, #none]
    init {
      %zero = arith.constant 0.0 : f32
      accel.yield %zero : f32
    } body {
    ^bb0(%acc: f32, %xe: f32):
      %0 = arith.addf %acc, %xe : f32
      accel.yield %0 : f32
    } finish {
    ^bb0(%acc: f32, %count: i32):
      accel.yield %acc : f32
    }
  return
}

#row = affine_map<(y, k) -> (y, k)>
#vector = affine_map<(y, k) -> (k)>
#out = affine_map<(y) -> (y)>
// Boxes of a domain: starts are constants or values; one that cuts the reduction has accumulators and a count.
// CHECK-LABEL: func.func @boxes
// CHECK-SAME: %[[Y:[a-z0-9]*]]: index
func.func @boxes(%x: tensor<8x6xi8>, %w: tensor<6xi8>, %y: index, %k: index, %o: tensor<8xi32>, %a: tensor<4xi32>) -> tensor<8xi32> {
  // CHECK: accel.reduce [8 | 6] at [%[[Y]] | 0] sizes [4 | 6] ins(
  // CHECK-SAME: outs(%{{.*}} : tensor<8xi32>) maps
  %0 = accel.reduce [8 | 6] at [%y | 0] sizes [4 | 6] ins(%x, %w : tensor<8x6xi8>, tensor<6xi8>) outs(%o : tensor<8xi32>) maps [#row, #vector, #out]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %xe: i8, %we: i8):
      accel.yield %acc : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %count : i32
    } -> tensor<8xi32>
  // CHECK: %{{.*}}:3 = accel.reduce [8 | 6] at [4 | %{{.*}}] sizes [4 | 2] ins(
  // CHECK-SAME: outs(%{{.*}} : tensor<8xi32>) accumulators(%{{.*}}, %{{.*}} : tensor<4xi32>, tensor<4xi32>) maps
  // CHECK: } -> tensor<8xi32>, tensor<4xi32>, tensor<4xi32>
  %1:3 = accel.reduce [8 | 6] at [4 | %k] sizes [4 | 2] ins(%x, %w : tensor<8x6xi8>, tensor<6xi8>) outs(%0 : tensor<8xi32>) accumulators(%a, %a : tensor<4xi32>, tensor<4xi32>) maps [#row, #vector, #out]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %xe: i8, %we: i8):
      accel.yield %acc : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %count : i32
    } -> tensor<8xi32>, tensor<4xi32>, tensor<4xi32>
  return %1#0 : tensor<8xi32>
}

// CHECK-LABEL: func.func @box_of_a_total
// CHECK: accel.reduce [| 4] at [| 2] sizes [| 2] ins({{.*}}) outs({{.*}}) accumulators(%{{.*}} : memref<f32>) maps
func.func @box_of_a_total(%x: memref<4xf32>, %o: memref<f32>, %a: memref<f32>) {
  accel.reduce [| 4] at [| 2] sizes [| 2] ins(%x : memref<4xf32>) outs(%o : memref<f32>) accumulators(%a : memref<f32>) maps [#scalar, #none]
    init {
      %zero = arith.constant 0.0 : f32
      accel.yield %zero : f32
    } body {
    ^bb0(%acc: f32, %xe: f32):
      accel.yield %acc : f32
    } finish {
    ^bb0(%acc: f32, %count: i32):
      accel.yield %acc : f32
    }
  return
}

// CHECK-LABEL: func.func @dot(
// CHECK:         accel.dot %{{.*}}, %{{.*}}, %{{.*}} : vector<4xi8>
// CHECK:         accel.dot %{{.*}}, %{{.*}}, %{{.*}} offset 128 lane 2 : vector<4xi8>
func.func @dot(%sum: i32, %x: vector<4xi8>, %w: vector<4xi8>) -> i32 {
  %0 = accel.dot %sum, %x, %w : vector<4xi8>
  %1 = accel.dot %0, %x, %w offset 128 lane 2 : vector<4xi8>
  return %1 : i32
}

// CHECK-LABEL: func.func @partial_sums(
// CHECK:         accel.dots %{{.*}}, %[[X:.*]], %[[X]] : vector<2xi32>, vector<16xi8>
// CHECK:         %[[B:.*]] = accel.dots %[[A:.*]], %[[X]], %[[X]] offset -7 : vector<2xi32>, vector<16xi8>
// CHECK:         accel.add_totals %{{.*}}, %[[A]], %[[B]] : vector<2xi32>, vector<2xi32>, vector<2xi32>
func.func @partial_sums(%sums: vector<2xi32>, %x: vector<16xi8>) -> vector<2xi32> {
  %0 = accel.dots %sums, %x, %x : vector<2xi32>, vector<16xi8>
  %1 = accel.dots %0, %x, %x offset -7 : vector<2xi32>, vector<16xi8>
  %2 = accel.add_totals %sums, %0, %1 : vector<2xi32>, vector<2xi32>, vector<2xi32>
  return %2 : vector<2xi32>
}

// CHECK-LABEL: func.func @lanes(
// CHECK:         accel.load_extended %{{.*}}[%{{.*}}] : memref<64xi8>, vector<8xi16>
// CHECK:         accel.multiply_add %{{.*}}, %[[X:.*]], %[[X]] : vector<8xi32>, vector<8xi16>
// CHECK:         accel.multiply_add %{{.*}}, %[[X]], %[[X]] offset 128 : vector<8xi32>, vector<8xi16>
// CHECK:         accel.store_rescaled %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}[%{{.*}}] zero_point -7 low -128 high 127 : vector<8xi32>, memref<64xi8>
func.func @lanes(%m: memref<64xi8>, %c: index, %sum: vector<8xi32>, %shift: vector<8xi32>) {
  %x = accel.load_extended %m[%c] : memref<64xi8>, vector<8xi16>
  %0 = accel.multiply_add %sum, %x, %x : vector<8xi32>, vector<8xi16>
  %1 = accel.multiply_add %0, %x, %x offset 128 : vector<8xi32>, vector<8xi16>
  accel.store_rescaled %1, %sum, %shift, %m[%c] zero_point -7 low -128 high 127 : vector<8xi32>, memref<64xi8>
  return
}

// CHECK-LABEL: func.func @sums_of_words(
// CHECK:         %[[A:.*]] = accel.dot_each %{{.*}}, %[[X:.*]], %[[W:.*]] : vector<16xi32>, vector<4xi8>, vector<64xi8>
// CHECK:         accel.dot_each %[[A]], %[[X]], %[[W]] offset 128 : vector<16xi32>, vector<4xi8>, vector<64xi8>
// CHECK:         accel.dot_each %{{.*}}, %{{.*}}, %{{.*}} offset -3 : vector<1xi32>, vector<3xi8>, vector<3xi8>
func.func @sums_of_words(%sums: vector<16xi32>, %x: vector<4xi8>, %w: vector<64xi8>, %one: vector<1xi32>, %three: vector<3xi8>) -> vector<16xi32> {
  %0 = accel.dot_each %sums, %x, %w : vector<16xi32>, vector<4xi8>, vector<64xi8>
  %1 = accel.dot_each %0, %x, %w offset 128 : vector<16xi32>, vector<4xi8>, vector<64xi8>
  %2 = accel.dot_each %one, %three, %three offset -3 : vector<1xi32>, vector<3xi8>, vector<3xi8>
  return %1 : vector<16xi32>
}

#word = affine_map<(c, l, k, t) -> (k * 4 + t)>
#words = affine_map<(c, l, k, t) -> (c, k, l * 4 + t)>
#channel = affine_map<(c, l) -> (c * 16 + l)>
// CHECK-LABEL: func.func @words_of_interleaved_weights(
// CHECK:         accel.reduce [2, 16 | 10, 4] {{.*}} blocks [1, 16, 2, 4] words [1, 16, 1, 4] lanes [1, 16, 1, 1] init
func.func @words_of_interleaved_weights(%x: memref<40xi8>, %w: memref<2x10x64xi8>, %o: memref<32xi32>) {
  accel.reduce [2, 16 | 10, 4] ins(%x, %w : memref<40xi8>, memref<2x10x64xi8>) outs(%o : memref<32xi32>)
    maps [#word, #words, #channel] blocks [1, 16, 2, 4] words [1, 16, 1, 4] lanes [1, 16, 1, 1] init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i8, %w0: i8):
      accel.yield %acc : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// CHECK-LABEL: func.func @between(
// CHECK:         accel.load_between %{{.*}}[%{{.*}}] from %{{.*}} to %{{.*}} fill -128 : memref<64xi8>, vector<16xi8>
func.func @between(%m: memref<64xi8>, %c: index, %begin: index, %end: index) -> vector<16xi8> {
  %0 = accel.load_between %m[%c] from %begin to %end fill -128 : memref<64xi8>, vector<16xi8>
  return %0 : vector<16xi8>
}

// CHECK-LABEL: func.func @peeled(
// CHECK:         accel.reduce {{.*}} blocks [2, 1] peeled [0] init
func.func @peeled(%x: memref<5x8xi8>, %o: memref<5xi32>) {
  accel.reduce [5 | 8] ins(%x : memref<5x8xi8>) outs(%o : memref<5xi32>)
    maps [affine_map<(i, k) -> (i, k)>, affine_map<(i) -> (i)>] blocks [2, 1] peeled [0] init {
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
