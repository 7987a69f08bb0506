// RUN: forebay-opt %s --accel-check-supported | FileCheck %s

// Scalars are fine between private functions, signs in TOSA, structured control flow anywhere.

// CHECK-LABEL: func.func private @pick
func.func private @pick(%x: tensor<4xi32>, %at: index) -> i32 {
  %0 = tensor.extract %x[%at] : tensor<4xi32>
  return %0 : i32
}

// CHECK-LABEL: func.func private @probe
func.func private @probe(tensor<4xi32>, i32) -> i32

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4xi32> {accel.dtype = "uint32"}, %b: tensor<4xui8>, %m: memref<4xf32>)
    -> (tensor<4xi32>, tensor<1xi32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %0 = call @pick(%x, %c1) : (tensor<4xi32>, index) -> i32
  %1 = call @pick(%x, %c4) : (tensor<4xi32>, index) -> i32
  %2 = tosa.reverse %b {axis = 0 : i32} : (tensor<4xui8>) -> tensor<4xui8>
  %3 = scf.for %i = %c1 to %c4 step %c1 iter_args(%y = %x) -> tensor<4xi32> {
    %5 = tensor.insert %0 into %y[%i] : tensor<4xi32>
    scf.yield %5 : tensor<4xi32>
  }
  // The same value everywhere, wherever it is defined.
  %4 = tensor.pad %x low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : i32
  } : tensor<4xi32> to tensor<5xi32>
  %one = tensor.from_elements %1 : tensor<1xi32>
  return %3, %one : tensor<4xi32>, tensor<1xi32>
}
