// RUN: forebay-opt %s --memref-pool-promote-to-stack --split-input-file | FileCheck %s

#ws = #memref_pool.space<@ws>
#id = affine_map<(i) -> (i)>
memref_pool.pool @ws workspace

// %a and %c are not in use at the same time, %a and %b are: two variables of 8 * 2 = 16 bytes. %d has another type.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xi16, #memref_pool.space<@ws>>
func.func @loop(%x: memref<8xi16, #ws>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: %[[A:.*]] = memref.alloca() : memref<8xi16>
    // CHECK: linalg.generic {{.*}} ins(%[[X]] : {{.*}}) outs(%[[A]] : memref<8xi16>)
    %a = memref_pool.alloc : memref<8xi16, #ws>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%x : memref<8xi16, #ws>) outs(%a : memref<8xi16, #ws>) {
    ^bb0(%in: i16, %out: i16):
      linalg.yield %in : i16
    }
    // CHECK: %[[B:.*]] = memref.alloca() : memref<8xi16>
    // CHECK: linalg.generic {{.*}} ins(%[[A]] : memref<8xi16>) outs(%[[B]] : memref<8xi16>)
    %b = memref_pool.alloc : memref<8xi16, #ws>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : memref<8xi16, #ws>) outs(%b : memref<8xi16, #ws>) {
    ^bb0(%in: i16, %out: i16):
      linalg.yield %in : i16
    }
    // CHECK: linalg.generic {{.*}} ins(%[[B]] : memref<8xi16>) outs(%[[A]] : memref<8xi16>)
    %c = memref_pool.alloc : memref<8xi16, #ws>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%b : memref<8xi16, #ws>) outs(%c : memref<8xi16, #ws>) {
    ^bb0(%in: i16, %out: i16):
      linalg.yield %in : i16
    }
    // CHECK: %[[D:.*]] = memref.alloca() : memref<8xi8>
    // CHECK: linalg.generic {{.*}} ins(%[[A]] : memref<8xi16>) outs(%[[D]] : memref<8xi8>)
    %d = memref_pool.alloc : memref<8xi8, #ws>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%c : memref<8xi16, #ws>) outs(%d : memref<8xi8, #ws>) {
    ^bb0(%in: i16, %out: i8):
      %narrow = arith.trunci %in : i16 to i8
      linalg.yield %narrow : i8
    }
    // CHECK: linalg.generic {{.*}} ins(%[[D]] : memref<8xi8>) outs(%[[X]] : memref<8xi16, #
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%d : memref<8xi8, #ws>) outs(%x : memref<8xi16, #ws>) {
    ^bb0(%in: i8, %out: i16):
      %wide = arith.extsi %in : i8 to i16
      linalg.yield %wide : i16
    }
  }
  return
}

// -----

#ws = #memref_pool.space<@ws>
#id = affine_map<(i) -> (i)>
memref_pool.pool @ws workspace

// These stay in the pool: one that is in no loop, one of 17 bytes, a pinned one, one of which a copy takes the address,
// and one that an inner loop uses.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: memref.alloca
// CHECK: return
func.func @others(%x: i8, %to: memref<4xi8, #ws>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %straight = memref_pool.alloc : memref<4xi8, #ws>
  linalg.generic {indexing_maps = [affine_map<(i) -> ()>, #id], iterator_types = ["parallel"]}
      ins(%x : i8) outs(%straight : memref<4xi8, #ws>) {
  ^bb0(%in: i8, %out: i8):
    linalg.yield %in : i8
  }
  scf.for %i = %c0 to %n step %c1 {
    %large = memref_pool.alloc : memref<17xi8, #ws>
    linalg.generic {indexing_maps = [affine_map<(i) -> ()>, #id], iterator_types = ["parallel"]}
        ins(%x : i8) outs(%large : memref<17xi8, #ws>) {
    ^bb0(%in: i8, %out: i8):
      linalg.yield %in : i8
    }
    %pinned = memref_pool.alloc pinned <@ws, 64> : memref<4xi8, #ws>
    linalg.generic {indexing_maps = [affine_map<(i) -> ()>, #id], iterator_types = ["parallel"]}
        ins(%x : i8) outs(%pinned : memref<4xi8, #ws>) {
    ^bb0(%in: i8, %out: i8):
      linalg.yield %in : i8
    }
    %copied = memref_pool.alloc : memref<4xi8, #ws>
    linalg.generic {indexing_maps = [affine_map<(i) -> ()>, #id], iterator_types = ["parallel"]}
        ins(%x : i8) outs(%copied : memref<4xi8, #ws>) {
    ^bb0(%in: i8, %out: i8):
      linalg.yield %in : i8
    }
    memref.copy %copied, %to : memref<4xi8, #ws> to memref<4xi8, #ws>
    %inner = memref_pool.alloc : memref<4xi8, #ws>
    scf.for %j = %c0 to %n step %c1 {
      linalg.generic {indexing_maps = [affine_map<(i) -> ()>, #id], iterator_types = ["parallel"]}
          ins(%x : i8) outs(%inner : memref<4xi8, #ws>) {
      ^bb0(%in: i8, %out: i8):
        linalg.yield %in : i8
      }
    }
  }
  return
}
