// RUN: forebay-opt %s --accel-outline-operators --split-input-file --verify-diagnostics | FileCheck %s

// C functions of devices keep their names, and functions of the program get others.

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @sram workspace read [@cpu, @npu] write [@cpu, @npu]
accel.intrinsic @npu.scale on @npu symbol "npu_part" operands [#accel.operand<name = "y", access = out>]

#sram = #memref_pool.space<@sram>

// CHECK:       func.func private @npu_part_3
// CHECK-NEXT:    call @npu_part_2
// CHECK:       func.func @main
// CHECK-NEXT:    call @npu_part_3
// CHECK:       func.func private @npu_part_2
func.func @main(%y: memref<16xi8, #sram>) {
  call @npu_part(%y) : (memref<16xi8, #sram>) -> ()
  accel.call @npu.scale outs(%y : memref<16xi8, #sram>)
  return
}
func.func private @npu_part(%y: memref<16xi8, #sram>) {
  accel.call @npu.scale outs(%y : memref<16xi8, #sram>)
  return
}

// -----

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @sram workspace read [@cpu, @npu] write [@cpu, @npu]
// expected-note@+1 {{the device's}}
accel.intrinsic @npu.scale on @npu symbol "main" operands [#accel.operand<name = "y", access = out>]

// expected-error@+1 {{the entry function @main has the name of a C function of a device; give one of them another name}}
func.func @main(%y: memref<16xi8, #memref_pool.space<@sram>>) {
  accel.call @npu.scale outs(%y : memref<16xi8, #memref_pool.space<@sram>>)
  return
}
