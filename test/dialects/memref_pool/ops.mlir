// RUN: forebay-opt %s | forebay-opt | FileCheck %s
// RUN: forebay-opt %s --mlir-print-op-generic | forebay-opt | FileCheck %s

// CHECK: accel.device @host kind "cpu"
accel.device @host kind "cpu"

// CHECK: memref_pool.pool @dtcm workspace capacity 1000 align 16 section ".bss.dtcm" read [@host] write [@host]
memref_pool.pool @dtcm workspace capacity 1000 align 16 section ".bss.dtcm" read [@host] write [@host]
// CHECK: memref_pool.pool @sram workspace
memref_pool.pool @sram workspace
// CHECK: memref_pool.pool @flash constant read [@host]
memref_pool.pool @flash constant read [@host]
// CHECK: memref_pool.pool @kept state align 8 reserved [0, 16, 32, 64]
memref_pool.pool @kept state align 8 reserved [0, 16, 32, 64]
// CHECK: memref_pool.pool @planned workspace certificate <planner = "best-of", peak = 48, lower_bound = 32>
memref_pool.pool @planned workspace certificate <planner = "best-of", peak = 48, lower_bound = 32>
// CHECK: certificate <planner = "exact", peak = 48, lower_bound = 32, proof = "exhausted">
memref_pool.pool @proved workspace certificate <planner = "exact", peak = 48, lower_bound = 32, proof = "exhausted">

// CHECK: memref.global "private" constant @w : memref<4xi8, #memref_pool.space<@flash>> = dense<1> {memref_pool.placement = #memref_pool.placement<@flash, 16>}
memref.global "private" constant @w : memref<4xi8, #memref_pool.space<@flash>> = dense<1> {memref_pool.placement = #memref_pool.placement<@flash, 16>}

// CHECK-LABEL: func.func @allocations
// CHECK-SAME: memref<64xi8, #memref_pool.space<@sram>> {memref_pool.base}
func.func @allocations(%base: memref<64xi8, #memref_pool.space<@sram>> {memref_pool.base}) {
  // CHECK: memref_pool.alloc : memref<4096xi8, #memref_pool.space<[@dtcm, @sram]>>
  %0 = memref_pool.alloc : memref<4096xi8, #memref_pool.space<[@dtcm, @sram]>>
  // CHECK: memref_pool.alloc align 64 pinned <@sram, 0> at <@sram, 0> : memref<16xi8, #memref_pool.space<@sram>>
  %1 = memref_pool.alloc align 64 pinned <@sram, 0> at <@sram, 0> : memref<16xi8, #memref_pool.space<@sram>>
  // CHECK: memref_pool.alloc at <@dtcm, 128> {memref_pool.lifetime = array<i64: 3, 5>}
  %2 = memref_pool.alloc at <@dtcm, 128> {memref_pool.lifetime = array<i64: 3, 5>} : memref<64xi8, #memref_pool.space<[@dtcm, @sram]>>
  return
}

// CHECK-LABEL: func.func @copies
func.func @copies(%t: tensor<8xi8>, %m: memref<8xi8, #memref_pool.space<@dtcm>>, %n: memref<8xi8, #memref_pool.space<@sram>>) -> tensor<8xi8> {
  // CHECK: memref_pool.copy %{{.*}} into %{{.*}} : memref<8xi8, #memref_pool.space<@dtcm>>, memref<8xi8, #memref_pool.space<@sram>>
  memref_pool.copy %m into %n : memref<8xi8, #memref_pool.space<@dtcm>>, memref<8xi8, #memref_pool.space<@sram>>
  %e = tensor.empty() : tensor<8xi8>
  // CHECK: memref_pool.copy %{{.*}} into %{{.*}} : tensor<8xi8>, tensor<8xi8> -> tensor<8xi8>
  %c = memref_pool.copy %t into %e : tensor<8xi8>, tensor<8xi8> -> tensor<8xi8>
  return %c : tensor<8xi8>
}
