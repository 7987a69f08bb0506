// RUN: forebay-opt %s --accel-lower-devices="target=%S/../../common/machines/tiled.py:tile=2" | FileCheck %s
// RUN: forebay-opt %s --accel-lower-devices="target=%S/../../common/machines/tiled.py:tile=2 order=dsp" | FileCheck %s --check-prefix=ORDER

// CHECK: module attributes {accel.lowered = [@npu, @dsp]}
// ORDER: module attributes {accel.lowered = [@dsp, @npu]}
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
accel.device @dsp kind "dsp"
memref_pool.pool @sram workspace capacity 4096
accel.intrinsic @npu.scale on @npu symbol "scale"
  operands [#accel.operand<name = "x", access = in>, #accel.operand<name = "y", access = out>]
accel.intrinsic @npu.scale_tiled on @npu symbol "scale_tiled"
  operands [#accel.operand<name = "x", access = in>, #accel.operand<name = "y", access = out>,
            #accel.operand<name = "scratch", access = out>]

// CHECK-LABEL: func.func @main
// CHECK-SAME:    %[[X:.*]]: tensor<16xi8>
func.func @main(%x: tensor<16xi8>) -> tensor<16xi8> {
  // CHECK: %[[E:.*]] = tensor.empty()
  %e = tensor.empty() : tensor<16xi8>
  // CHECK: %[[Y:.*]] = call @npu_scale(%[[X]], %[[E]])
  %y = accel.call @npu.scale ins(%x : tensor<16xi8>) outs(%e : tensor<16xi8>) -> tensor<16xi8>
  // CHECK: return %[[Y]]
  return %y : tensor<16xi8>
}

// A copy of the operand, out of the caller's memory, and the result are in the pool while the call runs: 4096 - 32.
// CHECK-LABEL: func.func private @npu_scale
// CHECK-SAME:    (%[[IN:.*]]: tensor<16xi8>, %[[OUT:.*]]: tensor<16xi8>) -> tensor<16xi8>
// CHECK-SAME:    accel.granted = {sram = 4064 : i64}
// CHECK:         %[[TILE:.*]] = tensor.empty() : tensor<2048xi8>
// CHECK:         %[[R:.*]]:2 = accel.call @npu.scale_tiled ins(%[[IN]] : tensor<16xi8>) outs(%[[OUT]], %[[TILE]] : tensor<16xi8>, tensor<2048xi8>)
// CHECK:         return %[[R]]#0
