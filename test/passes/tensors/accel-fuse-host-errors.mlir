// RUN: forebay-opt %s --split-input-file --verify-diagnostics --accel-fuse-host

func.func @wide_elements(%x: tensor<1x4x4x2xi16>, %w: tensor<2x1x1x2xi8>, %b: tensor<2xi48>) -> tensor<1x4x4x2xi48> {
  %zx = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
  %zw = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // expected-error @+1 {{tosa.conv2d on (i16, i8, i48) cannot be lowered for the host; use i8 (with an i32 bias) or f32}}
  %0 = tosa.conv2d %x, %w, %b, %zx, %zw {acc_type = i48, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x4x2xi16>, tensor<2x1x1x2xi8>, tensor<2xi48>, tensor<1xi16>, tensor<1xi8>) -> tensor<1x4x4x2xi48>
  return %0 : tensor<1x4x4x2xi48>
}

// -----

func.func @dynamic(%x: tensor<?x4x4x2xi8>) -> tensor<?x2x2x2xi8> {
  // expected-error @+1 {{tosa.max_pool2d on tensor<?x4x4x2xi8> needs a static shape; give the input's shape on import}}
  %0 = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<?x4x4x2xi8>) -> tensor<?x2x2x2xi8>
  return %0 : tensor<?x2x2x2xi8>
}

// -----

func.func @zero_point_of_a_caller(%x: tensor<1x3x4xi8>, %y: tensor<1x4x5xi8>, %z: tensor<1xi8>) -> tensor<1x3x5xi32> {
  // expected-error @+1 {{tosa.matmul needs a constant a_zp; make it a tosa.const}}
  %0 = tosa.matmul %x, %y, %z, %z : (tensor<1x3x4xi8>, tensor<1x4x5xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x5xi32>
  return %0 : tensor<1x3x5xi32>
}

// -----

func.func @multiplier_of_a_caller(%x: tensor<1x3x4xi32>, %m: tensor<1xi32>) -> tensor<1x1x4xi8> {
  %s = "tosa.const"() <{values = dense<31> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z8 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z32 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %0 = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<1x3x4xi32>) -> tensor<1x1x4xi32>
  // expected-error @+1 {{tosa.rescale needs a constant multiplier; make it a tosa.const}}
  %1 = tosa.rescale %0, %m, %s, %z32, %z8 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x1x4xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x4xi8>
  return %1 : tensor<1x1x4xi8>
}

// -----

func.func @short_multiplier(%x: tensor<1x3x4xi32>) -> tensor<1x1x4xi8> {
  %m = "tosa.const"() <{values = dense<16384> : tensor<1xi16>}> : () -> tensor<1xi16>
  %s = "tosa.const"() <{values = dense<15> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z8 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z32 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %0 = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<1x3x4xi32>) -> tensor<1x1x4xi32>
  // expected-error @+1 {{tosa.rescale with 16-bit multipliers cannot be fused; use scale32 = true}}
  %1 = tosa.rescale %0, %m, %s, %z32, %z8 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = false} : (tensor<1x1x4xi32>, tensor<1xi16>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x4xi8>
  return %1 : tensor<1x1x4xi8>
}

// -----

func.func @inexact(%x: tensor<1x3x4xi32>) -> tensor<1x1x4xi8> {
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<31> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z8 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %z32 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %0 = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<1x3x4xi32>) -> tensor<1x1x4xi32>
  // expected-error @+1 {{tosa.rescale rounds in a mode that cannot be fused; use SINGLE_ROUND or DOUBLE_ROUND}}
  %1 = tosa.rescale %0, %m, %s, %z32, %z8 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = INEXACT_ROUND, scale32 = true} : (tensor<1x1x4xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x4xi8>
  return %1 : tensor<1x1x4xi8>
}
