// RUN: forebay-opt %s --memref-pool-adopt | FileCheck %s

#ws = #memref_pool.space<@ws>
#any = #memref_pool.space<[@fast, @ws]>

// Bufferization puts constants in front. The machine's declarations come first, in their order.
// CHECK: memref_pool.pool @fast
// CHECK-NEXT: memref_pool.pool @ws
// CHECK-NEXT: memref_pool.pool @flash
// CHECK-NEXT: memref.global "private" constant @front
memref.global "private" constant @front : memref<4xi8, #memref_pool.space<@flash>> = dense<2>
memref_pool.pool @fast workspace
memref_pool.pool @ws workspace
memref_pool.pool @flash constant
memref.global "private" constant @weights : memref<4xi8, #memref_pool.space<@flash>> = dense<1>

func.func private @external(memref<8xi8, #ws>)

// CHECK-LABEL: func.func @main
func.func @main(%callers: memref<4xi8>, %planned: memref<4xi8, #ws>) {
  // The alignment of an alloc is its own: 64 stays, none stays none.
  // CHECK: %[[A:.*]] = memref_pool.alloc align 64 : memref<8xi8, #memref_pool.space<@ws>>
  %a = memref.alloc() {alignment = 64 : i64} : memref<8xi8, #ws>
  // CHECK: %[[B:.*]] = memref_pool.alloc : memref<8xi8, #memref_pool.space<@ws>>
  %b = memref.alloca() : memref<8xi8, #ws>
  // CHECK: memref_pool.alloc : memref<8xi8, #memref_pool.space<[@fast, @ws]>>
  %c = memref.alloc() : memref<8xi8, #any>
  // CHECK: memref.copy %[[A]], %[[B]]
  memref.copy %a, %b : memref<8xi8, #ws> to memref<8xi8, #ws>
  // CHECK: memref_pool.copy
  memref_pool.copy %c into %b : memref<8xi8, #any>, memref<8xi8, #ws>
  // A variable that is stored into itself is in its place.
  // CHECK-NOT: memref_pool.copy
  memref_pool.copy %b into %b : memref<8xi8, #ws>, memref<8xi8, #ws>
  func.call @external(%b) : (memref<8xi8, #ws>) -> ()
  // CHECK-NOT: memref.dealloc
  memref.dealloc %a : memref<8xi8, #ws>
  memref.dealloc %c : memref<8xi8, #any>
  return
}
