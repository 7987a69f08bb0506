// but another symbol has that name; rename it
func.func private @main(%a: tensor<4xi32>) -> tensor<4xi32> { return %a : tensor<4xi32> }
func.func @net(%a: tensor<4xi32>) -> tensor<4xi32> { %0 = call @main(%a) : (tensor<4xi32>) -> tensor<4xi32> return %0 : tensor<4xi32> }
