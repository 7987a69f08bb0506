// result 0 of @main is i32: an entry function takes and gives tensors or memrefs
func.func @main(%a: tensor<4xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %i = tensor.extract %a[%c0] : tensor<4xi32> return %i : i32 }