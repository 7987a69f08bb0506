// RUN: forebay-opt %s --memref-pool-specialise-calls | FileCheck %s

// One for calls on the program's input, one for what is between, one that gives the output.
// CHECK-DAG:   func.func private @half(
// CHECK-DAG:   func.func private @half_1(
// CHECK-DAG:   func.func private @half_2(
// CHECK-NOT:   @half_3
func.func private @half(%x: tensor<8xi8>) -> tensor<8xi8> {
  %0 = tosa.abs %x : (tensor<8xi8>) -> tensor<8xi8>
  return %0 : tensor<8xi8>
}

// CHECK-LABEL: func.func @main
// CHECK:         call @half(%arg0)
// CHECK:         call @half_1(
// CHECK:         call @half_1(
// CHECK:         call @half_2(
func.func @main(%x: tensor<8xi8>) -> tensor<8xi8> {
  %0 = call @half(%x) : (tensor<8xi8>) -> tensor<8xi8>
  %1 = call @half(%0) : (tensor<8xi8>) -> tensor<8xi8>
  %2 = call @half(%1) : (tensor<8xi8>) -> tensor<8xi8>
  %3 = call @half(%2) : (tensor<8xi8>) -> tensor<8xi8>
  return %3 : tensor<8xi8>
}
