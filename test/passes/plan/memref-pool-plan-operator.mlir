// RUN: forebay-opt %s --memref-pool-plan=planner=first-fit --memref-pool-verify-plan | FileCheck %s

// Buffers inside an operator share the pool with the tensors between operators.
//
//   PaddedInput      conv    1x58x58x128 x 2 =   861,184   [0, 3)      0
//   input            main    1x56x56x128 x 1 =   401,408   [0, 2)      861,184
//   DepthwiseConv2d  conv    1x56x56x128 x 4 = 1,605,632   [2, 4)      861,184, on input's bytes
//   conv             main    1x56x56x128 x 1 =   401,408   [3, 5)      0, on PaddedInput's
//   relu             main    1x56x56x128 x 1 =   401,408   [4, 5)      401,408, on both of @conv's
//
// Tick 2 holds PaddedInput and DepthwiseConv2d: 861,184 + 1,605,632 = 2,466,816, the bound and the peak.

#ws = #memref_pool.space<@workspace>
#id = affine_map<(n, y, x, c) -> (n, y, x, c)>
#in = affine_map<(n, y, x, c, ky, kx) -> (n, y + ky, x + kx, c)>
#k = affine_map<(n, y, x, c, ky, kx) -> (ky, kx)>
#o = affine_map<(n, y, x, c, ky, kx) -> (n, y, x, c)>

// CHECK: memref_pool.pool @workspace {{.*}} peak = 2466816, lower_bound = 2466816
memref_pool.pool @workspace workspace

func.func private @conv(%in: memref<1x56x56x128xi8, #ws>, %kernel: memref<3x3xi16>, %out: memref<1x56x56x128xi8, #ws>) {
  %zero = arith.constant 0 : i16
  // CHECK: memref_pool.alloc at <@workspace, 0> {{.*}} : memref<1x58x58x128xi16,
  %padded = memref_pool.alloc : memref<1x58x58x128xi16, #ws> loc("PaddedInput")
  // CHECK: memref_pool.alloc at <@workspace, 861184> {{.*}} : memref<1x56x56x128xi32,
  %acc = memref_pool.alloc : memref<1x56x56x128xi32, #ws> loc("DepthwiseConv2d")
  linalg.fill ins(%zero : i16) outs(%padded : memref<1x58x58x128xi16, #ws>)
  %inside = memref.subview %padded[0, 1, 1, 0] [1, 56, 56, 128] [1, 1, 1, 1]
      : memref<1x58x58x128xi16, #ws> to memref<1x56x56x128xi16, strided<[430592, 7424, 128, 1], offset: 7552>, #ws>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%in : memref<1x56x56x128xi8, #ws>)
      outs(%inside : memref<1x56x56x128xi16, strided<[430592, 7424, 128, 1], offset: 7552>, #ws>) {
  ^bb0(%e: i8, %old: i16):
    %w = arith.extsi %e : i8 to i16
    linalg.yield %w : i16
  }
  linalg.generic {indexing_maps = [#in, #k, #o], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%padded, %kernel : memref<1x58x58x128xi16, #ws>, memref<3x3xi16>) outs(%acc : memref<1x56x56x128xi32, #ws>) {
  ^bb0(%e: i16, %w: i16, %sum: i32):
    %e32 = arith.extsi %e : i16 to i32
    %w32 = arith.extsi %w : i16 to i32
    %product = arith.muli %e32, %w32 : i32
    %next = arith.addi %sum, %product : i32
    linalg.yield %next : i32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%acc : memref<1x56x56x128xi32, #ws>) outs(%out : memref<1x56x56x128xi8, #ws>) {
  ^bb0(%e: i32, %old: i8):
    %q = arith.trunci %e : i32 to i8
    linalg.yield %q : i8
  }
  return
}

// CHECK: func.func @main
// CHECK-SAME: "input", memref_pool.lifetime = array<i64: 0, 2>, memref_pool.placement = #memref_pool.placement<@workspace, 861184>
// CHECK-SAME: "relu", bufferize.result, memref_pool.lifetime = array<i64: 4, 5>, memref_pool.placement = #memref_pool.placement<@workspace, 401408>
func.func @main(%kernel: memref<3x3xi16>,
                %in: memref<1x56x56x128xi8, #ws> {accel.name = "input"},
                %out: memref<1x56x56x128xi8, #ws> {accel.name = "relu", bufferize.result}) {
  // CHECK: memref_pool.alloc at <@workspace, 0> {{.*}} : memref<1x56x56x128xi8,
  %conv = memref_pool.alloc : memref<1x56x56x128xi8, #ws> loc("conv")
  call @conv(%in, %kernel, %conv) : (memref<1x56x56x128xi8, #ws>, memref<3x3xi16>, memref<1x56x56x128xi8, #ws>) -> ()
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%conv : memref<1x56x56x128xi8, #ws>) outs(%out : memref<1x56x56x128xi8, #ws>) {
  ^bb0(%e: i8, %old: i8):
    %zero = arith.constant 0 : i8
    %r = arith.maxsi %e, %zero : i8
    linalg.yield %r : i8
  }
  return
}
