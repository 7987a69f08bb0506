// RUN: forebay-opt %s --split-input-file --verify-diagnostics --accel-expand-softmax

func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{tosa.custom "sigmoid" of domain "acme" has no lowering; known: "softmax" of domain "forebay.tflite"}}
  %y = tosa.custom %x {domain_name = "acme", operator_name = "sigmoid", implementation_attrs = ""} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @no_parameters(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{this softmax has no dictionary accel.softmax of its parameters: {beta = <f32>}, or {input_multiplier, input_left_shift, diff_min}, each an i32}}
  %y = tosa.custom %x {domain_name = "forebay.tflite", operator_name = "softmax", implementation_attrs = ""} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @part_of_the_parameters(%x: tensor<4xi8>) -> tensor<4xi8> {
  // expected-error @+1 {{this softmax has no dictionary accel.softmax of its parameters}}
  %y = tosa.custom %x {domain_name = "forebay.tflite", operator_name = "softmax", implementation_attrs = "", accel.softmax = {diff_min = -248 : i32}} : (tensor<4xi8>) -> tensor<4xi8>
  return %y : tensor<4xi8>
}

// -----

func.func @no_dictionary(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{this softmax has no dictionary accel.softmax of its parameters}}
  %y = tosa.custom %x {domain_name = "forebay.tflite", operator_name = "softmax", implementation_attrs = "", accel.softmax = 1.0 : f32} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @floats_with_parameters_of_integers(%x: tensor<4xi8>) -> tensor<4xi8> {
  // expected-error @+1 {{this softmax has operands and results tensor<4xi8>, tensor<4xi8>; with its parameters it takes one tensor of rank 1 or more and gives one: f32 to f32}}
  %y = tosa.custom %x {domain_name = "forebay.tflite", operator_name = "softmax", implementation_attrs = "", accel.softmax = {beta = 1.0 : f32}} : (tensor<4xi8>) -> tensor<4xi8>
  return %y : tensor<4xi8>
}
