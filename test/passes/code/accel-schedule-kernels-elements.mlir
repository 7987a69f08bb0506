// RUN: forebay-opt %s --split-input-file --accel-schedule-kernels | FileCheck %s

// Loops over one run of memory become one loop; an axis that no loop follows stays.
#e = affine_map<(y, x, c) -> (0, y, x, c)>

// CHECK-DAG:   #[[ONE:.*]] = affine_map<(d0) -> (0, d0)>
// CHECK-LABEL: func.func @add(
// CHECK:         %[[A:.*]] = memref.collapse_shape %{{.*}} {{\[}}[0], [1, 2, 3]] : memref<1x6x6x8xi8> into memref<1x288xi8>
// CHECK:         %[[B:.*]] = memref.collapse_shape %{{.*}} {{\[}}[0], [1, 2, 3]] : memref<1x6x6x8xi8> into memref<1x288xi8>
// CHECK:         linalg.generic {indexing_maps = [#[[ONE]], #[[ONE]]], iterator_types = ["parallel"]} ins(%[[A]] : memref<1x288xi8>) outs(%[[B]] : memref<1x288xi8>)
func.func @add(%a: memref<1x6x6x8xi8>, %b: memref<1x6x6x8xi8>) {
  linalg.generic {indexing_maps = [#e, #e], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%a : memref<1x6x6x8xi8>) outs(%b : memref<1x6x6x8xi8>) {
    ^bb0(%x: i8, %y: i8):
      %sum = arith.addi %x, %y : i8
      linalg.yield %sum : i8
    }
  return
}

// -----

#e = affine_map<(y, x, c) -> (y, x, c)>
#c = affine_map<(y, x, c) -> (c)>

// A value per channel leaves the loop over channels apart.
// CHECK-DAG:   #[[IN:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG:   #[[C:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @bias(
// CHECK:         linalg.generic {indexing_maps = [#[[IN]], #[[C]], #[[IN]]], iterator_types = ["parallel", "parallel"]} ins(%{{.*}}, %{{.*}} : memref<36x8xi8>, memref<8xi8>) outs(%{{.*}} : memref<36x8xi8>)
func.func @bias(%a: memref<6x6x8xi8>, %v: memref<8xi8>, %b: memref<6x6x8xi8>) {
  linalg.generic {indexing_maps = [#e, #c, #e], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%a, %v : memref<6x6x8xi8>, memref<8xi8>) outs(%b : memref<6x6x8xi8>) {
    ^bb0(%x: i8, %y: i8, %z: i8):
      %sum = arith.addi %x, %y : i8
      linalg.yield %sum : i8
    }
  return
}

// -----

#e = affine_map<(y, x) -> (y, x)>
#t = affine_map<(y, x) -> (x, y)>

// Nothing merges in a transposition, in a part of a larger memref, and where the body uses its position.
// CHECK-LABEL: func.func @apart(
// CHECK-NOT:     memref.collapse_shape
func.func @apart(%a: memref<6x8xi8>, %b: memref<8x6xi8>, %s: memref<6x8xi8, strided<[16, 1]>>) {
  linalg.generic {indexing_maps = [#e, #t], iterator_types = ["parallel", "parallel"]}
    ins(%a : memref<6x8xi8>) outs(%b : memref<8x6xi8>) {
    ^bb0(%x: i8, %y: i8):
      linalg.yield %x : i8
    }
  linalg.generic {indexing_maps = [#e, #e], iterator_types = ["parallel", "parallel"]}
    ins(%s : memref<6x8xi8, strided<[16, 1]>>) outs(%a : memref<6x8xi8>) {
    ^bb0(%x: i8, %y: i8):
      linalg.yield %x : i8
    }
  linalg.generic {indexing_maps = [#e], iterator_types = ["parallel", "parallel"]} outs(%a : memref<6x8xi8>) {
    ^bb0(%y: i8):
      %i = linalg.index 1 : index
      %n = arith.index_cast %i : index to i8
      linalg.yield %n : i8
    }
  return
}
