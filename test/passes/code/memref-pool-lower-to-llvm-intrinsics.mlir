// RUN: forebay-opt %s --memref-pool-lower-to-llvm=intrinsics=extern | FileCheck %s --check-prefixes=CHECK,EXTERN
// RUN: forebay-opt %s --memref-pool-lower-to-llvm | FileCheck %s --check-prefixes=CHECK,REFERENCE

// A call of an intrinsic is a call of its C function: pointers in the order of the declared operands,
// then the scalars. What begins behind a buffer's first byte has its offset added: 3 i16 are 6 bytes.

// CHECK-NOT: accel.intrinsic
// EXTERN: func.func private @npu_run(!llvm.ptr, !llvm.ptr, i32) -> i32 attributes {accel.status}
accel.device @npu kind "npu"
accel.intrinsic @npu.run on @npu symbol "npu_run"
  operands [#accel.operand<name = "y", access = out>, #accel.operand<name = "x", access = in>] scalars ["n"] {
^bb0(%y: memref<?xi16>, %x: memref<?xi8>, %n: i32):
  %c0 = arith.constant 0 : index
  %v = arith.trunci %n : i32 to i16
  memref.store %v, %y[%c0] : memref<?xi16>
  accel.yield
}

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[x:.*]]: memref<4xi8>, %[[y:.*]]: memref<8xi16>) -> i32 attributes {accel.status}
func.func @main(%x: memref<4xi8>, %y: memref<8xi16>) {
  // CHECK: %[[part:.*]] = memref.subview
  %part = memref.subview %y[3] [4] [1] : memref<8xi16> to memref<4xi16, strided<[1], offset: 3>>
  // CHECK: %[[start:.*]] = memref.extract_aligned_pointer_as_index %[[part]]
  // CHECK: %[[three:.*]] = arith.constant 3 : index
  // CHECK: %[[two:.*]] = arith.constant 2 : index
  // CHECK: %[[six:.*]] = arith.muli %[[three]], %[[two]] : index
  // CHECK: %[[at:.*]] = arith.addi %[[start]], %[[six]] : index
  // CHECK: %[[i64:.*]] = arith.index_cast %[[at]] : index to i64
  // CHECK: %[[first:.*]] = llvm.inttoptr %[[i64]] : i64 to !llvm.ptr
  // CHECK: memref.extract_aligned_pointer_as_index %[[x]]
  // CHECK-NOT: arith.addi
  // CHECK: %[[second:.*]] = llvm.inttoptr
  // CHECK: %[[n:.*]] = arith.constant -7 : i32
  // CHECK: call @npu_run(%[[first]], %[[second]], %[[n]]) : (!llvm.ptr, !llvm.ptr, i32) -> i32
  accel.call @npu.run ins(%x : memref<4xi8>) outs(%part : memref<4xi16, strided<[1], offset: 3>>) config {n = -7 : i64}
  // CHECK: %[[zero:.*]] = arith.constant 0 : i32
  // CHECK-NEXT: return %[[zero]] : i32
  return
}

// REFERENCE: func.func @npu_run(%[[p:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[n:.*]]: i32) -> i32 attributes {accel.status, passthrough = ["forebay-hot"]} {
// REFERENCE: llvm.insertvalue %[[p]], %{{.*}}[0]
// REFERENCE: llvm.insertvalue %[[p]], %{{.*}}[1]
// REFERENCE: %[[m:.*]] = builtin.unrealized_conversion_cast %{{.*}} : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<?xi16>
// REFERENCE: %[[v:.*]] = arith.trunci %[[n]] : i32 to i16
// REFERENCE: memref.store %[[v]], %[[m]]
