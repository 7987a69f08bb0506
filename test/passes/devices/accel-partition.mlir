// RUN: forebay-opt %s --accel-attach-target=target=fetch_conv --accel-partition | FileCheck %s
// RUN: forebay-opt %s --accel-attach-target=target=fetch_conv '--accel-partition=place=sum=cpu,conv=cpu' | FileCheck %s --check-prefix=PLACED
// RUN: forebay-opt %s --accel-attach-target=target=host --accel-partition | FileCheck %s --check-prefix=HOST

// A convolution of 3 channels to 5: one block of each. The host brings the image into blocks, the layer
// sees it with its border of 1, which nobody has put there yet, and what comes back is cut to 5 channels.
//
// The module says where each operator runs.
//
// CHECK:       module attributes {accel.offload = {devices = ["cpu", "accel"], operators = [
// CHECK-SAME:    {bytes = 327 : i64, device = "accel", kind = "CONV2D", macs = 2700 : i64, name = "conv", pattern = "conv2d", reasons = []},
// CHECK-SAME:    {bytes = 200 : i64, device = "cpu", kind = "ADD", macs = 0 : i64, name = "sum", reasons = ["accel has no pattern for ADD"]}], target = "fetch_conv"}
// CHECK-LABEL: func.func @main
// CHECK:         %[[PADDED:.*]] = tosa.pad %arg0, {{.*}} -> tensor<1x4x5x16xi8>
// CHECK:         %[[BLOCKS:.*]] = tosa.reshape %[[PADDED]], {{.*}}-> tensor<4x5x1x16xi8>
// CHECK:         %[[IN:.*]] = tosa.reshape %[[BLOCKS]], {{.*}}-> tensor<1x4x5x16xi8>
// CHECK:         %[[WEIGHTS:.*]] = "tosa.const"() {{.*}} : () -> tensor<1x16x1x3x3x16xi8>
// CHECK:         %[[TABLE:.*]] = "tosa.const"() {{.*}} : () -> tensor<1x3x16xi32>
// CHECK:         %[[OUT:.*]] = accel.call @accel.fetched_layer ins(%[[IN]], %[[WEIGHTS]], %[[TABLE]]
// CHECK-SAME:      config {depthwise = 0 : i64, high = 127 : i64, kernel_height = 3 : i64, kernel_width = 3 : i64,
// CHECK-SAME:              left = 1 : i64, low = -128 : i64, stride_x = 1 : i64, stride_y = 1 : i64, top = 1 : i64,
// CHECK-SAME:              x_blocks = 1 : i64, x_height = 4 : i64, x_width = 5 : i64, x_zero_point = -3 : i64,
// CHECK-SAME:              y_blocks = 1 : i64, y_height = 4 : i64, y_width = 5 : i64, y_zero_point = 7 : i64}
// CHECK-SAME:      {memref_pool.candidates = #memref_pool.space<[@act_mem, @l2_mem]>} -> tensor<1x4x5x16xi8>
// CHECK:         tosa.slice {{.*}} -> tensor<1x4x5x5xi8>
// CHECK:         tosa.add
// CHECK-NOT:     tosa.conv2d

// PLACED-NOT:  accel.call
// PLACED:      tosa.conv2d
// PLACED-NOT:  accel.call

// HOST:        tosa.conv2d
// HOST-NOT:    accel.call
func.func @main(%x: tensor<1x4x5x3xi8>) -> tensor<1x4x5x5xi8> {
  %w = "tosa.const"() <{values = dense<2> : tensor<5x3x3x3xi8>}> : () -> tensor<5x3x3x3xi8>
  %b = "tosa.const"() <{values = dense<9> : tensor<5xi32>}> : () -> tensor<5xi32>
  %zx = "tosa.const"() <{values = dense<-3> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zw = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.conv2d %x, %w, %b, %zx, %zw {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x4x5x3xi8>, tensor<5x3x3x3xi8>, tensor<5xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x5x5xi32> loc("conv")
  %m = "tosa.const"() <{values = dense<1518500249> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zi = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %zo = "tosa.const"() <{values = dense<7> : tensor<1xi8>}> : () -> tensor<1xi8>
  %1 = tosa.rescale %0, %m, %s, %zi, %zo {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x4x5x5xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4x5x5xi8> loc("conv")
  %2 = tosa.add %1, %1 : (tensor<1x4x5x5xi8>, tensor<1x4x5x5xi8>) -> tensor<1x4x5x5xi8> loc("sum")
  return %2 : tensor<1x4x5x5xi8>
}
