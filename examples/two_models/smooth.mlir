// A 3x3 mean filter, twice, against speckles in the picture of a digit: each pixel becomes the mean
// of what is around it, the border counting only what lies inside.
func.func @main(%image: tensor<1x8x8x1xi8> {accel.name = "image"})
    -> (tensor<1x8x8x1xi8> {accel.name = "smoothed"}) {
  %zero = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %once = tosa.avg_pool2d %image, %zero, %zero
    {acc_type = i32, kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>}
    : (tensor<1x8x8x1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x8x8x1xi8>
  %twice = tosa.avg_pool2d %once, %zero, %zero
    {acc_type = i32, kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>}
    : (tensor<1x8x8x1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x8x8x1xi8>
  return %twice : tensor<1x8x8x1xi8>
}
