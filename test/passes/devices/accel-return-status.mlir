// RUN: forebay-opt %s --accel-return-status | FileCheck %s

// What returns a status is a function with accel.status; the mark is gone behind the pass.
// CHECK: func.func private @npu_run(i32) -> i32
// CHECK-NOT: accel.status
func.func private @npu_run(i32) -> i32 attributes {accel.status}
func.func private @npu_run_start(i32) -> i32

// Each block ends behind a call; what is behind it goes on where the status is 0, also inside of a loop's body.
// CHECK-LABEL: func.func @main
func.func @main(%n: i32, %stop: i1) -> i32 attributes {accel.status} {
  // CHECK: cf.br ^[[BODY:bb[0-9]+]]
  cf.br ^body
^body:
  // CHECK: ^[[BODY]]:
  // CHECK-NEXT: %[[FIRST:.*]] = call @npu_run(%{{.*}}) : (i32) -> i32
  // CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : i32
  // CHECK-NEXT: %[[WRONG:.*]] = arith.cmpi ne, %[[FIRST]], %[[ZERO]] : i32
  // CHECK-NEXT: cf.cond_br %[[WRONG]], ^[[FAILED:bb[0-9]+]](%[[FIRST]] : i32), ^[[NEXT:bb[0-9]+]]
  %0 = func.call @npu_run(%n) : (i32) -> i32
  // CHECK: ^[[NEXT]]:
  // CHECK-NEXT: %[[SECOND:.*]] = call @npu_run(%[[FIRST]]) : (i32) -> i32
  // CHECK: cf.cond_br %{{.*}}, ^[[FAILED]](%[[SECOND]] : i32), ^[[REST:bb[0-9]+]]
  %1 = func.call @npu_run(%0) : (i32) -> i32
  // A ticket is no status.
  // CHECK: ^[[REST]]:
  // CHECK-NEXT: call @npu_run_start
  // CHECK-NEXT: cf.cond_br %{{.*}}, ^[[END:bb[0-9]+]], ^[[BODY]]
  %2 = func.call @npu_run_start(%1) : (i32) -> i32
  cf.cond_br %stop, ^end, ^body
^end:
  // CHECK: ^[[END]]:
  // CHECK: return %{{.*}} : i32
  %zero = arith.constant 0 : i32
  return %zero : i32
  // CHECK: ^[[FAILED]](%[[STATUS:.*]]: i32):
  // CHECK-NEXT: return %[[STATUS]] : i32
}

// Who has no status of its own may do with another's what it likes.
// CHECK-LABEL: func.func @asks
func.func @asks(%n: i32) -> i32 {
  // CHECK-NEXT: call @npu_run
  // CHECK-NEXT: arith.addi
  %0 = func.call @npu_run(%n) : (i32) -> i32
  %1 = arith.addi %0, %n : i32
  return %1 : i32
}

// CHECK-LABEL: func.func @nothing_can_fail
// CHECK-NEXT: arith.constant
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @nothing_can_fail() -> i32 attributes {accel.status} {
  %zero = arith.constant 0 : i32
  return %zero : i32
}
