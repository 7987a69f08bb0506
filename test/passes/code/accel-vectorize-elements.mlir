// RUN: forebay-opt %s --split-input-file --accel-vectorize-elements | FileCheck %s

// Whole vectors have a loop, and the elements behind them another one. Both factors of the inner requantisation are
// constant, so all lanes have the same.

#e = affine_map<(i) -> (i)>

// CHECK-LABEL: func.func @add(
// CHECK-SAME:    %[[A:.*]]: memref<10xi8>, %[[B:.*]]: memref<10xi8>, %[[O:.*]]: memref<10xi8>)
// CHECK:         scf.for %[[I:.*]] = %c0 to %c8 step %c4 {
// CHECK:           %[[X:.*]] = accel.load_extended %[[A]][%[[I]]] : memref<10xi8>, vector<4xi32>
// CHECK:           %[[ZP:.*]] = arith.constant dense<128> : vector<4xi32>
// CHECK:           %[[MOVED:.*]] = arith.addi %[[X]], %[[ZP]] : vector<4xi32>
// CHECK:           %[[LARGE:.*]] = arith.muli %[[MOVED]], %{{.*}} : vector<4xi32>
// CHECK:           %[[SCALED:.*]] = tosa.apply_scale %[[LARGE]], %{{.*}}, %{{.*}} {rounding_mode = DOUBLE_ROUND}
// CHECK-SAME:        : (vector<4xi32>, vector<4xi32>, vector<4xi8>) -> vector<4xi32>
// CHECK:           %[[Y:.*]] = accel.load_extended %[[B]][%[[I]]]
// CHECK:           %[[SUM:.*]] = arith.addi %[[SCALED]], %{{.*}} : vector<4xi32>
// CHECK:           accel.store_rescaled %[[SUM]], %{{.*}}, %{{.*}}, %[[O]][%[[I]]] zero_point -128 low -128 high 127
// CHECK:         scf.for %[[R:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:           memref.load %[[A]][%[[R]]]
// CHECK:           memref.store %{{.*}}, %[[O]][%[[R]]]
// CHECK-NOT:     linalg.generic
func.func @add(%a: memref<10xi8>, %b: memref<10xi8>, %o: memref<10xi8>) attributes {accel.cpu = "cortex-m55"} {
  %c128 = arith.constant 128 : i32
  %cm128 = arith.constant -128 : i32
  %c127 = arith.constant 127 : i32
  %large = arith.constant 1048576 : i32
  %m = arith.constant 1623821475 : i32
  %s = arith.constant 33 : i8
  %m2 = arith.constant 1098017566 : i32
  %s2 = arith.constant 48 : i8
  linalg.generic {indexing_maps = [#e, #e, #e], iterator_types = ["parallel"]}
    ins(%a, %b : memref<10xi8>, memref<10xi8>) outs(%o : memref<10xi8>) {
    ^bb0(%x: i8, %y: i8, %z: i8):
      %wide = arith.extsi %x : i8 to i32
      %moved = arith.addi %wide, %c128 : i32
      %shifted = arith.muli %moved, %large : i32
      %scaled = tosa.apply_scale %shifted, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %wide2 = arith.extsi %y : i8 to i32
      %shifted2 = arith.muli %wide2, %large : i32
      %sum = arith.addi %scaled, %shifted2 : i32
      %result = tosa.apply_scale %sum, %m2, %s2 {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %at = arith.addi %result, %cm128 : i32
      %low = arith.maxsi %at, %cm128 : i32
      %high = arith.minsi %low, %c127 : i32
      %byte = arith.trunci %high : i32 to i8
      linalg.yield %byte : i8
    }
  return
}

// -----

// The file of a processor says how many elements its vectors have.

#e = affine_map<(i) -> (i)>

// CHECK-LABEL: func.func @eight(
// CHECK:         scf.for %{{.*}} = %c0 to %c16 step %c8 {
// CHECK:           accel.load_extended %{{.*}} : memref<20xi8>, vector<8xi32>
// CHECK:           accel.store_rescaled %{{.*}} : vector<8xi32>
// CHECK:         scf.for
// CHECK:           memref.store
func.func @eight(%a: memref<20xi8>, %o: memref<20xi8>) attributes {accel.cpu = "cortex-a76"} {
  %low = arith.constant -128 : i32
  %high = arith.constant 127 : i32
  %m = arith.constant 1098017566 : i32
  %s = arith.constant 40 : i8
  linalg.generic {indexing_maps = [#e, #e], iterator_types = ["parallel"]}
    ins(%a : memref<20xi8>) outs(%o : memref<20xi8>) {
    ^bb0(%x: i8, %z: i8):
      %wide = arith.extsi %x : i8 to i32
      %result = tosa.apply_scale %wide, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %raised = arith.maxsi %result, %low : i32
      %limited = arith.minsi %raised, %high : i32
      %byte = arith.trunci %limited : i32 to i8
      linalg.yield %byte : i8
    }
  return
}

// -----

#e = affine_map<(y, c) -> (y, c)>
#row = affine_map<(y, c) -> (y, 0)>

// A factor per row is the same for all lanes.

// CHECK-LABEL: func.func @scale_rows(
// CHECK-SAME:    %[[A:.*]]: memref<3x8xi8>, %[[B:.*]]: memref<3x1xi8>, %[[O:.*]]: memref<3x8xi8>)
// CHECK:         scf.for %[[Y:.*]] = %c0 to %c3 step %c1 {
// CHECK:           scf.for %[[C:.*]] = %{{.*}} to %c8 step %c4 {
// CHECK:             accel.load_extended %[[A]][%[[Y]], %[[C]]]
// CHECK:             %[[ONE:.*]] = memref.load %[[B]][%[[Y]], %{{.*}}] : memref<3x1xi8>
// CHECK:             %[[WIDE:.*]] = arith.extsi %[[ONE]] : i8 to i32
// CHECK:             vector.broadcast %[[WIDE]] : i32 to vector<4xi32>
// CHECK:             arith.muli %{{.*}}, %{{.*}} : vector<4xi32>
// CHECK:             accel.store_rescaled
// CHECK-NOT:     memref.store
func.func @scale_rows(%a: memref<3x8xi8>, %b: memref<3x1xi8>, %o: memref<3x8xi8>)
    attributes {accel.cpu = "cortex-m55"} {
  %low = arith.constant -128 : i32
  %high = arith.constant 127 : i32
  %m = arith.constant 1098017566 : i32
  %s = arith.constant 40 : i8
  linalg.generic {indexing_maps = [#e, #row, #e], iterator_types = ["parallel", "parallel"]}
    ins(%a, %b : memref<3x8xi8>, memref<3x1xi8>) outs(%o : memref<3x8xi8>) {
    ^bb0(%x: i8, %y: i8, %z: i8):
      %wide = arith.extsi %x : i8 to i32
      %wide2 = arith.extsi %y : i8 to i32
      %product = arith.muli %wide, %wide2 : i32
      %result = tosa.apply_scale %product, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %raised = arith.maxsi %result, %low : i32
      %limited = arith.minsi %raised, %high : i32
      %byte = arith.trunci %limited : i32 to i8
      linalg.yield %byte : i8
    }
  return
}

// -----

#e = affine_map<(i) -> (i)>

// These ops stay: the processor has no vectors of elements; the value of a requantisation may be too large for its
// short form; fewer elements than lanes; the result is read; a single rounding; results that are no neighbours; a position.

// CHECK-LABEL: func.func @portable(
// CHECK:         linalg.generic
// CHECK-LABEL: func.func @stay(
// CHECK-COUNT-6: linalg.generic
// CHECK-NOT:     accel.load_extended
func.func @portable(%a: memref<8xi8>, %o: memref<8xi8>) {
  %low = arith.constant -128 : i32
  %high = arith.constant 127 : i32
  %m = arith.constant 1098017566 : i32
  %s = arith.constant 40 : i8
  linalg.generic {indexing_maps = [#e, #e], iterator_types = ["parallel"]}
    ins(%a : memref<8xi8>) outs(%o : memref<8xi8>) {
    ^bb0(%x: i8, %z: i8):
      %wide = arith.extsi %x : i8 to i32
      %result = tosa.apply_scale %wide, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %raised = arith.maxsi %result, %low : i32
      %limited = arith.minsi %raised, %high : i32
      %byte = arith.trunci %limited : i32 to i8
      linalg.yield %byte : i8
    }
  return
}

func.func @stay(%a: memref<8xi8>, %o: memref<8xi8>, %three: memref<3xi8>, %apart: memref<8xi8, strided<[2]>>)
    attributes {accel.cpu = "cortex-m55"} {
  %low = arith.constant -128 : i32
  %high = arith.constant 127 : i32
  %large = arith.constant 8388608 : i32
  %m = arith.constant 1098017566 : i32
  %s = arith.constant 40 : i8
  linalg.generic {indexing_maps = [#e, #e], iterator_types = ["parallel"]}
    ins(%a : memref<8xi8>) outs(%o : memref<8xi8>) {
    ^bb0(%x: i8, %z: i8):
      %wide = arith.extsi %x : i8 to i32
      %shifted = arith.muli %wide, %large : i32
      %result = tosa.apply_scale %shifted, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %raised = arith.maxsi %result, %low : i32
      %limited = arith.minsi %raised, %high : i32
      %byte = arith.trunci %limited : i32 to i8
      linalg.yield %byte : i8
    }
  linalg.generic {indexing_maps = [#e, #e], iterator_types = ["parallel"]}
    ins(%three : memref<3xi8>) outs(%three : memref<3xi8>) {
    ^bb0(%x: i8, %z: i8):
      %wide = arith.extsi %x : i8 to i32
      %result = tosa.apply_scale %wide, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %raised = arith.maxsi %result, %low : i32
      %limited = arith.minsi %raised, %high : i32
      %byte = arith.trunci %limited : i32 to i8
      linalg.yield %byte : i8
    }
  linalg.generic {indexing_maps = [#e], iterator_types = ["parallel"]} outs(%o : memref<8xi8>) {
    ^bb0(%x: i8):
      %wide = arith.extsi %x : i8 to i32
      %result = tosa.apply_scale %wide, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %raised = arith.maxsi %result, %low : i32
      %limited = arith.minsi %raised, %high : i32
      %byte = arith.trunci %limited : i32 to i8
      linalg.yield %byte : i8
    }
  linalg.generic {indexing_maps = [#e, #e], iterator_types = ["parallel"]}
    ins(%a : memref<8xi8>) outs(%o : memref<8xi8>) {
    ^bb0(%x: i8, %z: i8):
      %wide = arith.extsi %x : i8 to i32
      %result = tosa.apply_scale %wide, %m, %s {rounding_mode = SINGLE_ROUND} : (i32, i32, i8) -> i32
      %raised = arith.maxsi %result, %low : i32
      %limited = arith.minsi %raised, %high : i32
      %byte = arith.trunci %limited : i32 to i8
      linalg.yield %byte : i8
    }
  linalg.generic {indexing_maps = [#e, #e], iterator_types = ["parallel"]}
    ins(%a : memref<8xi8>) outs(%apart : memref<8xi8, strided<[2]>>) {
    ^bb0(%x: i8, %z: i8):
      %wide = arith.extsi %x : i8 to i32
      %result = tosa.apply_scale %wide, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %raised = arith.maxsi %result, %low : i32
      %limited = arith.minsi %raised, %high : i32
      %byte = arith.trunci %limited : i32 to i8
      linalg.yield %byte : i8
    }
  linalg.generic {indexing_maps = [#e, #e], iterator_types = ["parallel"]}
    ins(%a : memref<8xi8>) outs(%o : memref<8xi8>) {
    ^bb0(%x: i8, %z: i8):
      %wide = arith.extsi %x : i8 to i32
      %i = linalg.index 0 : index
      %position = arith.index_cast %i : index to i32
      %sum = arith.addi %wide, %position : i32
      %result = tosa.apply_scale %sum, %m, %s {rounding_mode = DOUBLE_ROUND} : (i32, i32, i8) -> i32
      %raised = arith.maxsi %result, %low : i32
      %limited = arith.minsi %raised, %high : i32
      %byte = arith.trunci %limited : i32 to i8
      linalg.yield %byte : i8
    }
  return
}
