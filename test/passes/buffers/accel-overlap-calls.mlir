// RUN: forebay-opt %s --accel-overlap-calls | FileCheck %s
// RUN: forebay-opt %s --accel-overlap-calls=in-flight=1 | FileCheck %s --check-prefix=ONE

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace read [@cpu, @npu] write [@cpu, @npu]
memref_pool.pool @spad workspace local capacity 64 base 0 read [@npu] write [@npu]
memref_pool.pool @tiny workspace local capacity 32 base 4096 read [@npu] write [@npu]
accel.queue @npu.dma on @npu symbol "npu_dma" depth 4
accel.queue @npu.run on @npu symbol "npu_run" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad, @tiny] rank 1 queue @npu.dma latency 4 bandwidth 4
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad, @tiny] to [@dram] rank 1 queue @npu.dma latency 4 bandwidth 4
accel.intrinsic @npu.relu on @npu symbol "npu_relu"
  operands [#accel.operand<name = "x", access = in, pools = [@spad]>, #accel.operand<name = "y", access = out, pools = [@spad]>] queue @npu.run cycles {
  %c10 = arith.constant 10 : i64
  accel.yield %c10 : i64
}
accel.intrinsic @npu.sync on @npu symbol "npu_sync"
  operands [#accel.operand<name = "x", access = in, pools = [@tiny]>, #accel.operand<name = "y", access = out, pools = [@tiny]>]

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>
#tiny = #memref_pool.space<@tiny>

// ONE-NOT: accel.launch
// ONE-NOT: accel.unoverlapped

// The second load starts before the first store, which waits for the first call. Four tiles of 16 bytes fit.
// CHECK-LABEL: func.func @two_tiles
// CHECK:         %[[L0:.*]] = accel.start @npu.mvin %{{.*}} into %[[A:[0-9a-z_]+]] :
// CHECK:         %[[R0:.*]] = accel.launch @npu.relu ins(%[[A]] : {{.*}}) outs(%[[B:.*]] : {{[^)]*}}) after(%[[L0]])
// CHECK:         %[[L1:.*]] = accel.start @npu.mvin %{{.*}} into %[[C:[0-9a-z_]+]] :
// CHECK:         %[[S0:.*]] = accel.start @npu.mvout %[[B]] into %{{.*}} after(%[[R0]])
// CHECK:         %[[R1:.*]] = accel.launch @npu.relu ins(%[[C]] : {{.*}}) outs(%[[D:.*]] : {{[^)]*}}) after(%[[L1]])
// CHECK:         %[[S1:.*]] = accel.start @npu.mvout %[[D]] into %{{.*}} after(%[[R1]])
// The last operation of each queue is waited for; the store is behind the call.
// CHECK:         accel.wait %[[S1]]
// CHECK-NEXT:    return
func.func @two_tiles(%x0: memref<16xi8, #dram>, %x1: memref<16xi8, #dram>, %y0: memref<16xi8, #dram>, %y1: memref<16xi8, #dram>) {
  %a = memref_pool.alloc : memref<16xi8, #spad>
  accel.move @npu.mvin %x0 into %a : memref<16xi8, #dram>, memref<16xi8, #spad>
  %b = memref_pool.alloc : memref<16xi8, #spad>
  accel.call @npu.relu ins(%a : memref<16xi8, #spad>) outs(%b : memref<16xi8, #spad>)
  accel.move @npu.mvout %b into %y0 : memref<16xi8, #spad>, memref<16xi8, #dram>
  %c = memref_pool.alloc : memref<16xi8, #spad>
  accel.move @npu.mvin %x1 into %c : memref<16xi8, #dram>, memref<16xi8, #spad>
  %d = memref_pool.alloc : memref<16xi8, #spad>
  accel.call @npu.relu ins(%c : memref<16xi8, #spad>) outs(%d : memref<16xi8, #spad>)
  accel.move @npu.mvout %d into %y1 : memref<16xi8, #spad>, memref<16xi8, #dram>
  return
}

// The host reads %y0 between the tiles: it waits for the first store, while the second load is in flight.
// CHECK-LABEL: func.func @host_between
// CHECK:         %[[L0:.*]] = accel.start @npu.mvin
// CHECK:         %[[R0:.*]] = accel.launch @npu.relu
// CHECK:         %[[L1:.*]] = accel.start @npu.mvin
// CHECK:         %[[S0:.*]] = accel.start @npu.mvout {{.*}} after(%[[R0]])
// CHECK:         accel.launch @npu.relu {{.*}} after(%[[L1]])
// CHECK:         accel.wait %[[S0]]
// CHECK-NEXT:    linalg.copy
// CHECK:         return
func.func @host_between(%x0: memref<16xi8, #dram>, %x1: memref<16xi8, #dram>, %y0: memref<16xi8, #dram>, %y1: memref<16xi8, #dram>, %z: memref<16xi8, #dram>) {
  %a = memref_pool.alloc : memref<16xi8, #spad>
  accel.move @npu.mvin %x0 into %a : memref<16xi8, #dram>, memref<16xi8, #spad>
  %b = memref_pool.alloc : memref<16xi8, #spad>
  accel.call @npu.relu ins(%a : memref<16xi8, #spad>) outs(%b : memref<16xi8, #spad>)
  accel.move @npu.mvout %b into %y0 : memref<16xi8, #spad>, memref<16xi8, #dram>
  linalg.copy ins(%y0 : memref<16xi8, #dram>) outs(%z : memref<16xi8, #dram>)
  %c = memref_pool.alloc : memref<16xi8, #spad>
  accel.move @npu.mvin %x1 into %c : memref<16xi8, #dram>, memref<16xi8, #spad>
  %d = memref_pool.alloc : memref<16xi8, #spad>
  accel.call @npu.relu ins(%c : memref<16xi8, #spad>) outs(%d : memref<16xi8, #spad>)
  accel.move @npu.mvout %d into %y1 : memref<16xi8, #spad>, memref<16xi8, #dram>
  return
}

// One tile: each operation needs the one before.
// CHECK-LABEL: func.func @chain
// CHECK:         accel.move @npu.mvin {{.*}} {accel.unoverlapped = "each of its operations needs the one before"}
// CHECK-NOT:     accel.start
// CHECK:         return
func.func @chain(%x: memref<16xi8, #dram>, %y: memref<16xi8, #dram>) {
  %a = memref_pool.alloc : memref<16xi8, #spad>
  accel.move @npu.mvin %x into %a : memref<16xi8, #dram>, memref<16xi8, #spad>
  %b = memref_pool.alloc : memref<16xi8, #spad>
  accel.call @npu.relu ins(%a : memref<16xi8, #spad>) outs(%b : memref<16xi8, #spad>)
  accel.move @npu.mvout %b into %y : memref<16xi8, #spad>, memref<16xi8, #dram>
  return
}

// The pool has room for the two buffers of one call, so nothing can be loaded before its turn.
// CHECK-LABEL: func.func @no_room
// CHECK:         accel.move @npu.mvin {{.*}} {accel.unoverlapped = "@tiny has no room for a buffer before its turn"}
// CHECK-NOT:     accel.start
// CHECK:         return
func.func @no_room(%x0: memref<16xi8, #dram>, %x1: memref<32xi8, #dram>, %y0: memref<16xi8, #dram>) {
  %a = memref_pool.alloc : memref<16xi8, #tiny>
  accel.move @npu.mvin %x0 into %a : memref<16xi8, #dram>, memref<16xi8, #tiny>
  %b = memref_pool.alloc : memref<16xi8, #tiny>
  accel.call @npu.sync ins(%a : memref<16xi8, #tiny>) outs(%b : memref<16xi8, #tiny>)
  accel.move @npu.mvout %b into %y0 : memref<16xi8, #tiny>, memref<16xi8, #dram>
  %c = memref_pool.alloc : memref<32xi8, #tiny>
  accel.move @npu.mvin %x1 into %c : memref<32xi8, #dram>, memref<32xi8, #tiny>
  return
}

// What was started by hand keeps its place, and nothing is started while it is in flight.
// CHECK-LABEL: func.func @by_hand
// CHECK:         accel.start
// CHECK:         accel.move @npu.mvin
// CHECK-NEXT:    accel.move @npu.mvin
// CHECK-NEXT:    accel.wait
func.func @by_hand(%x: memref<16xi8, #dram>) {
  %a = memref_pool.alloc : memref<16xi8, #spad>
  %b = memref_pool.alloc : memref<16xi8, #spad>
  %c = memref_pool.alloc : memref<16xi8, #spad>
  %t = accel.start @npu.mvin %x into %a : memref<16xi8, #dram>, memref<16xi8, #spad>
  accel.move @npu.mvin %x into %b : memref<16xi8, #dram>, memref<16xi8, #spad>
  accel.move @npu.mvin %x into %c : memref<16xi8, #dram>, memref<16xi8, #spad>
  accel.wait %t
  return
}
