// RUN: forebay-opt %s --memref-pool-forward-results | FileCheck %s

// A device computes where the result is to be if it reaches that memory.

#act = #memref_pool.space<@act>
#l2 = #memref_pool.space<@l2>
#any = #memref_pool.space<[@l2, @act]>
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @act workspace
memref_pool.pool @l2 workspace read [@cpu] write [@cpu]
accel.intrinsic @npu.run on @npu symbol "run" operands [#accel.operand<name = "y", access = out>]

// CHECK-LABEL: func.func @into_a_pool
// CHECK-NEXT:    accel.call @npu.run outs(%arg0
// CHECK-NEXT:    accel.call @npu.run outs(%arg1
// CHECK-NEXT:    return
func.func @into_a_pool(%y: memref<8xi8, #act> {bufferize.result}, %z: memref<8xi8, #any> {bufferize.result}) {
  %a = memref_pool.alloc : memref<8xi8, #act>
  accel.call @npu.run outs(%a : memref<8xi8, #act>)
  memref_pool.copy %a into %y : memref<8xi8, #act>, memref<8xi8, #act>
  %b = memref_pool.alloc : memref<8xi8, #act>
  accel.call @npu.run outs(%b : memref<8xi8, #act>)
  memref_pool.copy %b into %z : memref<8xi8, #act>, memref<8xi8, #any>
  return
}

// Neither the caller's memory nor l2 is in reach of the device, whether it is called or named.
// CHECK-LABEL: func.func @out_of_reach
// CHECK-COUNT-3: memref_pool.copy
func.func @out_of_reach(%c: i8, %x: memref<8xi8> {bufferize.result}, %y: memref<8xi8, #l2> {bufferize.result},
                        %z: memref<8xi8> {bufferize.result}) {
  %a = memref_pool.alloc : memref<8xi8, #act>
  accel.call @npu.run outs(%a : memref<8xi8, #act>)
  memref_pool.copy %a into %x : memref<8xi8, #act>, memref<8xi8>
  %b = memref_pool.alloc : memref<8xi8, #act>
  accel.call @npu.run outs(%b : memref<8xi8, #act>)
  memref_pool.copy %b into %y : memref<8xi8, #act>, memref<8xi8, #l2>
  %d = memref_pool.alloc : memref<8xi8, #act>
  linalg.fill {accel.on = @npu} ins(%c : i8) outs(%d : memref<8xi8, #act>)
  memref_pool.copy %d into %z : memref<8xi8, #act>, memref<8xi8>
  return
}

// Each of two pools suits one of two devices, and none suits both.
accel.device @dsp kind "dsp"
memref_pool.pool @one workspace read [@cpu, @npu] write [@npu]
memref_pool.pool @two workspace read [@cpu, @dsp] write [@dsp]
// CHECK-LABEL: func.func @not_both
// CHECK: memref_pool.copy
func.func @not_both(%c: i8, %y: memref<8xi8, #memref_pool.space<[@one, @two]>> {bufferize.result}) {
  %a = memref_pool.alloc : memref<8xi8, #act>
  linalg.fill {accel.on = @npu} ins(%c : i8) outs(%a : memref<8xi8, #act>)
  linalg.fill {accel.on = @dsp} ins(%c : i8) outs(%a : memref<8xi8, #act>)
  memref_pool.copy %a into %y : memref<8xi8, #act>, memref<8xi8, #memref_pool.space<[@one, @two]>>
  return
}
