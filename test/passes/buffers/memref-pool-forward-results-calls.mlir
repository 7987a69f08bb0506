// RUN: forebay-opt %s --memref-pool-forward-results | FileCheck %s

// Results that private functions compute: through the call, into the caller's memory.

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @ws workspace read [@cpu, @npu] write [@cpu, @npu]
#ws = #memref_pool.space<@ws>

// The argument of the one that is called, and of the one that this one calls, is the result.
// CHECK-LABEL: func.func private @outer(%{{.*}}: memref<4xi8>)
// CHECK:         memref.expand_shape %{{.*}} : memref<4xi8> into memref<2x2xi8>
// CHECK:         call @inner(%{{.*}}) : (memref<2x2xi8>) -> ()
func.func private @outer(%b: memref<4xi8, #ws>) {
  %v = memref.expand_shape %b [[0, 1]] output_shape [2, 2] : memref<4xi8, #ws> into memref<2x2xi8, #ws>
  call @inner(%v) : (memref<2x2xi8, #ws>) -> ()
  return
}
// CHECK-LABEL: func.func private @inner(%{{.*}}: memref<2x2xi8>)
// CHECK:         linalg.fill ins(%{{.*}}) outs(%{{.*}} : memref<2x2xi8>)
func.func private @inner(%b: memref<2x2xi8, #ws>) {
  %c = arith.constant 7 : i8
  linalg.fill ins(%c : i8) outs(%b : memref<2x2xi8, #ws>)
  return
}
// CHECK-LABEL: func.func @nested
// CHECK-SAME:    %[[Y:.*]]: memref<4xi8> {bufferize.result}
// CHECK-NEXT:    call @outer(%[[Y]]) : (memref<4xi8>) -> ()
// CHECK-NEXT:    return
func.func @nested(%y: memref<4xi8> {bufferize.result}) {
  %b = memref_pool.alloc : memref<4xi8, #ws>
  call @outer(%b) : (memref<4xi8, #ws>) -> ()
  memref_pool.copy %b into %y : memref<4xi8, #ws>, memref<4xi8>
  return
}

// Two callers: for the other one the argument is in the pool.
// CHECK-LABEL: func.func private @shared(%{{.*}}: memref<4xi8, #memref_pool.space<@ws>>)
func.func private @shared(%b: memref<4xi8, #ws>) {
  %c = arith.constant 7 : i8
  linalg.fill ins(%c : i8) outs(%b : memref<4xi8, #ws>)
  return
}
// CHECK-LABEL: func.func @two_callers
// CHECK:         memref_pool.copy
func.func @two_callers(%y: memref<4xi8> {bufferize.result}) {
  %b = memref_pool.alloc : memref<4xi8, #ws>
  %d = memref_pool.alloc : memref<4xi8, #ws>
  call @shared(%b) : (memref<4xi8, #ws>) -> ()
  call @shared(%d) : (memref<4xi8, #ws>) -> ()
  memref_pool.copy %b into %y : memref<4xi8, #ws>, memref<4xi8>
  return
}

// A function that calls itself has two callers.
// CHECK-LABEL: func.func private @again(%{{.*}}: memref<4xi8, #memref_pool.space<@ws>>, %{{.*}}: i1)
func.func private @again(%b: memref<4xi8, #ws>, %more: i1) {
  %c = arith.constant 7 : i8
  %no = arith.constant false
  linalg.fill ins(%c : i8) outs(%b : memref<4xi8, #ws>)
  scf.if %more {
    func.call @again(%b, %no) : (memref<4xi8, #ws>, i1) -> ()
  }
  return
}
// CHECK-LABEL: func.func @recursive
// CHECK:         memref_pool.copy
func.func @recursive(%y: memref<4xi8> {bufferize.result}) {
  %b = memref_pool.alloc : memref<4xi8, #ws>
  %yes = arith.constant true
  call @again(%b, %yes) : (memref<4xi8, #ws>, i1) -> ()
  memref_pool.copy %b into %y : memref<4xi8, #ws>, memref<4xi8>
  return
}

// A function without a body does not change. Neither does one that names the pool of its argument, nor one that a stage made
// for known pools.
func.func private @extern(%b: memref<4xi8, #ws>)
func.func private @pinned(%b: memref<4xi8, #ws> {memref_pool.candidates = #ws}) {
  %c = arith.constant 7 : i8
  linalg.fill ins(%c : i8) outs(%b : memref<4xi8, #ws>)
  return
}
func.func private @granted(%b: memref<4xi8, #ws>) attributes {accel.granted = {ws = 64 : i64}} {
  %c = arith.constant 7 : i8
  linalg.fill ins(%c : i8) outs(%b : memref<4xi8, #ws>)
  return
}
// CHECK-LABEL: func.func @stay
// CHECK-COUNT-3: memref_pool.copy
func.func @stay(%x: memref<4xi8> {bufferize.result}, %y: memref<4xi8> {bufferize.result}, %z: memref<4xi8> {bufferize.result}) {
  %a = memref_pool.alloc : memref<4xi8, #ws>
  call @granted(%a) : (memref<4xi8, #ws>) -> ()
  memref_pool.copy %a into %x : memref<4xi8, #ws>, memref<4xi8>
  %b = memref_pool.alloc : memref<4xi8, #ws>
  %d = memref_pool.alloc : memref<4xi8, #ws>
  call @extern(%b) : (memref<4xi8, #ws>) -> ()
  call @pinned(%d) : (memref<4xi8, #ws>) -> ()
  memref_pool.copy %b into %y : memref<4xi8, #ws>, memref<4xi8>
  memref_pool.copy %d into %z : memref<4xi8, #ws>, memref<4xi8>
  return
}

// A stage's function takes a result in the pools that it was made for.
func.func private @granted_too(%b: memref<4xi8, #ws>) attributes {accel.granted = {ws = 64 : i64}} {
  %c = arith.constant 7 : i8
  linalg.fill ins(%c : i8) outs(%b : memref<4xi8, #ws>)
  return
}
// CHECK-LABEL: func.func @in_the_same_pool
// CHECK-SAME:    %[[Y:.*]]: memref
// CHECK-NEXT:    call @granted_too(%[[Y]])
// CHECK-NEXT:    return
func.func @in_the_same_pool(%y: memref<4xi8, #ws> {bufferize.result}) {
  %b = memref_pool.alloc : memref<4xi8, #ws>
  call @granted_too(%b) : (memref<4xi8, #ws>) -> ()
  memref_pool.copy %b into %y : memref<4xi8, #ws>, memref<4xi8, #ws>
  return
}

// What a device runs does not reach the caller's memory.
func.func private @on_npu(%b: memref<4xi8, #ws>) attributes {accel.on = @npu} {
  %c = arith.constant 7 : i8
  linalg.fill ins(%c : i8) outs(%b : memref<4xi8, #ws>)
  return
}
// CHECK-LABEL: func.func @on_device
// CHECK:         memref_pool.copy
func.func @on_device(%y: memref<4xi8> {bufferize.result}) {
  %b = memref_pool.alloc : memref<4xi8, #ws>
  call @on_npu(%b) : (memref<4xi8, #ws>) -> ()
  memref_pool.copy %b into %y : memref<4xi8, #ws>, memref<4xi8>
  return
}

// But a result in a pool is reached: no copy, and no buffer.
func.func private @on_npu_too(%b: memref<4xi8, #ws>) attributes {accel.on = @npu} {
  %c = arith.constant 7 : i8
  linalg.fill ins(%c : i8) outs(%b : memref<4xi8, #ws>)
  return
}
// CHECK-LABEL: func.func @on_device_into_a_pool
// CHECK-NEXT:    call @on_npu_too
// CHECK-NEXT:    return
func.func @on_device_into_a_pool(%y: memref<4xi8, #ws> {bufferize.result}) {
  %b = memref_pool.alloc : memref<4xi8, #ws>
  call @on_npu_too(%b) : (memref<4xi8, #ws>) -> ()
  memref_pool.copy %b into %y : memref<4xi8, #ws>, memref<4xi8, #ws>
  return
}

// A strided result is no dense buffer for a function.
func.func private @dense(%b: memref<4xi8, #ws>) {
  %c = arith.constant 7 : i8
  linalg.fill ins(%c : i8) outs(%b : memref<4xi8, #ws>)
  return
}
// CHECK-LABEL: func.func @strided
// CHECK:         memref_pool.copy
func.func @strided(%y: memref<4xi8, strided<[2]>> {bufferize.result}) {
  %b = memref_pool.alloc : memref<4xi8, #ws>
  call @dense(%b) : (memref<4xi8, #ws>) -> ()
  memref_pool.copy %b into %y : memref<4xi8, #ws>, memref<4xi8, strided<[2]>>
  return
}
