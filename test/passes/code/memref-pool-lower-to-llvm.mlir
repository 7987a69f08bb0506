// RUN: forebay-opt %s --memref-pool-lower-to-llvm | FileCheck %s

// Nothing of ours is left: no pool, no device, no constant, no space, no placement.
// CHECK-NOT: memref_pool
// CHECK-NOT: accel
// CHECK-NOT: memref.global
accel.device @host kind "host"
memref_pool.pool @sram workspace
memref_pool.pool @flash constant
memref.global "private" constant @bias : memref<4xi32, #memref_pool.space<@flash>> = dense<[1, 2, 3, 4]>
    {memref_pool.placement = #memref_pool.placement<@flash, 16>}

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[SRAM:.+]]: memref<64xi8>, %[[IN:.+]]: memref<4xi32> {accel.name = "input"})
func.func @main(%sram: memref<64xi8, #memref_pool.space<@sram>> {memref_pool.base},
                %in: memref<4xi32> {accel.name = "input"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  // CHECK: %[[VIEW:.+]] = memref.view %[[SRAM]][%{{.+}}][] : memref<64xi8> to memref<4xi32>
  %view = memref.view %sram[%c32][] : memref<64xi8, #memref_pool.space<@sram>>
      to memref<4xi32, #memref_pool.space<@sram>>
  // CHECK: linalg.copy {{.*}}ins(%[[IN]] : memref<4xi32>) outs(%[[VIEW]] : memref<4xi32>)
  memref_pool.copy %in into %view : memref<4xi32>, memref<4xi32, #memref_pool.space<@sram>>
  scf.for %i = %c0 to %c4 step %c1 {
    // CHECK: memref.load %[[VIEW]][%{{.+}}] : memref<4xi32>
    %x = memref.load %view[%i] : memref<4xi32, #memref_pool.space<@sram>>
    // CHECK: memref.subview %[[VIEW]][1] [2] [1] : memref<4xi32> to memref<2xi32, strided<[1], offset: 1>>
    %part = memref.subview %view[1] [2] [1] : memref<4xi32, #memref_pool.space<@sram>>
        to memref<2xi32, strided<[1], offset: 1>, #memref_pool.space<@sram>>
    memref.store %x, %part[%c0] : memref<2xi32, strided<[1], offset: 1>, #memref_pool.space<@sram>>
  }
  // CHECK: call @use(%[[VIEW]]) : (memref<4xi32>) -> ()
  call @use(%view) : (memref<4xi32, #memref_pool.space<@sram>>) -> ()
  return
}

// CHECK: func.func private @use(%{{.+}}: memref<4xi32>)
func.func private @use(%buffer: memref<4xi32, #memref_pool.space<@sram>>) {
  return
}

// A boolean takes a byte.
// CHECK-LABEL: func.func @booleans(
// CHECK-SAME: %[[FLAGS:.+]]: memref<4xi8>)
func.func @booleans(%flags: memref<4xi1>) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[BYTE:.+]] = memref.load %[[FLAGS]][%{{.+}}] : memref<4xi8>
  // CHECK: %[[FLAG:.+]] = arith.cmpi ne, %[[BYTE]], %{{.+}} : i8
  %flag = memref.load %flags[%c0] : memref<4xi1>
  // CHECK: %[[STORED:.+]] = arith.extui %[[FLAG]] : i1 to i8
  // CHECK: memref.store %[[STORED]], %[[FLAGS]][%{{.+}}] : memref<4xi8>
  memref.store %flag, %flags[%c0] : memref<4xi1>
  return
}

// A local variable is allocated once per call, not once per iteration.
// CHECK-LABEL: func.func private @variable(
// CHECK-NEXT: %[[VARIABLE:.+]] = memref.alloca() : memref<4xi8>
// CHECK: scf.for
// CHECK-NEXT: memref.store %{{.+}}, %[[VARIABLE]][%{{.+}}] : memref<4xi8>
func.func private @variable(%x: i8, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %variable = memref.alloca() : memref<4xi8>
    memref.store %x, %variable[%c1] : memref<4xi8>
  }
  return
}
