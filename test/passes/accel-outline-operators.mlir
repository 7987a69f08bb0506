// RUN: forebay-opt %s --accel-outline-operators --mlir-print-debuginfo | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#relu = loc("net.tflite":0:0)
#relu1 = loc("RELU"(#relu))
#a = loc("act"(#relu1))
#pad = loc("net.tflite":1:0)
#pad1 = loc("PAD"(#pad))
#b = loc("padded"(#pad1))

// One function per operator, with the operator's location; constants and views of the buffers come along.
// CHECK-LABEL: func.func private @relu_0
// CHECK:         arith.constant 0 : i8
// CHECK:         linalg.generic
// CHECK:       } loc(#[[RELU:loc[0-9]+]])
// CHECK-LABEL: func.func private @pad_1
// CHECK-SAME:    %[[OUT:arg0]]: memref<8xi8> {{.*}} %[[IN:arg1]]: memref<4xi8>
// CHECK:         memref.subview %[[OUT]][2] [4] [1]
// CHECK:         linalg.fill
// CHECK:         memref.copy %[[IN]]
// CHECK-LABEL: func.func @main
// CHECK:         call @relu_0(%{{.*}}, %{{.*}}) : (memref<4xi8>, memref<4xi8>) -> ()
// CHECK:         call @pad_1(%{{.*}}, %{{.*}}) : (memref<8xi8>, memref<4xi8>) -> ()
// CHECK:         memref.store
// CHECK-NEXT:    return
func.func @main(%base: memref<32xi8> {memref_pool.base}, %x: memref<4xi8>, %v: i8) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i8
  %0 = memref.view %base[%c0][] : memref<32xi8> to memref<4xi8>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<4xi8>) outs(%0 : memref<4xi8>) {
  ^bb0(%i: i8, %o: i8):
    %m = arith.maxsi %i, %zero : i8
    linalg.yield %m : i8
  } loc(#a)
  %1 = memref.view %base[%c16][] : memref<32xi8> to memref<8xi8>
  linalg.fill ins(%zero : i8) outs(%1 : memref<8xi8>) loc(#b)
  %2 = memref.subview %1[2] [4] [1] : memref<8xi8> to memref<4xi8, strided<[1], offset: 2>> loc(#b)
  memref.copy %0, %2 : memref<4xi8> to memref<4xi8, strided<[1], offset: 2>> loc(#b)
  // What belongs to no imported operator stays.
  memref.store %v, %0[%c0] : memref<4xi8>
  return
}
