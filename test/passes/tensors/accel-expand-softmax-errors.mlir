// RUN: forebay-opt %s --verify-diagnostics --accel-expand-softmax

func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{tosa.custom "sigmoid" of domain "acme" has no lowering; known: "softmax" of domain "forebay.tflite"}}
  %y = tosa.custom %x {domain_name = "acme", operator_name = "sigmoid", implementation_attrs = ""} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
