// RUN: forebay-opt %s --accel-set-registers | FileCheck %s

accel.device @npu kind "npu"
memref_pool.pool @ram workspace
memref_pool.pool @npu.mode workspace local register capacity 4 read [@npu] write [@npu]
memref_pool.pool @npu.weights workspace local register capacity 16 read [@npu] write [@npu]
accel.intrinsic @npu.set_mode on @npu symbol "npu_set_mode"
  operands [#accel.operand<name = "mode", access = out, pools = [@npu.mode]>] scalars ["value"]
accel.intrinsic @npu.preload on @npu symbol "npu_preload"
  operands [#accel.operand<name = "w", access = in, pools = [@ram]>,
            #accel.operand<name = "weights", access = out, pools = [@npu.weights]>]
accel.intrinsic @npu.shift on @npu symbol "npu_shift"
  operands [#accel.operand<name = "weights", access = inout, pools = [@npu.weights]>]
accel.intrinsic @npu.run on @npu symbol "npu_run"
  operands [#accel.operand<name = "mode", access = in, pools = [@npu.mode]>,
            #accel.operand<name = "y", access = out, pools = [@ram]>]
accel.intrinsic @npu.multiply on @npu symbol "npu_multiply"
  operands [#accel.operand<name = "weights", access = in, pools = [@npu.weights]>,
            #accel.operand<name = "y", access = out, pools = [@ram]>]
#mode = #memref_pool.space<@npu.mode>
#weights = #memref_pool.space<@npu.weights>
#ram = #memref_pool.space<@ram>

// Two values in turn: each is set again where the other one has overwritten it. An equal value is
// not set again, even by a call with another buffer. Each value gets a buffer.
// CHECK-LABEL: func.func @alternate
// CHECK:       %[[M:.*]] = memref_pool.alloc
// CHECK-NEXT:  accel.call @npu.set_mode outs(%[[M]] : {{.*}}) config {value = 2 : i64}
// CHECK-NEXT:  accel.call @npu.run ins(%[[M]]
// CHECK-NEXT:  %[[N:.*]] = memref_pool.alloc
// CHECK-NEXT:  accel.call @npu.set_mode outs(%[[N]] : {{.*}}) config {value = 1 : i64}
// CHECK-NEXT:  accel.call @npu.run ins(%[[N]]
// CHECK-NEXT:  accel.call @npu.run ins(%[[N]]
// CHECK-NEXT:  %[[O:.*]] = memref_pool.alloc
// CHECK-NEXT:  accel.call @npu.set_mode outs(%[[O]] : {{.*}}) config {value = 2 : i64}
// CHECK-NEXT:  accel.call @npu.run ins(%[[O]]
// CHECK-NEXT:  return
func.func @alternate(%y: memref<4xi8, #ram>) {
  %a = memref_pool.alloc : memref<1xi32, #mode>
  %b = memref_pool.alloc : memref<1xi32, #mode>
  %c = memref_pool.alloc : memref<1xi32, #mode>
  accel.call @npu.set_mode outs(%a : memref<1xi32, #mode>) config {value = 1 : i64}
  accel.call @npu.set_mode outs(%b : memref<1xi32, #mode>) config {value = 2 : i64}
  accel.call @npu.run ins(%b : memref<1xi32, #mode>) outs(%y : memref<4xi8, #ram>)
  accel.call @npu.run ins(%a : memref<1xi32, #mode>) outs(%y : memref<4xi8, #ram>)
  accel.call @npu.set_mode outs(%c : memref<1xi32, #mode>) config {value = 1 : i64}
  accel.call @npu.run ins(%c : memref<1xi32, #mode>) outs(%y : memref<4xi8, #ram>)
  accel.call @npu.run ins(%b : memref<1xi32, #mode>) outs(%y : memref<4xi8, #ram>)
  return
}

// All iterations set the same value: it is set once, in front of the loop.
// CHECK-LABEL: func.func @invariant
// CHECK:       accel.call @npu.set_mode
// CHECK-NEXT:  scf.for
// CHECK-NEXT:    accel.call @npu.run
// CHECK-NEXT:  }
// CHECK-NEXT:  accel.call @npu.run
func.func @invariant(%y: memref<4xi8, #ram>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = memref_pool.alloc : memref<1xi32, #mode>
  scf.for %i = %c0 to %n step %c1 {
    %a = memref_pool.alloc : memref<1xi32, #mode>
    accel.call @npu.set_mode outs(%a : memref<1xi32, #mode>) config {value = 1 : i64}
    accel.call @npu.run ins(%a : memref<1xi32, #mode>) outs(%y : memref<4xi8, #ram>)
  }
  accel.call @npu.set_mode outs(%b : memref<1xi32, #mode>) config {value = 1 : i64}
  accel.call @npu.run ins(%b : memref<1xi32, #mode>) outs(%y : memref<4xi8, #ram>)
  return
}

// The value from before the loop is lost in the first iteration, so each iteration sets it.
// CHECK-LABEL: func.func @lost_in_loop
// CHECK:       accel.call @npu.set_mode {{.*}}value = 1 : i64}
// CHECK:       scf.for
// CHECK-NEXT:    memref_pool.alloc
// CHECK-NEXT:    accel.call @npu.set_mode {{.*}}value = 1 : i64}
// CHECK-NEXT:    accel.call @npu.run
// CHECK-NEXT:    memref_pool.alloc
// CHECK-NEXT:    accel.call @npu.set_mode {{.*}}value = 2 : i64}
// CHECK-NEXT:    accel.call @npu.run
// CHECK-NEXT:  }
func.func @lost_in_loop(%y: memref<4xi8, #ram>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref_pool.alloc : memref<1xi32, #mode>
  accel.call @npu.set_mode outs(%a : memref<1xi32, #mode>) config {value = 1 : i64}
  scf.for %i = %c0 to %n step %c1 {
    %b = memref_pool.alloc : memref<1xi32, #mode>
    accel.call @npu.run ins(%a : memref<1xi32, #mode>) outs(%y : memref<4xi8, #ram>)
    accel.call @npu.set_mode outs(%b : memref<1xi32, #mode>) config {value = 2 : i64}
    accel.call @npu.run ins(%b : memref<1xi32, #mode>) outs(%y : memref<4xi8, #ram>)
  }
  return
}

// Weights are not set again while their source is unchanged; after a write to it they are.
// CHECK-LABEL: func.func @source_changes
// CHECK:       accel.call @npu.preload
// CHECK-NEXT:  accel.call @npu.multiply
// CHECK-NEXT:  accel.call @npu.multiply
// CHECK:       memref.store
// CHECK-NEXT:  memref_pool.alloc
// CHECK-NEXT:  accel.call @npu.preload
// CHECK-NEXT:  accel.call @npu.multiply
func.func @source_changes(%w: memref<16xi8, #ram>, %y: memref<4xi8, #ram>, %v: i8, %i: index) {
  %a = memref_pool.alloc : memref<16xi8, #weights>
  accel.call @npu.preload ins(%w : memref<16xi8, #ram>) outs(%a : memref<16xi8, #weights>)
  accel.call @npu.multiply ins(%a : memref<16xi8, #weights>) outs(%y : memref<4xi8, #ram>)
  accel.call @npu.preload ins(%w : memref<16xi8, #ram>) outs(%a : memref<16xi8, #weights>)
  accel.call @npu.multiply ins(%a : memref<16xi8, #weights>) outs(%y : memref<4xi8, #ram>)
  memref.store %v, %w[%i] : memref<16xi8, #ram>
  accel.call @npu.preload ins(%w : memref<16xi8, #ram>) outs(%a : memref<16xi8, #weights>)
  accel.call @npu.multiply ins(%a : memref<16xi8, #weights>) outs(%y : memref<4xi8, #ram>)
  return
}

// An iteration writes the source: the value that is set before the loop is right only in the first.
// CHECK-LABEL: func.func @source_changes_in_loop
// CHECK:       accel.call @npu.preload
// CHECK:       scf.for
// CHECK:         accel.call @npu.preload
// CHECK-NEXT:    accel.call @npu.multiply
// CHECK-NEXT:    memref.store
func.func @source_changes_in_loop(%w: memref<16xi8, #ram>, %y: memref<4xi8, #ram>, %v: i8, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref_pool.alloc : memref<16xi8, #weights>
  accel.call @npu.preload ins(%w : memref<16xi8, #ram>) outs(%a : memref<16xi8, #weights>)
  accel.call @npu.multiply ins(%a : memref<16xi8, #weights>) outs(%y : memref<4xi8, #ram>)
  scf.for %i = %c0 to %n step %c1 {
    accel.call @npu.preload ins(%w : memref<16xi8, #ram>) outs(%a : memref<16xi8, #weights>)
    accel.call @npu.multiply ins(%a : memref<16xi8, #weights>) outs(%y : memref<4xi8, #ram>)
    memref.store %v, %w[%i] : memref<16xi8, #ram>
  }
  return
}

// A value that each iteration changes stays in the register from one to the next.
// CHECK-LABEL: func.func @carried
// CHECK:       accel.call @npu.preload
// CHECK:       scf.for
// CHECK-NEXT:    accel.call @npu.shift
// CHECK-NEXT:  }
// CHECK-NEXT:  accel.call @npu.multiply
func.func @carried(%w: memref<16xi8, #ram>, %y: memref<4xi8, #ram>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref_pool.alloc : memref<16xi8, #weights>
  accel.call @npu.preload ins(%w : memref<16xi8, #ram>) outs(%a : memref<16xi8, #weights>)
  scf.for %i = %c0 to %n step %c1 {
    accel.call @npu.shift outs(%a : memref<16xi8, #weights>) accumulate [0]
  }
  accel.call @npu.multiply ins(%a : memref<16xi8, #weights>) outs(%y : memref<4xi8, #ram>)
  return
}

// Both branches leave the value of one buffer; a branch without an else may not.
// CHECK-LABEL: func.func @branches
// CHECK:       scf.if
// CHECK-NEXT:    accel.call @npu.set_mode {{.*}}value = 1 : i64}
// CHECK-NEXT:  } else {
// CHECK-NEXT:    accel.call @npu.set_mode {{.*}}value = 2 : i64}
// CHECK-NEXT:  }
// CHECK-NEXT:  accel.call @npu.run
// CHECK-NEXT:  scf.if
// CHECK-NEXT:    memref_pool.alloc
// CHECK-NEXT:    accel.call @npu.set_mode {{.*}}value = 3 : i64}
// CHECK-NEXT:    accel.call @npu.run
// CHECK-NEXT:  }
// CHECK-NEXT:  memref_pool.alloc
// CHECK-NEXT:  accel.call @npu.set_mode {{.*}}value = 4 : i64}
// CHECK-NEXT:  accel.call @npu.run
func.func @branches(%y: memref<4xi8, #ram>, %which: i1) {
  %a = memref_pool.alloc : memref<1xi32, #mode>
  %b = memref_pool.alloc : memref<1xi32, #mode>
  scf.if %which {
    accel.call @npu.set_mode outs(%a : memref<1xi32, #mode>) config {value = 1 : i64}
  } else {
    accel.call @npu.set_mode outs(%a : memref<1xi32, #mode>) config {value = 2 : i64}
  }
  accel.call @npu.run ins(%a : memref<1xi32, #mode>) outs(%y : memref<4xi8, #ram>)
  scf.if %which {
    accel.call @npu.set_mode outs(%b : memref<1xi32, #mode>) config {value = 3 : i64}
    accel.call @npu.run ins(%b : memref<1xi32, #mode>) outs(%y : memref<4xi8, #ram>)
  }
  accel.call @npu.set_mode outs(%a : memref<1xi32, #mode>) config {value = 4 : i64}
  accel.call @npu.run ins(%a : memref<1xi32, #mode>) outs(%y : memref<4xi8, #ram>)
  return
}

// The called function sets the register, too. Its buffer and those of the caller are apart.
// CHECK-LABEL: func.func @caller
// CHECK:       accel.call @npu.set_mode outs(%[[ONE:.*]] : {{.*}}) config {value = 1 : i64}
// CHECK-NEXT:  accel.call @npu.run ins(%[[ONE]]
// CHECK-NEXT:  call @alternate
// CHECK-NEXT:  %[[TWO:.*]] = memref_pool.alloc
// CHECK-NEXT:  accel.call @npu.set_mode outs(%[[TWO]] : {{.*}}) config {value = 1 : i64}
// CHECK-NEXT:  accel.call @npu.run ins(%[[TWO]]
func.func @caller(%y: memref<4xi8, #ram>) {
  %a = memref_pool.alloc : memref<1xi32, #mode>
  accel.call @npu.set_mode outs(%a : memref<1xi32, #mode>) config {value = 1 : i64}
  accel.call @npu.run ins(%a : memref<1xi32, #mode>) outs(%y : memref<4xi8, #ram>)
  call @alternate(%y) : (memref<4xi8, #ram>) -> ()
  accel.call @npu.run ins(%a : memref<1xi32, #mode>) outs(%y : memref<4xi8, #ram>)
  return
}

// The values of a register that a queue uses share a buffer: several calls may be in flight.
accel.queue @npu.work on @npu symbol "npu_work" depth 4
memref_pool.pool @npu.speed workspace local register capacity 4 read [@npu] write [@npu]
accel.intrinsic @npu.set_speed on @npu symbol "npu_set_speed"
  operands [#accel.operand<name = "speed", access = out, pools = [@npu.speed]>] scalars ["value"]
accel.intrinsic @npu.drive on @npu symbol "npu_drive"
  operands [#accel.operand<name = "speed", access = in, pools = [@npu.speed]>,
            #accel.operand<name = "y", access = out, pools = [@ram]>] queue @npu.work
#speed = #memref_pool.space<@npu.speed>
// CHECK-LABEL: func.func @queued
// CHECK-NEXT:  %[[S:.*]] = memref_pool.alloc
// CHECK-NEXT:  accel.call @npu.set_speed outs(%[[S]] : {{.*}}) config {value = 1 : i64}
// CHECK-NEXT:  accel.call @npu.drive ins(%[[S]]
// CHECK-NEXT:  accel.call @npu.set_speed outs(%[[S]] : {{.*}}) config {value = 2 : i64}
// CHECK-NEXT:  accel.call @npu.drive ins(%[[S]]
func.func @queued(%y: memref<4xi8, #ram>) {
  %a = memref_pool.alloc : memref<1xi32, #speed>
  %b = memref_pool.alloc : memref<1xi32, #speed>
  accel.call @npu.set_speed outs(%a : memref<1xi32, #speed>) config {value = 1 : i64}
  accel.call @npu.drive ins(%a : memref<1xi32, #speed>) outs(%y : memref<4xi8, #ram>)
  accel.call @npu.set_speed outs(%b : memref<1xi32, #speed>) config {value = 2 : i64}
  accel.call @npu.drive ins(%b : memref<1xi32, #speed>) outs(%y : memref<4xi8, #ram>)
  return
}
