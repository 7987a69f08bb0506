// The greatest score of each digit since the last reset: a network with state.
tosa.variable @best = dense<-128> : tensor<1x10xi8>
func.func @main(%scores: tensor<1x10xi8> {accel.name = "scores"})
    -> (tensor<1x10xi8> {accel.name = "best"}) {
  %before = tosa.variable_read @best : tensor<1x10xi8>
  %after = tosa.maximum %before, %scores
    : (tensor<1x10xi8>, tensor<1x10xi8>) -> tensor<1x10xi8>
  tosa.variable_write @best, %after : tensor<1x10xi8>
  return %after : tensor<1x10xi8>
}
