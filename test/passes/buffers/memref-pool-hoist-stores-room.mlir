// RUN: forebay-opt %s --memref-pool-hoist-stores | FileCheck %s

// Two results of 48 bytes exceed the 64 of the device's memory, so each leaves it before the next one.
memref_pool.pool @ws workspace
accel.device @npu kind "npu"
accel.device @cpu kind "cpu" host
memref_pool.pool @spad workspace local capacity 64 read [@npu] write [@npu]
accel.intrinsic @npu.make on @npu symbol "make" operands [#accel.operand<name = "y", access = out>]
accel.intrinsic @npu.use on @npu symbol "use" operands [#accel.operand<name = "y", access = inout>]

// CHECK-LABEL: func.func @main
// CHECK:         accel.call @npu.make outs(%[[A:.*]] :
// CHECK-NEXT:    %[[X:.*]] = memref_pool.alloc
// CHECK-NEXT:    memref_pool.copy %[[A]] into %[[X]]
// CHECK:         accel.call @npu.make outs(%[[B:.*]] :
// The second one is used once more: its copy stays behind that.
// CHECK-NEXT:    accel.call @npu.use outs(%[[B]]
// CHECK-NEXT:    memref_pool.alloc
// CHECK-NEXT:    memref_pool.copy %[[B]]
func.func @main() {
  %a = memref_pool.alloc : memref<48xi8, #memref_pool.space<@spad>>
  accel.call @npu.make outs(%a : memref<48xi8, #memref_pool.space<@spad>>)
  %b = memref_pool.alloc : memref<48xi8, #memref_pool.space<@spad>>
  accel.call @npu.make outs(%b : memref<48xi8, #memref_pool.space<@spad>>)
  accel.call @npu.use outs(%b : memref<48xi8, #memref_pool.space<@spad>>) accumulate [0]
  %x = memref_pool.alloc : memref<48xi8, #memref_pool.space<@ws>>
  memref_pool.copy %a into %x : memref<48xi8, #memref_pool.space<@spad>>, memref<48xi8, #memref_pool.space<@ws>>
  %y = memref_pool.alloc : memref<48xi8, #memref_pool.space<@ws>>
  memref_pool.copy %b into %y : memref<48xi8, #memref_pool.space<@spad>>, memref<48xi8, #memref_pool.space<@ws>>
  return
}
