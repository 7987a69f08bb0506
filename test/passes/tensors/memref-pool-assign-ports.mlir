// RUN: forebay-opt %s --split-input-file --memref-pool-assign --memref-pool-check-assigned | FileCheck %s
// RUN: forebay-opt %s --split-input-file --memref-pool-assign=io=pool | FileCheck %s --check-prefix=POOL

// Inputs and outputs live in pools one by one: candidates at an argument or a result say where, in their order. An
// input that an intrinsic alone reads is one like any other; one without candidates stays with the caller, and only
// the host reaches it there. io=pool gives the others a pool too: what the application and all users reach.
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dtcm workspace read [@cpu] write [@cpu]
memref_pool.pool @sram workspace
memref_pool.pool @slow workspace
memref_pool.pool @out workspace read [@npu] write [@cpu, @npu]
accel.intrinsic @npu.f on @npu symbol "f" operands [
  #accel.operand<name = "x", access = in>, #accel.operand<name = "y", access = out>]

// CHECK-LABEL: func.func @main
// CHECK-SAME:    %[[A:[^:]*]]: tensor<4xi8, #memref_pool.space<[@slow, @sram]>> {bufferization.writable = false}
// CHECK-SAME:    %[[B:[^:]*]]: tensor<4xi8> {bufferization.writable = false}
// CHECK-SAME:    -> (tensor<4xi8>, tensor<4xi8, #memref_pool.space<@sram>> {accel.name = "z"})
// POOL-LABEL:  func.func @main
// POOL-SAME:     tensor<4xi8, #memref_pool.space<[@slow, @sram]>> {bufferization.writable = false}
// POOL-SAME:     tensor<4xi8, #memref_pool.space<[@sram, @slow, @out]>> {bufferization.writable = false}
// POOL-SAME:     -> (tensor<4xi8, #memref_pool.space<[@dtcm, @sram, @slow]>>, tensor<4xi8, #memref_pool.space<@sram>> {accel.name = "z"})
func.func @main(%a: tensor<4xi8> {memref_pool.candidates = #memref_pool.space<[@slow, @dtcm, @sram]>}, %b: tensor<4xi8>)
    -> (tensor<4xi8>, tensor<4xi8> {accel.name = "z", memref_pool.candidates = #memref_pool.space<@sram>}) {
  %e = tensor.empty() : tensor<4xi8>
  // CHECK-NOT: memref_pool.copy
  // CHECK: accel.call @npu.f ins(%[[A]]
  %0 = accel.call @npu.f ins(%a : tensor<4xi8>) outs(%e : tensor<4xi8>) -> tensor<4xi8>
  %f = tensor.empty() : tensor<4xi8>
  // CHECK: %[[COPY:.*]] = memref_pool.copy %[[B]]
  // CHECK: accel.call @npu.f ins(%[[COPY]]
  // POOL-NOT: memref_pool.copy
  // POOL:  accel.call @npu.f
  // POOL:  accel.call @npu.f
  %1 = accel.call @npu.f ins(%b : tensor<4xi8>) outs(%f : tensor<4xi8>) -> tensor<4xi8>
  // CHECK-COUNT-2: memref_pool.copy
  return %0, %1 : tensor<4xi8>, tensor<4xi8>
}

// -----

// Candidates at an op narrow and order, and go. A class has the order of its first.
memref_pool.pool @a workspace
memref_pool.pool @b workspace
memref_pool.pool @c workspace

// CHECK-LABEL: func.func @main
// CHECK-NOT:     memref_pool.candidates
func.func @main(%v: i8, %i: index) -> i8 {
  // CHECK: tensor.splat %{{.*}} : tensor<4xi8, #memref_pool.space<[@c, @a]>>
  %0 = tensor.splat %v {memref_pool.candidates = #memref_pool.space<[@c, @b, @a]>} : tensor<4xi8>
  // CHECK: tensor.insert %{{.*}} : tensor<4xi8, #memref_pool.space<[@c, @a]>>
  %1 = tensor.insert %v into %0[%i] {memref_pool.candidates = #memref_pool.space<[@a, @c]>} : tensor<4xi8>
  %2 = tensor.extract %1[%i] : tensor<4xi8>
  return %2 : i8
}

// -----

// A function without a body accesses its arguments, on its device and as its arguments' attributes say; its type follows.
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @l2 workspace read [@cpu] write [@cpu]
memref_pool.pool @act workspace

// CHECK: func.func private @given(tensor<4xi8, #memref_pool.space<@act>> {bufferization.access = "read"}) attributes {accel.on = @npu}
func.func private @given(tensor<4xi8> {bufferization.access = "read"}) attributes {accel.on = @npu}
// CHECK: func.func private @here(tensor<4xi8, #memref_pool.space<@l2>> {bufferization.access = "read"})
func.func private @here(tensor<4xi8> {bufferization.access = "read", memref_pool.candidates = #memref_pool.space<@l2>})

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4xi8>, %v: i8) {
  // CHECK: %[[COPY:.*]] = memref_pool.copy %{{.*}} into %{{.*}} : tensor<4xi8>, tensor<4xi8, #memref_pool.space<@act>>
  // CHECK: call @given(%[[COPY]])
  call @given(%x) : (tensor<4xi8>) -> ()
  // CHECK: %[[S:.*]] = tensor.splat %{{.*}} : tensor<4xi8, #memref_pool.space<@l2>>
  // CHECK: call @here(%[[S]])
  %s = tensor.splat %v : tensor<4xi8>
  call @here(%s) : (tensor<4xi8>) -> ()
  return
}

// -----

// What only flows through a call into a function that reads it is not copied, the caller's input neither.
memref_pool.pool @ws workspace

// CHECK-LABEL: func.func private @first
// CHECK-SAME:    %{{.*}}: tensor<4xi8>, %{{.*}}: index
func.func private @first(%x: tensor<4xi8>, %i: index) -> i8 {
  %s = tensor.extract_slice %x[2] [2] [1] : tensor<4xi8> to tensor<2xi8>
  %0 = tensor.extract %s[%i] : tensor<2xi8>
  return %0 : i8
}

// CHECK-LABEL: func.func @main
// CHECK-NOT:     memref_pool.copy
func.func @main(%x: tensor<4xi8>, %i: index) -> i8 {
  %0 = call @first(%x, %i) : (tensor<4xi8>, index) -> i8
  return %0 : i8
}

// -----

// Storing into a tensor that lives elsewhere is a copy between pools, and says so.
memref_pool.pool @a workspace
memref_pool.pool @b workspace

// CHECK-LABEL: func.func @main
func.func @main(%v: i8, %i: index) -> i8 {
  %0 = tensor.splat %v {memref_pool.candidates = #memref_pool.space<@a>} : tensor<4xi8>
  %e = tensor.empty() : tensor<4xi8>
  // CHECK: %[[R:.*]] = memref_pool.copy %{{.*}} into %{{.*}} -> tensor<4xi8, #memref_pool.space<@b>>
  // CHECK: tensor.extract %[[R]]
  %1 = bufferization.materialize_in_destination %0 in %e {memref_pool.candidates = #memref_pool.space<@b>} : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  %2 = tensor.extract %1[%i] : tensor<4xi8>
  return %2 : i8
}

// -----

// Dimensions of a part of an input with gaps between them collapse in a copy, which has a pool; where each step of the
// outer one is as long as the inner one, there is none.
memref_pool.pool @ws workspace

// CHECK-LABEL: func.func @main
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x6xi8>
func.func @main(%x: tensor<4x6xi8>, %i: index) -> (i8, i8) {
  // CHECK: %[[COLUMNS:.*]] = tensor.extract_slice %[[X]][0, 2] [4, 3]
  // CHECK: %[[COPY:.*]] = memref_pool.copy %[[COLUMNS]] into %{{.*}} : tensor<4x3xi8>, tensor<4x3xi8, #memref_pool.space<@ws>>
  // CHECK: tensor.collapse_shape %[[COPY]] {{.*}} into tensor<12xi8, #memref_pool.space<@ws>>
  %columns = tensor.extract_slice %x[0, 2] [4, 3] [1, 1] : tensor<4x6xi8> to tensor<4x3xi8>
  %0 = tensor.collapse_shape %columns [[0, 1]] : tensor<4x3xi8> into tensor<12xi8>
  // CHECK: %[[ROWS:.*]] = tensor.extract_slice %[[X]][1, 0] [2, 6]
  // CHECK-NOT: memref_pool.copy
  // CHECK: tensor.collapse_shape %[[ROWS]] {{.*}} : tensor<2x6xi8> into tensor<12xi8>
  %rows = tensor.extract_slice %x[1, 0] [2, 6] [1, 1] : tensor<4x6xi8> to tensor<2x6xi8>
  %1 = tensor.collapse_shape %rows [[0, 1]] : tensor<2x6xi8> into tensor<12xi8>
  %2 = tensor.extract %0[%i] : tensor<12xi8>
  %3 = tensor.extract %1[%i] : tensor<12xi8>
  return %2, %3 : i8, i8
}
