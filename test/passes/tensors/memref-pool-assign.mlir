// RUN: forebay-opt %s --split-input-file --memref-pool-assign | FileCheck %s
// RUN: forebay-opt %s --split-input-file --memref-pool-assign=io=pool | FileCheck %s --check-prefix=POOL

// Two workspaces that the host may write are candidates in their order; @npu_mem is not the host's, and constants
// get what the host may read.
accel.device @host kind "cpu"
accel.device @npu kind "npu"
memref_pool.pool @dtcm workspace capacity 1000
memref_pool.pool @sram workspace read [@host, @npu] write [@host, @npu]
memref_pool.pool @npu_mem workspace read [@host, @npu] write [@npu]
memref_pool.pool @itcm constant
memref_pool.pool @flash constant

#id = affine_map<(d0) -> (d0)>
// Inputs and results belong to the caller, or have a place in the workspace.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    %[[X:.*]]: tensor<4xi8> {accel.name = "x", bufferization.writable = false}) -> (tensor<4xi8> {accel.name = "y"})
// POOL-LABEL:  func.func @main
// POOL-SAME:     tensor<4xi8, #memref_pool.space<[@dtcm, @sram]>> {accel.name = "x", bufferization.writable = false}) -> (tensor<4xi8, #memref_pool.space<[@dtcm, @sram]>> {accel.name = "y"})
func.func @main(%x: tensor<4xi8> {accel.name = "x"}) -> (tensor<4xi8> {accel.name = "y"}) {
  // CHECK: arith.constant dense<[1, 2, 3, 4]> : tensor<4xi8, #memref_pool.space<[@itcm, @flash]>>
  %w = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi8>
  // CHECK: tensor.empty() : tensor<4xi8, #memref_pool.space<[@dtcm, @sram]>>
  %e = tensor.empty() : tensor<4xi8>
  // CHECK: %[[SUM:.*]] = linalg.generic
  // CHECK: -> tensor<4xi8, #memref_pool.space<[@dtcm, @sram]>>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %w : tensor<4xi8>, tensor<4xi8>) outs(%e : tensor<4xi8>) {
  ^bb0(%a: i8, %b: i8, %o: i8):
    %s = arith.addi %a, %b : i8
    linalg.yield %s : i8
  } -> tensor<4xi8>
  // CHECK: %[[OUT:.*]] = tensor.empty() : tensor<4xi8>
  // CHECK: %[[Y:.*]] = memref_pool.copy %[[SUM]] into %[[OUT]]
  // CHECK: return %[[Y]] : tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

// A constant that is overwritten, or carried by a loop, is copied into the workspace first, once each; the input too.
memref_pool.pool @ws workspace
memref_pool.pool @flash constant

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4xi8>, %v: i8, %i: index, %n: index) -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[W:.*]] = arith.constant dense<7> : tensor<4xi8, #memref_pool.space<@flash>>
  %w = arith.constant dense<7> : tensor<4xi8>
  // CHECK: %[[A:.*]] = memref_pool.copy %[[W]] into %{{.*}} : tensor<4xi8, #memref_pool.space<@flash>>, tensor<4xi8, #memref_pool.space<@ws>>
  // CHECK: tensor.insert %{{.*}} into %[[A]]
  %0 = tensor.insert %v into %w[%i] : tensor<4xi8>
  // CHECK: %[[B:.*]] = memref_pool.copy %[[W]] into
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[B]])
  %1 = scf.for %j = %c0 to %n step %c1 iter_args(%it = %w) -> tensor<4xi8> {
    %s = tensor.insert %v into %it[%j] : tensor<4xi8>
    scf.yield %s : tensor<4xi8>
  }
  // CHECK: %[[C:.*]] = memref_pool.copy %{{.*}} into %{{.*}} : tensor<4xi8>, tensor<4xi8, #memref_pool.space<@ws>>
  // CHECK: tensor.insert %{{.*}} into %[[C]]
  %2 = tensor.insert %v into %x[%i] : tensor<4xi8>
  // CHECK-COUNT-3: memref_pool.copy
  // CHECK-NOT: memref_pool.copy
  return %0, %1, %2 : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>
}

// -----

// A callee that only reads constants takes them where they are, also through a view; one that gets a constant here and
// a workspace tensor there takes workspace tensors, and the constant is copied.
memref_pool.pool @ws workspace
memref_pool.pool @flash constant
#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func private @add
// CHECK-SAME:    tensor<4xi8, #memref_pool.space<@ws>>, %{{.*}}: tensor<4xi8, #memref_pool.space<@flash>>
func.func private @add(%x: tensor<4xi8>, %w: tensor<4xi8>) -> tensor<4xi8> {
  %e = tensor.empty() : tensor<4xi8>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %w : tensor<4xi8>, tensor<4xi8>) outs(%e : tensor<4xi8>) {
  ^bb0(%a: i8, %b: i8, %o: i8):
    %s = arith.addi %a, %b : i8
    linalg.yield %s : i8
  } -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4xi8>) -> tensor<4xi8> {
  %w = arith.constant dense<7> : tensor<4xi8>
  %v = arith.constant dense<8> : tensor<2x2xi8>
  %f = tensor.collapse_shape %v [[0, 1]] : tensor<2x2xi8> into tensor<4xi8>
  // CHECK: %[[X:.*]] = memref_pool.copy
  // CHECK: %[[FIRST:.*]] = call @add(%[[X]], %{{.*}}) : (tensor<4xi8, #memref_pool.space<@ws>>, tensor<4xi8, #memref_pool.space<@flash>>)
  %0 = func.call @add(%x, %w) : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  // CHECK: call @add(%[[FIRST]], %{{.*}}) : (tensor<4xi8, #memref_pool.space<@ws>>, tensor<4xi8, #memref_pool.space<@flash>>)
  %1 = func.call @add(%0, %f) : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %1 : tensor<4xi8>
}

// -----

memref_pool.pool @ws workspace
memref_pool.pool @flash constant
#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func private @first
// CHECK-SAME:    tensor<4xi8, #memref_pool.space<@ws>>
func.func private @first(%x: tensor<4xi8>) -> i8 {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract %x[%c0] : tensor<4xi8>
  return %0 : i8
}

// CHECK-LABEL: func.func @main
func.func @main(%v: i8) -> (i8, i8) {
  %w = arith.constant dense<7> : tensor<4xi8>
  %s = tensor.splat %v : tensor<4xi8>
  // CHECK: %[[COPY:.*]] = memref_pool.copy %{{.*}} into %{{.*}} : tensor<4xi8, #memref_pool.space<@flash>>
  // CHECK: call @first(%[[COPY]])
  %0 = func.call @first(%w) : (tensor<4xi8>) -> i8
  // CHECK-NOT: memref_pool.copy
  %1 = func.call @first(%s) : (tensor<4xi8>) -> i8
  return %0, %1 : i8, i8
}

// -----

// A state variable that is only read stays where it is; one that was opened for writing takes the copy that stores into
// it, and no further one.
memref_pool.pool @ws workspace
memref_pool.pool @kept state
memref.global "private" @s : memref<4xi8, #memref_pool.space<@kept>>

// CHECK-LABEL: func.func @main
// CHECK:         %[[TARGET:.*]] = bufferization.to_tensor %{{.*}} restrict writable : memref<4xi8, #memref_pool.space<@kept>> to tensor<4xi8, #memref_pool.space<@kept>>
// CHECK-NEXT:    memref_pool.copy %{{.*}} into %[[TARGET]] : tensor<4xi8>, tensor<4xi8, #memref_pool.space<@kept>> -> tensor<4xi8, #memref_pool.space<@kept>>
// CHECK-NOT:     memref_pool.copy
func.func @main(%x: tensor<4xi8>) {
  %s = memref.get_global @s : memref<4xi8, #memref_pool.space<@kept>>
  %t = bufferization.to_tensor %s restrict writable : memref<4xi8, #memref_pool.space<@kept>> to tensor<4xi8>
  %c = memref_pool.copy %x into %t : tensor<4xi8>, tensor<4xi8> -> tensor<4xi8>
  bufferization.materialize_in_destination %c in restrict writable %s : (tensor<4xi8>, memref<4xi8, #memref_pool.space<@kept>>) -> ()
  return
}
