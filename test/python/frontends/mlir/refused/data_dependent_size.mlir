// the size of 'tensor.extract_slice' depends on the elements of a tensor without a bound
func.func @main(%x: tensor<64xi8> {accel.name="x"}, %n: tensor<1xi32> {accel.name="n"}) -> (tensor<1xi8> {accel.name="y"}) {
  %c0 = arith.constant 0 : index
  %k = tensor.extract %n[%c0] : tensor<1xi32>
  %i = arith.index_cast %k : i32 to index
  %s = tensor.extract_slice %x[0][%i][1] : tensor<64xi8> to tensor<?xi8>
  %e = tensor.empty(%i) : tensor<?xi8>
  %f = linalg.add ins(%s, %s : tensor<?xi8>, tensor<?xi8>) outs(%e : tensor<?xi8>) -> tensor<?xi8>
  %z = tensor.empty() : tensor<i8>
  %zz = arith.constant 0 : i8
  %z0 = linalg.fill ins(%zz : i8) outs(%z : tensor<i8>) -> tensor<i8>
  %e2 = tensor.empty(%i) : tensor<?xi8>
  %g = linalg.mul ins(%f, %s : tensor<?xi8>, tensor<?xi8>) outs(%e2 : tensor<?xi8>) -> tensor<?xi8>
  %h = linalg.max ins(%g, %f : tensor<?xi8>, tensor<?xi8>) outs(%f : tensor<?xi8>) -> tensor<?xi8>
  %r = linalg.reduce ins(%h : tensor<?xi8>) outs(%z0 : tensor<i8>) dimensions = [0] (%a: i8, %b: i8) { %q = arith.addi %a, %b : i8 linalg.yield %q : i8 }
  %rr = tensor.expand_shape %r [] output_shape [1] : tensor<i8> into tensor<1xi8>
  return %rr : tensor<1xi8>
}
