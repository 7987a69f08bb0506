// RUN: forebay-opt %s --accel-attach-target | FileCheck %s
// RUN: forebay-opt %s --accel-attach-target=target=host | FileCheck %s

// CHECK:      module
// CHECK-NEXT:   accel.device @host kind "cpu"
// CHECK-NEXT:   memref_pool.pool @workspace workspace align 16 read [@host] write [@host]
// CHECK-NEXT:   memref_pool.pool @weights constant align 16 read [@host]
// CHECK-NEXT:   memref_pool.pool @state state align 16 reserved [0, 16] read [@host] write [@host]
// CHECK-NEXT:   func.func @main
func.func @main() {
  return
}
