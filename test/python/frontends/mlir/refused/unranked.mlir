// has no rank, so it has no size; give it a shape
func.func @main(%a: tensor<*xi32>) -> tensor<*xi32> { return %a : tensor<*xi32> }
