// RUN: forebay-opt %s --memref-pool-choose="inputs=image=dtcm outputs=scores=sram+dtcm constants=weights=itcm,*=flash" | FileCheck %s
// RUN: forebay-opt %s --memref-pool-choose="constants=weights=flash+itcm" | FileCheck %s --check-prefix=ONE
// RUN: forebay-opt %s --memref-pool-choose="rows=image" | FileCheck %s --check-prefix=ROWS

// ROWS: func.func @main(%{{.*}}: tensor<4xi8> {accel.name = "image", memref_pool.row_source})
memref_pool.pool @dtcm workspace
memref_pool.pool @sram workspace
memref_pool.pool @itcm constant
memref_pool.pool @flash constant

// CHECK-LABEL: func.func @main
// CHECK-SAME:    %{{.*}}: tensor<4xi8> {accel.name = "image", memref_pool.candidates = #memref_pool.space<@dtcm>}
// CHECK-SAME:    -> (tensor<4xi8> {accel.name = "scores", memref_pool.candidates = #memref_pool.space<[@sram, @dtcm]>})
// ONE-LABEL:   func.func @main
// ONE-NOT:       memref_pool.candidates
// ONE-SAME:      {
func.func @main(%x: tensor<4xi8> {accel.name = "image"}) -> (tensor<4xi8> {accel.name = "scores"}) {
  // CHECK: arith.constant {memref_pool.candidates = #memref_pool.space<@itcm>} dense<1>
  // ONE:   arith.constant {memref_pool.candidates = #memref_pool.space<[@flash, @itcm]>} dense<1>
  %w = arith.constant dense<1> : tensor<4xi8> loc("weights"("ADD"("net.tflite":0:0)))
  // CHECK: arith.constant {memref_pool.candidates = #memref_pool.space<@flash>} dense<2>
  // ONE:   arith.constant dense<2>
  %b = arith.constant dense<2> : tensor<4xi8>
  // A number is no tensor.
  // CHECK: arith.constant 3 : i8
  %c = arith.constant 3 : i8
  return %x : tensor<4xi8>
}
