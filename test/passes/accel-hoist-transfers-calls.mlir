// RUN: forebay-opt %s --accel-hoist-transfers | FileCheck %s

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace read [@cpu] write [@cpu]
memref_pool.pool @spad workspace local capacity 1024 base 0 read [@npu] write [@npu]
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 2
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 2
accel.intrinsic @npu.make on @npu symbol "npu_make" operands [#accel.operand<name = "y", access = out, pools = [@spad]>]

#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>

// The caller reads %y when the call is over, so both stores stay.
// CHECK-LABEL: func.func @stored_for_the_caller
// CHECK:         call @stores
// CHECK-LABEL: func.func private @stores
// CHECK-COUNT-2: accel.move @npu.mvout
func.func @stored_for_the_caller(%out: memref<32xi8>) {
  %y = memref_pool.alloc : memref<32xi8, #dram>
  call @stores(%y) : (memref<32xi8, #dram>) -> ()
  memref_pool.copy %y into %out : memref<32xi8, #dram>, memref<32xi8>
  return
}
func.func private @stores(%y: memref<32xi8, #dram>) {
  %a = memref_pool.alloc : memref<16xi8, #spad>
  accel.call @npu.make outs(%a : memref<16xi8, #spad>)
  %low = memref.subview %y[0] [16] [1] : memref<32xi8, #dram> to memref<16xi8, strided<[1]>, #dram>
  accel.move @npu.mvout %a into %low : memref<16xi8, #spad>, memref<16xi8, strided<[1]>, #dram>
  %high = memref.subview %y[16] [16] [1] : memref<32xi8, #dram> to memref<16xi8, strided<[1], offset: 16>, #dram>
  accel.move @npu.mvout %a into %high : memref<16xi8, #spad>, memref<16xi8, strided<[1], offset: 16>, #dram>
  return
}
