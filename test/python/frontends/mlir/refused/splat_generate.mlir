// splat_generate.mlir:6:8: no step of the compiler takes 'tensor.generate'
func.func @main(%a: tensor<2xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  %c0 = arith.constant 0 : index
  %p = tensor.extract %a[%c0] : tensor<2xi32>
  %r = tensor.splat %p : tensor<3xi32>
  %g = tensor.generate { ^bb0(%i: index): %j = arith.index_cast %i : index to i32 %s = arith.addi %j, %p : i32 tensor.yield %s : i32 } : tensor<3xi32>
  return %r, %g : tensor<3xi32>, tensor<3xi32> }