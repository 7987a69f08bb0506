// RUN: forebay-opt %s --accel-pass-handles | FileCheck %s

// Devices with a handle, and one without; handles go behind all other arguments, in this order.
accel.device @cpu kind "cpu" host
accel.device @b kind "npu" handle
accel.device @a kind "npu" base 4096 handle
accel.device @dma kind "dma"
accel.intrinsic @a.run on @a symbol "npu_run" operands [#accel.operand<name = "y", access = out>]
accel.intrinsic @b.run on @b symbol "npu_run" operands [#accel.operand<name = "y", access = out>]
accel.intrinsic @dma.run on @dma symbol "dma_run" operands [#accel.operand<name = "y", access = out>]

// CHECK-LABEL: func.func private @on_a
// CHECK-SAME: (%{{.*}}: memref<4xi8>, %{{.*}}: !accel.handle {accel.handle = @a})
func.func private @on_a(%y: memref<4xi8>) {
  accel.call @a.run outs(%y : memref<4xi8>)
  return
}

// CHECK-LABEL: func.func private @on_dma(%{{.*}}: memref<4xi8>) {
func.func private @on_dma(%y: memref<4xi8>) {
  accel.call @dma.run outs(%y : memref<4xi8>)
  return
}

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[Y:.*]]: memref<4xi8> {accel.name = "y"}, %{{.*}}: !accel.handle {accel.handle = @b}, %[[A:.*]]: !accel.handle {accel.handle = @a})
func.func @main(%y: memref<4xi8> {accel.name = "y"}) {
  // CHECK: call @on_a(%[[Y]], %[[A]]) : (memref<4xi8>, !accel.handle) -> ()
  func.call @on_a(%y) : (memref<4xi8>) -> ()
  // CHECK: call @on_dma(%[[Y]]) : (memref<4xi8>) -> ()
  func.call @on_dma(%y) : (memref<4xi8>) -> ()
  accel.call @b.run outs(%y : memref<4xi8>)
  return
}
