// recursion.mlir:3:8: @f calls itself
func.func private @f(%a: tensor<4xi32>) -> tensor<4xi32> {
  %r = call @f(%a) : (tensor<4xi32>) -> tensor<4xi32> return %r : tensor<4xi32> }
 func.func @main(%a: tensor<4xi32>) -> tensor<4xi32> {
  %r = call @f(%a) : (tensor<4xi32>) -> tensor<4xi32> return %r : tensor<4xi32> }