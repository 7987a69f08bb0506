// RUN: forebay-opt %s | forebay-opt | FileCheck %s
// RUN: forebay-opt %s --mlir-print-op-generic | forebay-opt | FileCheck %s

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace
// CHECK: memref_pool.pool @spad workspace local capacity 262144 base 0 unit 16 banks 4 read [@npu] write [@npu]
memref_pool.pool @spad workspace local capacity 262144 base 0 unit 16 banks 4 read [@npu] write [@npu]

// CHECK: accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.run on @npu symbol "npu_run" depth 2

// CHECK: accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 2 queue @npu.load granule 4 latency 20 bandwidth 16
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 2 queue @npu.load granule 4 latency 20 bandwidth 16
// CHECK: accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 1{{$}}
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 1

// CHECK:      accel.intrinsic @npu.relu on @npu symbol "npu_relu"
// CHECK-SAME:   scalars ["n"] queue @npu.run {
// CHECK:      } cycles {
// CHECK-NEXT: ^bb0(%[[N:.*]]: i32):
// CHECK-NEXT:   %[[C:.*]] = arith.extui %[[N]] : i32 to i64
// CHECK-NEXT:   accel.yield %[[C]] : i64
accel.intrinsic @npu.relu on @npu symbol "npu_relu"
  operands [#accel.operand<name = "x", access = inout, pools = [@spad]>] scalars ["n"] queue @npu.run {
^bb0(%x: memref<?xi8>, %n: i32):
  accel.yield
} cycles {
^bb0(%n: i32):
  %c = arith.extui %n : i32 to i64
  accel.yield %c : i64
}

// CHECK-LABEL: func.func @main
// CHECK-SAME:    %[[A:.*]]: memref<4x8xi8, strided<[32, 1]>, #memref_pool.space<@dram>>, %[[R:.*]]: memref<4x8xi8, #memref_pool.space<@dram>>
func.func @main(%a: memref<4x8xi8, strided<[32, 1]>, #memref_pool.space<@dram>>,
                %r: memref<4x8xi8, #memref_pool.space<@dram>>) {
  // CHECK: %[[TILE:.*]] = memref_pool.address <@spad, 512>
  %tile = memref_pool.address <@spad, 512> : memref<4x8xi8, #memref_pool.space<@spad>>
  // CHECK: %[[T:.*]] = accel.start @npu.mvin %[[A]] into %[[TILE]] : memref<4x8xi8, strided<[32, 1]>, #memref_pool.space<@dram>>, memref<4x8xi8, #memref_pool.space<@spad>>
  %t = accel.start @npu.mvin %a into %tile : memref<4x8xi8, strided<[32, 1]>, #memref_pool.space<@dram>>, memref<4x8xi8, #memref_pool.space<@spad>>
  // CHECK: %[[U:.*]] = accel.launch @npu.relu outs(%[[TILE]] : memref<4x8xi8, #memref_pool.space<@spad>>) after(%[[T]]) accumulate [0] config {n = 2 : i64}
  %u = accel.launch @npu.relu outs(%tile : memref<4x8xi8, #memref_pool.space<@spad>>) after (%t) accumulate [0] config {n = 2}
  // CHECK: accel.wait %[[T]], %[[U]]
  accel.wait %t, %u
  // CHECK: accel.move @npu.mvout %[[TILE]] into %[[R]] : memref<4x8xi8, #memref_pool.space<@spad>>, memref<4x8xi8, #memref_pool.space<@dram>>
  accel.move @npu.mvout %tile into %r : memref<4x8xi8, #memref_pool.space<@spad>>, memref<4x8xi8, #memref_pool.space<@dram>>
  return
}
