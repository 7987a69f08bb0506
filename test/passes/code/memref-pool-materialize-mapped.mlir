// RUN: forebay-opt %s --pass-pipeline='builtin.module(memref-pool-plan,memref-pool-materialize,memref-pool-verify-plan)' | FileCheck %s
// RUN: forebay-opt %s --pass-pipeline='builtin.module(memref-pool-plan,memref-pool-materialize,memref-pool-lower-to-llvm)' | FileCheck %s --check-prefix=LLVM

accel.device @cpu kind "cpu" host
memref_pool.pool @dram workspace
memref_pool.pool @tcm workspace capacity 256 base 0x20000000 start 64
memref_pool.pool @flash constant base 0x08000000

#dram = #memref_pool.space<@dram>
#tcm = #memref_pool.space<@tcm>
#flash = #memref_pool.space<@flash>

memref.global "private" constant @table : memref<4xi8, #flash> = dense<[1, 2, 3, 4]>

// Neither @tcm nor @flash is an argument, of any function.
// CHECK: func.func @main(%{{.*}}: memref<32xi8, #memref_pool.space<@dram>> {memref_pool.base})
// CHECK-NEXT: %[[TCM:.*]] = memref_pool.address <@tcm, 0> : memref<80xi8, #memref_pool.space<@tcm>>
// CHECK-NEXT: %[[FLASH:.*]] = memref_pool.address <@flash, 0> : memref<4xi8, #memref_pool.space<@flash>>
// LLVM-NOT: memref.global
// LLVM: func.func @main(%{{.*}}: memref<32xi8>)
func.func @main(%x: memref<16xi8, #dram>, %y: memref<16xi8, #dram>) {
  // The first byte of the pool to be used is 64: 64 + 16 = 80.
  // CHECK: %[[AT:.*]] = arith.constant 64 : index
  // CHECK: %[[S:.*]] = memref.view %[[TCM]][%[[AT]]][] : memref<80xi8, #memref_pool.space<@tcm>> to memref<16xi8, #memref_pool.space<@tcm>>
  // LLVM: %[[NUMBER:.*]] = arith.constant 536870912 : i64
  // LLVM: %[[POINTER:.*]] = llvm.inttoptr %[[NUMBER]] : i64 to !llvm.ptr
  // LLVM: llvm.insertvalue %[[POINTER]], %{{.*}}[1]
  // LLVM: builtin.unrealized_conversion_cast %{{.*}} to memref<80xi8>
  // LLVM: arith.constant 134217728 : i64
  %s = memref_pool.alloc : memref<16xi8, #tcm>
  memref.copy %x, %s : memref<16xi8, #dram> to memref<16xi8, #tcm>
  // CHECK: memref.view %[[FLASH]]
  %t = memref.get_global @table : memref<4xi8, #flash>
  %c0 = arith.constant 0 : index
  %v = memref.load %t[%c0] : memref<4xi8, #flash>
  memref.store %v, %s[%c0] : memref<16xi8, #tcm>
  // One buffer, wherever it is called: a constant there, too.
  // CHECK: call @double() : () -> ()
  call @double(%s) : (memref<16xi8, #tcm>) -> ()
  // A part of a buffer stays an argument.
  // CHECK: call @first(%{{.*}}) : (memref<4xi8, strided<[1]>, #memref_pool.space<@tcm>>) -> ()
  %p = memref.subview %s[0] [4] [1] : memref<16xi8, #tcm> to memref<4xi8, strided<[1]>, #tcm>
  call @first(%p) : (memref<4xi8, strided<[1]>, #tcm>) -> ()
  memref.copy %s, %y : memref<16xi8, #tcm> to memref<16xi8, #dram>
  return
}

// CHECK: func.func private @double() {
// CHECK-NEXT: %[[BASE:.*]] = memref_pool.address <@tcm, 0> : memref<80xi8, #memref_pool.space<@tcm>>
// CHECK-NEXT: %[[AT:.*]] = arith.constant 64 : index
// CHECK-NEXT: memref.view %[[BASE]][%[[AT]]]
func.func private @double(%s: memref<16xi8, #tcm>) {
  %c1 = arith.constant 1 : index
  %v = memref.load %s[%c1] : memref<16xi8, #tcm>
  %w = arith.addi %v, %v : i8
  memref.store %w, %s[%c1] : memref<16xi8, #tcm>
  return
}

// CHECK: func.func private @first(%{{.*}}: memref<4xi8, strided<[1]>, #memref_pool.space<@tcm>>) {
// CHECK-NOT: memref_pool.address
func.func private @first(%p: memref<4xi8, strided<[1]>, #tcm>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %p[%c0] : memref<4xi8, strided<[1]>, #tcm>
  memref.store %v, %p[%c0] : memref<4xi8, strided<[1]>, #tcm>
  return
}
