// RUN: forebay-opt %s --accel-overlap-calls --split-input-file | FileCheck %s

// Two layers as functions of a stage: the second one's weights are loaded while the first one is computed.
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @rom constant read [@cpu, @npu]
memref_pool.pool @act workspace read [@cpu, @npu] write [@cpu, @npu]
memref_pool.pool @wei workspace capacity 32 read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 2
accel.queue @npu.run on @npu symbol "npu_run" depth 2
accel.transfer @npu.weights on @npu symbol "npu_weights" from [@rom] to [@wei] rank 1 queue @npu.load
accel.intrinsic @npu.layer on @npu symbol "npu_layer"
  operands [#accel.operand<name = "x", access = in, pools = [@act]>, #accel.operand<name = "w", access = in, pools = [@wei]>,
            #accel.operand<name = "y", access = out, pools = [@act]>] queue @npu.run

memref.global "private" constant @k0 : memref<16xi8, #memref_pool.space<@rom>> = dense<1>
memref.global "private" constant @k1 : memref<16xi8, #memref_pool.space<@rom>> = dense<2>

// CHECK-LABEL: func.func @main
// An operand that a function does not use takes no bytes.
// CHECK-NOT:     memref<99xi8
// CHECK:         %[[W0:.*]] = accel.start @npu.weights
// CHECK:         %[[R0:.*]] = accel.launch @npu.layer {{.*}} after(%[[W0]])
// CHECK:         %[[W1:.*]] = accel.start @npu.weights
// CHECK:         %[[R1:.*]] = accel.launch @npu.layer {{.*}} after(%[[W1]])
// CHECK:         accel.wait %[[R1]]
// CHECK:         call @too_large
// CHECK-NOT:   func.func private @first
// CHECK-NOT:   func.func private @second
func.func @main(%x: memref<16xi8, #memref_pool.space<@act>>, %y: memref<16xi8, #memref_pool.space<@act>>) {
  %k0 = memref.get_global @k0 : memref<16xi8, #memref_pool.space<@rom>>
  %k1 = memref.get_global @k1 : memref<16xi8, #memref_pool.space<@rom>>
  %a = memref_pool.alloc : memref<16xi8, #memref_pool.space<@act>>
  %unused = memref_pool.alloc : memref<99xi8, #memref_pool.space<@act>>
  call @first(%x, %k0, %a, %unused) : (memref<16xi8, #memref_pool.space<@act>>, memref<16xi8, #memref_pool.space<@rom>>, memref<16xi8, #memref_pool.space<@act>>, memref<99xi8, #memref_pool.space<@act>>) -> ()
  call @second(%a, %k1, %y) : (memref<16xi8, #memref_pool.space<@act>>, memref<16xi8, #memref_pool.space<@rom>>, memref<16xi8, #memref_pool.space<@act>>) -> ()
  call @too_large(%x, %k0, %y) : (memref<16xi8, #memref_pool.space<@act>>, memref<16xi8, #memref_pool.space<@rom>>, memref<16xi8, #memref_pool.space<@act>>) -> ()
  return
}
func.func private @first(%x: memref<16xi8, #memref_pool.space<@act>>, %k: memref<16xi8, #memref_pool.space<@rom>>, %y: memref<16xi8, #memref_pool.space<@act>>, %unused: memref<99xi8, #memref_pool.space<@act>>) attributes {accel.granted = {wei = 32 : i64}} {
  %w = memref_pool.alloc : memref<16xi8, #memref_pool.space<@wei>>
  accel.move @npu.weights %k into %w : memref<16xi8, #memref_pool.space<@rom>>, memref<16xi8, #memref_pool.space<@wei>>
  accel.call @npu.layer ins(%x, %w : memref<16xi8, #memref_pool.space<@act>>, memref<16xi8, #memref_pool.space<@wei>>) outs(%y : memref<16xi8, #memref_pool.space<@act>>)
  return
}
func.func private @second(%x: memref<16xi8, #memref_pool.space<@act>>, %k: memref<16xi8, #memref_pool.space<@rom>>, %y: memref<16xi8, #memref_pool.space<@act>>) attributes {accel.granted = {wei = 32 : i64}} {
  %w = memref_pool.alloc : memref<16xi8, #memref_pool.space<@wei>>
  accel.move @npu.weights %k into %w : memref<16xi8, #memref_pool.space<@rom>>, memref<16xi8, #memref_pool.space<@wei>>
  accel.call @npu.layer ins(%x, %w : memref<16xi8, #memref_pool.space<@act>>, memref<16xi8, #memref_pool.space<@wei>>) outs(%y : memref<16xi8, #memref_pool.space<@act>>)
  return
}
// It takes more than its grant, which accel-check-grants must see.
// CHECK: func.func private @too_large
func.func private @too_large(%x: memref<16xi8, #memref_pool.space<@act>>, %k: memref<16xi8, #memref_pool.space<@rom>>, %y: memref<16xi8, #memref_pool.space<@act>>) attributes {accel.granted = {wei = 8 : i64}} {
  %w = memref_pool.alloc : memref<16xi8, #memref_pool.space<@wei>>
  accel.move @npu.weights %k into %w : memref<16xi8, #memref_pool.space<@rom>>, memref<16xi8, #memref_pool.space<@wei>>
  accel.call @npu.layer ins(%x, %w : memref<16xi8, #memref_pool.space<@act>>, memref<16xi8, #memref_pool.space<@wei>>) outs(%y : memref<16xi8, #memref_pool.space<@act>>)
  return
}
