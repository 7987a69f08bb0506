// RUN: forebay-opt %s --memref-pool-cut-chains=length=2 --split-input-file | FileCheck %s
// RUN: forebay-opt %s --memref-pool-cut-chains --split-input-file | FileCheck %s --check-prefix=SHORT

// SHORT-NOT: bufferization

// Every second write of a row is cut.
// CHECK-LABEL: func.func @rows
// CHECK:         %[[E:.*]] = tensor.empty
// CHECK:         %[[A:.*]] = tensor.insert_slice %arg0 into %[[E]]
// CHECK-NEXT:    %[[B:.*]] = tensor.insert_slice %arg0 into %[[A]]
// CHECK-NEXT:    %[[M:.*]] = bufferization.to_buffer %[[B]] read_only : tensor<4x8xi8> to memref<4x8xi8>
// CHECK-NEXT:    %[[C:.*]] = bufferization.to_tensor %[[M]] restrict writable : memref<4x8xi8> to tensor<4x8xi8>
// CHECK-NEXT:    %[[D:.*]] = tensor.insert_slice %arg0 into %[[C]]
// CHECK-NEXT:    %[[F:.*]] = tensor.insert_slice %arg0 into %[[D]]
// CHECK-NEXT:    %[[N:.*]] = bufferization.to_buffer %[[F]]
// CHECK-NEXT:    %[[G:.*]] = bufferization.to_tensor %[[N]]
// CHECK-NEXT:    return %[[G]]
func.func @rows(%x: tensor<1x8xi8>) -> tensor<4x8xi8> {
  %e = tensor.empty() : tensor<4x8xi8>
  %a = tensor.insert_slice %x into %e[0, 0] [1, 8] [1, 1] : tensor<1x8xi8> into tensor<4x8xi8>
  %b = tensor.insert_slice %x into %a[1, 0] [1, 8] [1, 1] : tensor<1x8xi8> into tensor<4x8xi8>
  %c = tensor.insert_slice %x into %b[2, 0] [1, 8] [1, 1] : tensor<1x8xi8> into tensor<4x8xi8>
  %d = tensor.insert_slice %x into %c[3, 0] [1, 8] [1, 1] : tensor<1x8xi8> into tensor<4x8xi8>
  return %d : tensor<4x8xi8>
}

// -----

// The second row is read at the end, so nothing is cut behind it: whether %c may share its buffer is for the analysis.
// CHECK-LABEL: func.func @read_later
// CHECK:         %[[M:.*]] = bufferization.to_buffer
// CHECK-NEXT:    %[[B:.*]] = bufferization.to_tensor %[[M]]
// CHECK-NEXT:    tensor.extract_slice %[[B]]
// CHECK-NOT:     bufferization
// CHECK:         return
func.func @read_later(%x: tensor<1x8xi8>) -> (tensor<4x8xi8>, tensor<4x8xi8>) {
  %e = tensor.empty() : tensor<4x8xi8>
  %a = tensor.insert_slice %x into %e[0, 0] [1, 8] [1, 1] : tensor<1x8xi8> into tensor<4x8xi8>
  %b = tensor.insert_slice %x into %a[1, 0] [1, 8] [1, 1] : tensor<1x8xi8> into tensor<4x8xi8>
  %b_part = tensor.extract_slice %b[0, 0] [1, 8] [1, 1] : tensor<4x8xi8> to tensor<1x8xi8>
  %c = tensor.insert_slice %x into %b[2, 0] [1, 8] [1, 1] : tensor<1x8xi8> into tensor<4x8xi8>
  %d = tensor.insert_slice %b_part into %c[3, 0] [1, 8] [1, 1] : tensor<1x8xi8> into tensor<4x8xi8>
  return %d, %b : tensor<4x8xi8>, tensor<4x8xi8>
}

// -----

// The caller's tensor is no buffer of this function.
// CHECK-LABEL: func.func @of_the_caller
// CHECK-NOT:     bufferization
// CHECK:         return
func.func @of_the_caller(%x: tensor<1x8xi8>, %e: tensor<4x8xi8>) -> tensor<4x8xi8> {
  %a = tensor.insert_slice %x into %e[0, 0] [1, 8] [1, 1] : tensor<1x8xi8> into tensor<4x8xi8>
  %b = tensor.insert_slice %x into %a[1, 0] [1, 8] [1, 1] : tensor<1x8xi8> into tensor<4x8xi8>
  %c = tensor.insert_slice %x into %b[2, 0] [1, 8] [1, 1] : tensor<1x8xi8> into tensor<4x8xi8>
  return %c : tensor<4x8xi8>
}

// -----

// A loop that takes a tensor of the chain ends it.
// CHECK-LABEL: func.func @into_a_loop
// CHECK-NOT:     bufferization
// CHECK:         return
func.func @into_a_loop(%x: tensor<1x8xi8>, %n: index) -> tensor<4x8xi8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4x8xi8>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %e) -> tensor<4x8xi8> {
    %a = tensor.insert_slice %x into %y[%i, 0] [1, 8] [1, 1] : tensor<1x8xi8> into tensor<4x8xi8>
    scf.yield %a : tensor<4x8xi8>
  }
  %b = tensor.insert_slice %x into %r[1, 0] [1, 8] [1, 1] : tensor<1x8xi8> into tensor<4x8xi8>
  %c = tensor.insert_slice %x into %b[2, 0] [1, 8] [1, 1] : tensor<1x8xi8> into tensor<4x8xi8>
  return %c : tensor<4x8xi8>
}
