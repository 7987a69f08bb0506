// RUN: forebay-opt %s --memref-pool-plan=planner=exact --memref-pool-verify-plan --memref-pool-materialize --split-input-file | FileCheck %s

// Constants in several pools: the first that has room, each in one that its readers reach. 60 of
// itcm's 64 bytes are @hot's and what the device reads is never there; the rest spills to flash.

#any = #memref_pool.space<[@itcm, @flash]>
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
// CHECK: memref_pool.pool @itcm {{.*}} peak = 60
memref_pool.pool @itcm constant capacity 64 align 4 fill at_init read [@cpu]
// CHECK: memref_pool.pool @flash {{.*}} peak = 40
memref_pool.pool @flash constant align 4 read [@cpu, @npu]
memref_pool.pool @ws workspace
accel.intrinsic @npu.run on @npu symbol "run"
  operands [#accel.operand<name = "w", access = in>, #accel.operand<name = "y", access = out>]

// CHECK: memref.global {{.*}} @hot {{.*}}placement<@itcm, 0>
memref.global "private" constant @hot : memref<60xi8, #any> = dense<1>
// CHECK: memref.global {{.*}} @cold {{.*}}placement<@flash, {{0|8}}>
memref.global "private" constant @cold : memref<32xi8, #any> = dense<2>
// CHECK: memref.global {{.*}} @theirs {{.*}}placement<@flash, {{0|32}}>
memref.global "private" constant @theirs : memref<8xi8, #any> = dense<3>

// CHECK-LABEL: func.func @main
func.func @main(%x: memref<60xi8>, %y: memref<32xi8>) {
  %hot = memref.get_global @hot : memref<60xi8, #any>
  %cold = memref.get_global @cold : memref<32xi8, #any>
  %theirs = memref.get_global @theirs : memref<8xi8, #any>
  %a = memref_pool.alloc : memref<8xi8, #memref_pool.space<@ws>>
  // CHECK: memref_pool.copy {{.*}}#memref_pool.space<@itcm>
  memref_pool.copy %hot into %x : memref<60xi8, #any>, memref<60xi8>
  // CHECK: memref_pool.copy {{.*}}#memref_pool.space<@flash>
  memref_pool.copy %cold into %y : memref<32xi8, #any>, memref<32xi8>
  // CHECK: accel.call @npu.run ins({{.*}}#memref_pool.space<@flash>
  accel.call @npu.run ins(%theirs : memref<8xi8, #any>) outs(%a : memref<8xi8, #memref_pool.space<@ws>>)
  return
}
