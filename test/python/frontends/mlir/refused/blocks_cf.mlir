// blocks_cf.mlir:5:3: branches between the 3 blocks of @main
func.func @main(%a: tensor<4xi32>, %n: tensor<1xi32>) -> tensor<4xi32> {
  %c0 = arith.constant 0 : index %z = arith.constant 0 : i32
  %v = tensor.extract %n[%c0] : tensor<1xi32> %c = arith.cmpi sgt, %v, %z : i32
  cf.cond_br %c, ^x, ^y
 ^x: return %a : tensor<4xi32>
 ^y: %e = tensor.empty() : tensor<4xi32>
  %r = linalg.add ins(%a, %a : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32> return %r : tensor<4xi32> }