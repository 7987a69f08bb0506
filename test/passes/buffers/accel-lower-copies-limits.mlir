// RUN: forebay-opt %s --accel-lower-copies | FileCheck %s

accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace read [@cpu] write [@cpu]
memref_pool.pool @spad workspace local capacity 65536 base 0 unit 16 read [@npu] write [@npu]
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 2 granule 4
  limits {extent = 16 : i64, bytes = 64 : i64}
#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>

// Two calls per 16 rows: 64 columns and 48.
// CHECK-LABEL: func.func @tiles
// CHECK:         accel.move {{.*}} : memref<16x64xi8, strided<[256, 1], offset: 16>, #memref_pool.space<@dram>>
// CHECK-SAME:    memref<16x64xi8, strided<[112, 1]>, #memref_pool.space<@spad>>
// CHECK:         accel.move {{.*}} : memref<16x48xi8
// CHECK:         accel.move {{.*}} : memref<16x64xi8
// CHECK:         accel.move {{.*}} : memref<16x48xi8
// CHECK:         accel.move {{.*}} : memref<8x64xi8
// CHECK:         accel.move {{.*}} : memref<8x48xi8
// CHECK-NOT:     accel.move
func.func @tiles(%a: memref<40x256xi8, #dram>, %b: memref<40x112xi8, #spad>) {
  %v = memref.subview %a[0, 16] [40, 112] [1, 1] : memref<40x256xi8, #dram> to memref<40x112xi8, strided<[256, 1], offset: 16>, #dram>
  memref.copy %v, %b : memref<40x112xi8, strided<[256, 1], offset: 16>, #dram> to memref<40x112xi8, #spad>
  return
}

// One call: 512 contiguous bytes are 8 runs of 64.
// CHECK-LABEL: func.func @contiguous
// CHECK-NEXT:    accel.move @npu.mvin %{{.*}} : memref<32x16xi8, #memref_pool.space<@dram>>, memref<32x16xi8, #memref_pool.space<@spad>>
// CHECK-NEXT:    return
func.func @contiguous(%a: memref<32x16xi8, #dram>, %b: memref<32x16xi8, #spad>) {
  memref.copy %a, %b : memref<32x16xi8, #dram> to memref<32x16xi8, #spad>
  return
}

// The offset of a tile may be known only at run time.
// CHECK-LABEL: func.func @dynamic
// CHECK-COUNT-2: accel.move {{.*}} : memref<16x16xi8, strided<[64, 1], offset: ?>, #memref_pool.space<@dram>>
func.func @dynamic(%a: memref<64x64xi8, #dram>, %b: memref<32x16xi8, #spad>, %i: index) {
  %v = memref.subview %a[%i, 0] [32, 16] [1, 1] : memref<64x64xi8, #dram> to memref<32x16xi8, strided<[64, 1], offset: ?>, #dram>
  memref.copy %v, %b : memref<32x16xi8, strided<[64, 1], offset: ?>, #dram> to memref<32x16xi8, #spad>
  return
}

// A layout change: columns in blocks of 16, one call per block.
// CHECK-LABEL: func.func @blocks
// CHECK-COUNT-4: accel.move {{.*}} : memref<1x16x16xi8, strided<[16, 64, 1]{{.*}}>, #memref_pool.space<@dram>>, memref<1x16x16xi8, strided<[256, 16, 1]{{.*}}>, #memref_pool.space<@spad>>
// CHECK-NOT:     accel.move
func.func @blocks(%a: memref<16x64xi8, #dram>, %b: memref<4x16x16xi8, #spad>) {
  linalg.generic {indexing_maps = [affine_map<(b, r, c) -> (r, b * 16 + c)>, affine_map<(b, r, c) -> (b, r, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a : memref<16x64xi8, #dram>) outs(%b : memref<4x16x16xi8, #spad>) {
  ^bb0(%i: i8, %o: i8):
    linalg.yield %i : i8
  }
  return
}

// One row fills 40: the stride of the source is 0.
// CHECK-LABEL: func.func @fill
// CHECK-COUNT-2: accel.move {{.*}} : memref<16x16xi8, strided<[0, 1]>, #memref_pool.space<@dram>>
// CHECK:         accel.move {{.*}} : memref<8x16xi8, strided<[0, 1]>, #memref_pool.space<@dram>>
func.func @fill(%a: memref<16xi8, #dram>, %b: memref<40x16xi8, #spad>) {
  linalg.generic {indexing_maps = [affine_map<(r, c) -> (c)>, affine_map<(r, c) -> (r, c)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<16xi8, #dram>) outs(%b : memref<40x16xi8, #spad>) {
  ^bb0(%i: i8, %o: i8):
    linalg.yield %i : i8
  }
  return
}
