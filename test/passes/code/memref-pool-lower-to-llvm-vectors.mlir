// RUN: forebay-opt %s --memref-pool-lower-to-llvm | FileCheck %s
// RUN: forebay-opt %s "--memref-pool-lower-to-llvm=masked-loads byte-products=vpdpbusd" | FileCheck %s --check-prefix VNNI
// RUN: forebay-opt %s --memref-pool-lower-to-llvm=byte-products=sdot | FileCheck %s --check-prefix SDOT

// The products of neighbours are added to each other before the sum, which is one instruction on x86-64.
// CHECK-LABEL: func.func @dots(
// CHECK:         %[[PRODUCTS:.*]] = arith.muli %{{.*}}, %{{.*}} : vector<16xi32>
// CHECK:         %[[EVEN:.*]] = vector.shuffle %[[PRODUCTS]], %[[PRODUCTS]] [0, 2, 4, 6, 8, 10, 12, 14]
// CHECK:         %[[ODD:.*]] = vector.shuffle %[[PRODUCTS]], %[[PRODUCTS]] [1, 3, 5, 7, 9, 11, 13, 15]
// CHECK:         %[[PAIRS:.*]] = arith.addi %[[EVEN]], %[[ODD]]
// CHECK:         arith.addi %{{.*}}, %[[PAIRS]]
func.func @dots(%sums: vector<8xi32>, %x: vector<16xi8>, %w: vector<16xi8>) -> vector<8xi32> {
  %0 = accel.dots %sums, %x, %w offset 128 : vector<8xi32>, vector<16xi8>
  return %0 : vector<8xi32>
}

// With AVX-512 VNNI the products of four neighbours are one instruction, if one factor has no sign.
// VNNI-LABEL:  func.func @bytes(
// VNNI:          %[[X:.*]] = arith.xori %{{.*}} : vector<32xi8>
// VNNI:          llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"(%{{.*}}, %[[X]], %{{.*}})
// VNNI-NOT:      arith.muli
// CHECK-LABEL: func.func @bytes(
// CHECK-COUNT-2: arith.muli %{{.*}} : vector<16xi32>
func.func @bytes(%sums: vector<8xi32>, %x: vector<32xi8>, %w: vector<32xi8>) -> vector<8xi32> {
  %0 = accel.dots %sums, %x, %w offset 128 : vector<8xi32>, vector<32xi8>
  return %0 : vector<8xi32>
}

// Each sum gets the products of a word of its own, which is one instruction of AVX-512 VNNI.
// VNNI-LABEL:  func.func @sums_of_words(
// VNNI-SAME:     %[[SUMS:[a-z0-9]+]]: vector<16xi32>, %[[ONE:[a-z0-9]+]]: vector<4xi8>, %[[W:[a-z0-9]+]]: vector<64xi8>
// VNNI:          %[[WORDS:.*]] = vector.shuffle %[[ONE]], %[[ONE]] [0, 1, 2, 3, 0, 1, 2, 3,
// VNNI:          %[[X:.*]] = arith.xori %[[WORDS]], %{{.*}} : vector<64xi8>
// VNNI:          llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%[[SUMS]], %[[X]], %[[W]])
// VNNI-NOT:      arith.muli
// CHECK-LABEL: func.func @sums_of_words(
// CHECK-SAME:    %[[SUMS:[a-z0-9]+]]: vector<16xi32>
// CHECK:         %[[OFFSET:.*]] = arith.constant dense<128> : vector<64xi32>
// CHECK:         arith.addi %{{.*}}, %[[OFFSET]]
// CHECK:         %[[PRODUCTS:.*]] = arith.muli %{{.*}}, %{{.*}} : vector<64xi32>
// CHECK:         %[[FIRST:.*]] = vector.shuffle %[[PRODUCTS]], %[[PRODUCTS]] [0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60]
// CHECK:         %[[A:.*]] = arith.addi %[[SUMS]], %[[FIRST]] : vector<16xi32>
// CHECK:         %[[SECOND:.*]] = vector.shuffle %[[PRODUCTS]], %[[PRODUCTS]] [1, 5, 9, 13, 17, 21, 25, 29, 33, 37, 41, 45, 49, 53, 57, 61]
// CHECK:         arith.addi %[[A]], %[[SECOND]] : vector<16xi32>
func.func @sums_of_words(%sums: vector<16xi32>, %x: vector<4xi8>, %w: vector<64xi8>) -> vector<16xi32> {
  %0 = accel.dot_each %sums, %x, %w offset 128 : vector<16xi32>, vector<4xi8>, vector<64xi8>
  return %0 : vector<16xi32>
}

// VNNI-LABEL:  func.func @eight_sums_of_words(
// VNNI:          llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"
// VNNI-NOT:      arith.muli
func.func @eight_sums_of_words(%sums: vector<8xi32>, %x: vector<4xi8>, %w: vector<32xi8>) -> vector<8xi32> {
  %0 = accel.dot_each %sums, %x, %w offset 128 : vector<8xi32>, vector<4xi8>, vector<32xi8>
  return %0 : vector<8xi32>
}

// Elements with sign, and words of other lengths, are multiplied in 32 bits.
// VNNI-LABEL:  func.func @other_words(
// VNNI-NOT:      vpdpbusd
// VNNI:          arith.muli %{{.*}}, %{{.*}} : vector<64xi32>
// VNNI-NOT:      vpdpbusd
// VNNI:          arith.muli %{{.*}}, %{{.*}} : vector<32xi32>
// VNNI-NOT:      vpdpbusd
func.func @other_words(%sums: vector<16xi32>, %x: vector<4xi8>, %w: vector<64xi8>, %two: vector<2xi8>, %v: vector<32xi8>) -> vector<16xi32> {
  %0 = accel.dot_each %sums, %x, %w : vector<16xi32>, vector<4xi8>, vector<64xi8>
  %1 = accel.dot_each %0, %two, %v offset 128 : vector<16xi32>, vector<2xi8>, vector<32xi8>
  return %1 : vector<16xi32>
}

// Totals take no sum of a whole vector.
// CHECK-LABEL: func.func @totals(
// CHECK-NOT:     vector.reduction
// CHECK:         %[[OWN:.*]] = vector.shuffle %[[A:.*]], %[[B:.*]] [0, 3]
// CHECK:         %[[FAR:.*]] = vector.shuffle %[[A]], %[[B]] [1, 2]
// CHECK:         arith.addi %[[OWN]], %[[FAR]]
func.func @totals(%sums: vector<2xi32>, %a: vector<2xi32>, %b: vector<2xi32>) -> vector<2xi32> {
  %0 = accel.add_totals %sums, %a, %b : vector<2xi32>, vector<2xi32>, vector<2xi32>
  return %0 : vector<2xi32>
}

// A vector that reaches out of the memory is loaded inside of it, and shifted.
// CHECK-LABEL: func.func @between(
// CHECK-SAME:    %[[M:[a-z0-9]+]]: memref<8x8xi8>
// CHECK-DAG:     %[[FLAT:.*]] = memref.collapse_shape %[[M]] {{.*}} into memref<64xi8>
// CHECK:         %[[START:.*]] = arith.minsi
// CHECK:         vector.load %[[FLAT]][%[[START]]] : memref<64xi8>, vector<16xi8>
// CHECK:         arith.shrui %{{.*}} : i128
// CHECK:         arith.shli %{{.*}} : i128
// CHECK:         arith.select %{{.*}} : vector<16xi1>, vector<16xi8>
// VNNI-LABEL:  func.func @between(
// VNNI:          vector.maskedload
func.func @between(%m: memref<8x8xi8>, %c: index, %begin: index, %end: index) -> vector<16xi8> {
  %0 = accel.load_between %m[%c, %c] from %begin to %end fill -128 : memref<8x8xi8>, vector<16xi8>
  return %0 : vector<16xi8>
}

// Of memory with less bytes than the vector each element is loaded.
// CHECK-LABEL: func.func @few_bytes(
// CHECK:         memref.load
// CHECK:         vector.from_elements
func.func @few_bytes(%m: memref<9xi8>, %c: index, %begin: index, %end: index) -> vector<16xi8> {
  %0 = accel.load_between %m[%c] from %begin to %end fill -128 : memref<9xi8>, vector<16xi8>
  return %0 : vector<16xi8>
}

// Products of channels have a factor without sign where 128 is added to bytes, and no other.
// CHECK-LABEL: func.func @channels(
// CHECK:         arith.xori %{{.*}} : vector<8xi8>
// CHECK:         arith.extui %{{.*}} : vector<8xi8> to vector<8xi32>
// CHECK:         %[[OFFSET:.*]] = arith.constant dense<128> : vector<8xi32>
// CHECK:         arith.addi %{{.*}}, %[[OFFSET]] : vector<8xi32>
func.func @channels(%m: memref<64xi8>, %c: index, %w: vector<8xi16>, %s: vector<8xi32>) -> vector<8xi32> {
  %x = accel.load_extended %m[%c] : memref<64xi8>, vector<8xi16>
  %0 = accel.multiply_add %s, %x, %w offset 128 : vector<8xi32>, vector<8xi16>
  %1 = accel.multiply_add %0, %w, %w offset 128 : vector<8xi32>, vector<8xi16>
  return %1 : vector<8xi32>
}

// A vector of any length is loaded into a whole register: by a mask, or from loads of powers of two.
// CHECK-LABEL: func.func @eleven(
// CHECK-DAG:     vector.load %{{.*}} : memref<64xi8>, vector<8xi8>
// CHECK-DAG:     vector.load %{{.*}} : memref<64xi8>, vector<2xi8>
// CHECK-DAG:     vector.load %{{.*}} : memref<64xi8>, vector<1xi8>
// VNNI-LABEL:  func.func @eleven(
// VNNI-DAG:      %[[MASK:.*]] = arith.constant dense<[true, true, true, true, true, true, true, true, true, true, true, false, false, false, false, false]>
// VNNI:          vector.maskedload %{{.*}}, %[[MASK]], %{{.*}} : memref<64xi8>, vector<16xi1>, vector<16xi8> into vector<16xi8>
func.func @eleven(%m: memref<64xi8>, %c: index, %s: vector<8xi32>) -> vector<8xi32> {
  %x = vector.load %m[%c] : memref<64xi8>, vector<11xi8>
  %0 = accel.dots %s, %x, %x : vector<8xi32>, vector<11xi8>
  return %0 : vector<8xi32>
}

// With the dot products of NEON so are signed ones. The offset is multiplied by the sums of the second factors.
// SDOT-LABEL:  func.func @signed(
// SDOT-SAME:     %[[SUMS:.*]]: vector<4xi32>, %[[X:.*]]: vector<16xi8>, %[[W:.*]]: vector<16xi8>
// SDOT:          %[[PRODUCTS:.*]] = llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"(%[[SUMS]], %[[X]], %[[W]]) :
// SDOT:          %[[ZERO:.*]] = arith.constant dense<0> : vector<4xi32>
// SDOT:          %[[ONE:.*]] = arith.constant dense<1> : vector<16xi8>
// SDOT:          %[[ADDED:.*]] = llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"(%[[ZERO]], %[[ONE]], %[[W]]) :
// SDOT:          %[[OFFSET:.*]] = arith.constant dense<300> : vector<4xi32>
// SDOT:          %[[SCALED:.*]] = arith.muli %[[ADDED]], %[[OFFSET]]
// SDOT:          arith.addi %[[PRODUCTS]], %[[SCALED]]
func.func @signed(%sums: vector<4xi32>, %x: vector<16xi8>, %w: vector<16xi8>) -> vector<4xi32> {
  %0 = accel.dots %sums, %x, %w offset 300 : vector<4xi32>, vector<16xi8>
  return %0 : vector<4xi32>
}

// SDOT-LABEL:  func.func @without_offset(
// SDOT-COUNT-1:  llvm.call_intrinsic
// SDOT-NOT:      llvm.call_intrinsic
// SDOT:          return
func.func @without_offset(%sums: vector<4xi32>, %x: vector<16xi8>, %w: vector<16xi8>) -> vector<4xi32> {
  %0 = accel.dots %sums, %x, %w offset 0 : vector<4xi32>, vector<16xi8>
  return %0 : vector<4xi32>
}
