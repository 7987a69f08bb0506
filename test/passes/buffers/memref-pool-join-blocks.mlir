// RUN: forebay-opt %s --memref-pool-join-blocks | FileCheck %s

// The ops of the segment take the place of its call, and the buffer that it returned is allocated in front of its first use.
// CHECK-NOT:   @main_segment_1
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    memref.store
// CHECK-NEXT:    %[[A:.*]] = memref.alloc
// CHECK-NEXT:    memref.copy %{{.*}}, %[[A]]
// CHECK-NEXT:    memref.copy %[[A]], %{{.*}}
// CHECK-NEXT:    return
func.func private @main_segment_1(%x: memref<4xi8>, %r: memref<4xi8>, %i: index, %v: i8) attributes {memref_pool.segment} {
  memref.store %v, %x[%i] : memref<4xi8>
  memref.copy %x, %r : memref<4xi8> to memref<4xi8>
  return
}
func.func @main(%x: memref<4xi8>, %y: memref<4xi8>, %i: index, %v: i8) {
  %a = memref.alloc() : memref<4xi8>
  func.call @main_segment_1(%x, %a, %i, %v) : (memref<4xi8>, memref<4xi8>, index, i8) -> ()
  memref.copy %a, %y : memref<4xi8> to memref<4xi8>
  return
}
