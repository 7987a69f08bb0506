// RUN: forebay-opt %s --memref-pool-plan=planner=first-fit --memref-pool-verify-plan --split-input-file | FileCheck %s

// Operands decide: what the fetcher reads lies in l2, what it writes and the convolution uses in act.
// Both of act are alive at the convolution: 4,624 is the next multiple of 16, so 8,192 begin there.

#any = #memref_pool.space<[@l2, @act]>
#wei = #memref_pool.space<@wei>
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
// CHECK: memref_pool.pool @l2 {{.*}} peak = 4096
memref_pool.pool @l2 workspace read [@cpu] write [@cpu]
// CHECK: memref_pool.pool @act {{.*}} peak = 12816
memref_pool.pool @act workspace
// CHECK: memref_pool.pool @wei {{.*}} peak = 288
memref_pool.pool @wei constant read [@npu]
accel.intrinsic @npu.fetch on @npu symbol "accel_fetch"
  operands [#accel.operand<name = "from", access = in, pools = [@l2]>, #accel.operand<name = "to", access = out, pools = [@act]>]
accel.intrinsic @npu.conv2d on @npu symbol "accel_conv2d"
  operands [#accel.operand<name = "x", access = in, pools = [@act]>, #accel.operand<name = "w", access = in>,
            #accel.operand<name = "y", access = out, pools = [@act]>]
memref.global "private" constant @w : memref<288xi8, #wei> = dense<1>

// CHECK-LABEL: func.func @main
func.func @main(%x: i8, %out: memref<8192xi8>) {
  // CHECK: memref_pool.alloc at <@l2, 0> {memref_pool.lifetime = array<i64: 0, 2>} : memref<4096xi8
  %a = memref_pool.alloc : memref<4096xi8, #any>
  // CHECK: memref_pool.alloc at <@act, 0> {memref_pool.lifetime = array<i64: 1, 3>} : memref<4624xi8
  %b = memref_pool.alloc : memref<4624xi8, #any>
  // CHECK: memref_pool.alloc at <@act, 4624> {memref_pool.lifetime = array<i64: 2, 4>} : memref<8192xi8
  %c = memref_pool.alloc : memref<8192xi8, #any>
  %w = memref.get_global @w : memref<288xi8, #wei>
  linalg.fill ins(%x : i8) outs(%a : memref<4096xi8, #any>)
  accel.call @npu.fetch ins(%a : memref<4096xi8, #any>) outs(%b : memref<4624xi8, #any>)
  accel.call @npu.conv2d ins(%b, %w : memref<4624xi8, #any>, memref<288xi8, #wei>) outs(%c : memref<8192xi8, #any>)
  memref.copy %c, %out : memref<8192xi8, #any> to memref<8192xi8>
  return
}

// -----

// What a device asks of an address is asked of the buffer: 64 behind 10 bytes is at 64.

#ws = #memref_pool.space<@ws>
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @ws workspace align 1
accel.intrinsic @npu.run on @npu symbol "run"
  operands [#accel.operand<name = "x", access = in>, #accel.operand<name = "y", access = inout, align = 64>]

// CHECK-LABEL: func.func @aligned
func.func @aligned(%x: i8) {
  // CHECK: at <@ws, 0>
  %a = memref_pool.alloc : memref<10xi8, #ws>
  // CHECK: at <@ws, 64>
  %b = memref_pool.alloc : memref<10xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<10xi8, #ws>)
  linalg.fill ins(%x : i8) outs(%b : memref<10xi8, #ws>)
  accel.call @npu.run ins(%a : memref<10xi8, #ws>) outs(%b : memref<10xi8, #ws>) accumulate [0]
  return
}

// -----

// An input that a call alone reads is in use until then, so the other buffer lies behind it.

#ws = #memref_pool.space<@ws>
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @ws workspace
accel.intrinsic @npu.run on @npu symbol "run"
  operands [#accel.operand<name = "x", access = in>, #accel.operand<name = "y", access = out>]

// CHECK-LABEL: func.func @only_a_call_reads
// CHECK-SAME: memref_pool.lifetime = array<i64: 0, 2>, memref_pool.placement = #memref_pool.placement<@ws, 0>
func.func @only_a_call_reads(%in: memref<32xi8, #ws>, %x: i8, %out: memref<32xi8>) {
  // CHECK: at <@ws, 32>
  %a = memref_pool.alloc : memref<32xi8, #ws>
  linalg.fill ins(%x : i8) outs(%a : memref<32xi8, #ws>)
  accel.call @npu.run ins(%in : memref<32xi8, #ws>) outs(%a : memref<32xi8, #ws>)
  memref.copy %a, %out : memref<32xi8, #ws> to memref<32xi8>
  return
}

// -----

// A device that `accel.on` names runs what is inside, loops included, under its own rights.

#any = #memref_pool.space<[@l2, @act]>
accel.device @cpu kind "cpu" host
accel.device @npu0 kind "npu"
accel.device @npu kind "npu"
memref_pool.pool @l2 workspace read [@cpu] write [@cpu]
memref_pool.pool @act workspace read [@npu0] write [@npu0]

// CHECK-LABEL: func.func @on
func.func @on(%x: i8, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: at <@l2, 0>
  %a = memref_pool.alloc : memref<32xi8, #any>
  // CHECK: at <@act, 0>
  %b = memref_pool.alloc : memref<32xi8, #any>
  linalg.fill ins(%x : i8) outs(%a : memref<32xi8, #any>)
  scf.for %i = %c0 to %n step %c1 {
    linalg.fill ins(%x : i8) outs(%b : memref<32xi8, #any>)
  } {accel.on = @npu0}
  return
}

// -----

// Alignments are of addresses where the pool's is known: 0x1010 + 48 is a multiple of 64.

#ws = #memref_pool.space<@ws>
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @ws workspace align 16 base 4112
accel.intrinsic @npu.run on @npu symbol "run" operands [#accel.operand<name = "y", access = out, align = 64>]

// CHECK-LABEL: func.func @absolute
func.func @absolute() {
  // CHECK: at <@ws, 48>
  %a = memref_pool.alloc : memref<10xi8, #ws>
  accel.call @npu.run outs(%a : memref<10xi8, #ws>)
  return
}
