// RUN: forebay-opt %s --accel-lower-copies --split-input-file | FileCheck %s

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace read [@cpu] write [@cpu]
memref_pool.pool @sram workspace read [@cpu] write [@cpu]
memref_pool.pool @spad workspace local capacity 262144 base 0 unit 16 read [@npu] write [@npu]
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1
accel.transfer @npu.mvin2 on @npu symbol "npu_mvin2" from [@dram] to [@spad] rank 2
accel.transfer @npu.mvout on @npu symbol "npu_mvout" from [@spad] to [@dram] rank 1 granule 16

#dram = #memref_pool.space<@dram>
#sram = #memref_pool.space<@sram>
#spad = #memref_pool.space<@spad>
#id = affine_map<(i, j) -> (i, j)>
#right = affine_map<(i, j) -> (i, j + 16)>
#even = affine_map<(i, j) -> (i * 2, j)>

// CHECK-LABEL: func.func @single_ops
// CHECK-SAME:    %[[A:.*]]: memref<4x16xi8, {{.*}}>, %[[W:.*]]: memref<64xi8, {{.*}}>
func.func @single_ops(%a: memref<4x16xi8, #dram>, %w: memref<64xi8, #sram>) {
  // CHECK: %[[T:.*]] = memref_pool.alloc
  %t = memref_pool.alloc : memref<4x16xi8, #spad>
  // CHECK-NEXT: accel.move @npu.mvin %[[A]] into %[[T]]
  memref.copy %a, %t : memref<4x16xi8, #dram> to memref<4x16xi8, #spad>
  // CHECK-NEXT: accel.move @npu.mvin %[[A]] into %[[T]]
  memref_pool.copy %a into %t : memref<4x16xi8, #dram>, memref<4x16xi8, #spad>
  // CHECK-NEXT: accel.move @npu.mvout %[[T]] into %[[A]]
  linalg.copy ins(%t : memref<4x16xi8, #spad>) outs(%a : memref<4x16xi8, #dram>)
  // No transfer, but the host can.
  // CHECK: memref_pool.copy %[[W]] into
  %v = memref_pool.alloc : memref<64xi8, #dram>
  memref_pool.copy %w into %v : memref<64xi8, #sram>, memref<64xi8, #dram>
  return
}

// CHECK-LABEL: func.func @generic
// CHECK-SAME:    %[[A:.*]]: memref<4x32xi8, {{.*}}>
func.func @generic(%a: memref<4x32xi8, #dram>) {
  // CHECK: %[[T:.*]] = memref_pool.alloc
  %t = memref_pool.alloc : memref<4x16xi8, #spad>
  // 4 runs of 16 bytes, 32 apart: two dimensions.
  // CHECK: %[[V:.*]] = memref.reinterpret_cast %[[A]] to offset: [16], sizes: [4, 16], strides: [32, 1]
  // CHECK: accel.move @npu.mvin2 %[[V]] into %[[T]]
  linalg.generic {indexing_maps = [#right, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<4x32xi8, #dram>) outs(%t : memref<4x16xi8, #spad>) {
  ^bb0(%in: i8, %out: i8):
    linalg.yield %in : i8
  }
  // CHECK: %[[E:.*]] = memref.reinterpret_cast %[[A]] to offset: [0], sizes: [2, 32], strides: [64, 1]
  // CHECK: accel.move @npu.mvin2 %[[E]] into
  %u = memref_pool.alloc : memref<2x32xi8, #spad>
  linalg.generic {indexing_maps = [#even, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<4x32xi8, #dram>) outs(%u : memref<2x32xi8, #spad>) {
  ^bb0(%in: i8, %out: i8):
    linalg.yield %in : i8
  }
  return
}

// CHECK-LABEL: func.func @loops
// CHECK-SAME:    %[[A:.*]]: memref<4x4x1x8xi8, {{.*}}>
func.func @loops(%a: memref<4x4x1x8xi8, #dram>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  // CHECK: %[[T:.*]] = memref_pool.alloc
  %t = memref_pool.alloc : memref<4x4x1x8xi8, #spad>
  // CHECK-NEXT: accel.move @npu.mvin %[[A]] into %[[T]]
  // CHECK-NOT: scf.for
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      scf.for %k = %c0 to %c1 step %c1 {
        scf.for %l = %c0 to %c8 step %c1 {
          %x = memref.load %a[%i, %j, %k, %l] : memref<4x4x1x8xi8, #dram>
          memref.store %x, %t[%i, %j, %k, %l] : memref<4x4x1x8xi8, #spad>
        }
      }
    }
  }
  // Rows 2 and 3, 32 bytes each: 64 bytes in one.
  // CHECK: %[[V:.*]] = memref.reinterpret_cast %[[A]] to offset: [64], sizes: [2, 4, 8], strides: [32, 8, 1]
  // CHECK: %[[U:.*]] = memref.reinterpret_cast %[[T]] to offset: [0], sizes: [2, 4, 8], strides: [32, 8, 1]
  // CHECK: accel.move @npu.mvin %[[V]] into %[[U]]
  scf.for %i = %c0 to %c2 step %c1 {
    %row = arith.addi %i, %c2 : index
    scf.for %j = %c0 to %c4 step %c1 {
      scf.for %l = %c0 to %c8 step %c1 {
        %x = memref.load %a[%row, %j, %c0, %l] : memref<4x4x1x8xi8, #dram>
        memref.store %x, %t[%i, %j, %c0, %l] : memref<4x4x1x8xi8, #spad>
      }
    }
  }
  return
}

// -----

memref_pool.pool @sram workspace

// A number that fills a buffer is no copy.
// CHECK-LABEL: func.func @fill
// CHECK:         linalg.generic
// CHECK-NOT:     accel.move
func.func @fill(%a: memref<4xi8, #memref_pool.space<@sram>>, %v: i8) {
  linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%v : i8) outs(%a : memref<4xi8, #memref_pool.space<@sram>>) {
  ^bb0(%in: i8, %out: i8):
    linalg.yield %in : i8
  }
  return
}
