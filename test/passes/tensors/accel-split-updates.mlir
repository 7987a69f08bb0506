// RUN: forebay-opt %s --accel-split-updates | FileCheck %s

#all = affine_map<(n, x, c) -> (n, x, c)>
#row = affine_map<(n, x, c) -> (n)>
#repeated = affine_map<(n, x, c) -> (n, x, 0)>

// The quotient is stored once per [n, x], not once per [n, x, c].
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[UPDATED:.*]] = affine_map<(d0, d1) -> (d0, d1, 0)>
// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[REPEATED:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
// CHECK-LABEL: func.func @repeated(
func.func @repeated(%y: tensor<2x3x8xf32>, %total: tensor<2xf32>, %exp: tensor<2x3x1xf32>)
    -> (tensor<2x3x1xf32>, tensor<2x3x8xf32>) {
  %e = tensor.empty() : tensor<2x3x8xf32>
  // CHECK: %[[UPDATE:.*]] = linalg.generic {indexing_maps = [#[[ROW]], #[[UPDATED]]]
  // CHECK-SAME: ins(%arg1 : tensor<2xf32>) outs(%arg2 : tensor<2x3x1xf32>)
  // CHECK: %[[QUOTIENT:.*]] = arith.divf %out, %in
  // CHECK-NEXT: linalg.yield %[[QUOTIENT]]
  // CHECK: %[[PRODUCT:.*]] = linalg.generic {indexing_maps = [#[[ALL]], #{{.*}}, #[[REPEATED]], #[[ALL]]]
  // CHECK-SAME: ins(%arg0, %arg1, %[[UPDATE]] :
  // CHECK: ^bb0(%[[Y:.*]]: f32, %{{.*}}: f32, %[[UPDATED_VALUE:.*]]: f32, %{{.*}}: f32):
  // CHECK-NEXT: %[[VALUE:.*]] = arith.mulf %[[Y]], %[[UPDATED_VALUE]]
  // CHECK-NEXT: linalg.yield %[[VALUE]] : f32
  %r:2 = linalg.generic {indexing_maps = [#all, #row, #repeated, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y, %total : tensor<2x3x8xf32>, tensor<2xf32>)
      outs(%exp, %e : tensor<2x3x1xf32>, tensor<2x3x8xf32>) {
  ^bb0(%a: f32, %t: f32, %x: f32, %unused: f32):
    %q = arith.divf %x, %t : f32
    %p = arith.mulf %a, %q : f32
    linalg.yield %q, %p : f32, f32
  } -> (tensor<2x3x1xf32>, tensor<2x3x8xf32>)
  // CHECK: return %[[UPDATE]], %[[PRODUCT]]
  return %r#0, %r#1 : tensor<2x3x1xf32>, tensor<2x3x8xf32>
}

// The position along x is that of the second loop in both ops.
// CHECK-LABEL: func.func @position(
func.func @position(%exp: tensor<3xi32>) -> tensor<8x3xi32> {
  // CHECK: linalg.generic {{.*}} outs(%arg0 : tensor<3xi32>)
  // CHECK: linalg.index 0 : index
  // CHECK: linalg.generic
  // CHECK-NOT: linalg.index
  %e = tensor.empty() : tensor<8x3xi32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(c, x) -> (x)>, affine_map<(c, x) -> (c, x)>],
      iterator_types = ["parallel", "parallel"]} outs(%exp, %e : tensor<3xi32>, tensor<8x3xi32>) {
  ^bb0(%x: i32, %unused: i32):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i32
    %s = arith.addi %x, %n : i32
    linalg.yield %s, %s : i32, i32
  } -> (tensor<3xi32>, tensor<8x3xi32>)
  return %r#1 : tensor<8x3xi32>
}

// Each element is updated once; and a sum updates its element for each term.
// CHECK-LABEL: func.func @once(
func.func @once(%y: tensor<2x3xf32>, %exp: tensor<3x2xf32>, %sum: tensor<2xf32>)
    -> (tensor<3x2xf32>, tensor<2xf32>) {
  // CHECK-COUNT-1: linalg.generic
  // CHECK-NOT: linalg.generic
  %r:2 = linalg.generic {indexing_maps = [affine_map<(n, x) -> (n, x)>,
      affine_map<(n, x) -> (x, n)>, affine_map<(n, x) -> (n)>],
      iterator_types = ["parallel", "reduction"]} ins(%y : tensor<2x3xf32>)
      outs(%exp, %sum : tensor<3x2xf32>, tensor<2xf32>) {
  ^bb0(%a: f32, %x: f32, %t: f32):
    %p = arith.mulf %a, %x : f32
    %s = arith.addf %t, %p : f32
    linalg.yield %p, %s : f32, f32
  } -> (tensor<3x2xf32>, tensor<2xf32>)
  return %r#0, %r#1 : tensor<3x2xf32>, tensor<2xf32>
}
