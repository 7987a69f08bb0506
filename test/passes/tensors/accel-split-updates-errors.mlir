// RUN: forebay-opt %s --split-input-file --verify-diagnostics --accel-split-updates

// The second result needs the old and the new value of the element that the op updates.
#row = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @old_and_new(%x: tensor<4xf32>, %y: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4x8xf32>) {
  // expected-error @below {{an op reads an element before and after its update; compute the two in ops of their own}}
  %r:2 = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      outs(%x, %y : tensor<4xf32>, tensor<4x8xf32>) {
  ^bb0(%old: f32, %out: f32):
    %new = arith.addf %old, %old : f32
    %both = arith.mulf %old, %new : f32
    linalg.yield %new, %both : f32, f32
  } -> (tensor<4xf32>, tensor<4x8xf32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4x8xf32>
}
