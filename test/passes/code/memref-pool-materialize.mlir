// RUN: forebay-opt %s --memref-pool-verify-plan --memref-pool-materialize --memref-pool-verify-plan --split-input-file | FileCheck %s

#ws = #memref_pool.space<@ws>
#any = #memref_pool.space<[@fast, @ws]>
#flash = #memref_pool.space<@flash>
#kept = #memref_pool.space<@kept>

// Peaks: @ws 64 + 16 = 80, @fast 12, @flash 32 + 4 = 36, @kept 16 + 8 = 24. @idle is nowhere.
memref_pool.pool @kept state reserved [0, 16] certificate <planner = "hand", peak = 24, lower_bound = 24>
memref_pool.pool @idle workspace certificate <planner = "hand", peak = 0, lower_bound = 0>
memref_pool.pool @fast workspace certificate <planner = "hand", peak = 12, lower_bound = 12>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 80, lower_bound = 80>
memref_pool.pool @flash constant certificate <planner = "hand", peak = 36, lower_bound = 36>

// The globals of constants stay: they carry bytes and places. State is views only.
// CHECK-NOT: memref.global "private" @hidden
// CHECK: memref.global "private" constant @table : memref<32xi8, #memref_pool.space<@flash>> = dense<1> {memref_pool.placement = #memref_pool.placement<@flash, 0>}
memref.global "private" constant @table : memref<32xi8, #flash> = dense<1> {memref_pool.placement = #memref_pool.placement<@flash, 0>}
// CHECK: memref.global "private" constant @scale : memref<1xi32, #memref_pool.space<@flash>> = dense<7> {memref_pool.placement = #memref_pool.placement<@flash, 32>}
memref.global "private" constant @scale : memref<1xi32, #memref_pool.space<[@flash]>> = dense<7> {memref_pool.placement = #memref_pool.placement<@flash, 32>}
memref.global "private" @hidden : memref<8xi8, #kept> {memref_pool.placement = #memref_pool.placement<@kept, 16>}

// A declared function takes memory where its caller has it.
// CHECK: func.func private @declared(memref<3xi32, #memref_pool.space<@fast>>)
func.func private @declared(memref<3xi32, #any>)

// @leaf needs no pool: what it accesses is an argument.
// CHECK: func.func private @leaf(%{{.*}}: i8, %{{.*}}: memref<16xi8, #memref_pool.space<@ws>>) attributes {my.mark}
func.func private @leaf(%x: i8, %p: memref<16xi8, #ws>) attributes {my.mark} {
  linalg.fill ins(%x : i8) outs(%p : memref<16xi8, #ws>)
  return
}

// @middle takes @kept for itself, @ws for itself, in the order of the module.
// CHECK: func.func private @middle
// CHECK-SAME: (%[[KEPT:.*]]: memref<24xi8, #memref_pool.space<@kept>> {memref_pool.base}
// CHECK-SAME: %[[WS:.*]]: memref<80xi8, #memref_pool.space<@ws>> {memref_pool.base}
// CHECK-SAME: %[[X:.*]]: i8 {my.argument}, %[[P:.*]]: memref<?xi8, strided<[1], offset: ?>, #memref_pool.space<@ws>>) -> i32
func.func private @middle(%x: i8 {my.argument}, %p: memref<?xi8, strided<[1], offset: ?>, #ws>) -> i32 {
  %c1 = arith.constant 1 : i32
  // CHECK: %[[C64:.*]] = arith.constant 64 : index
  // CHECK: %[[T:.*]] = memref.view %[[WS]][%[[C64]]][] : memref<80xi8, #memref_pool.space<@ws>> to memref<16xi8, #memref_pool.space<@ws>>
  %t = memref_pool.alloc at <@ws, 64> : memref<16xi8, #ws>
  // CHECK: %[[C16:.*]] = arith.constant 16 : index
  // CHECK: memref.view %[[KEPT]][%[[C16]]][] : memref<24xi8, #memref_pool.space<@kept>> to memref<8xi8, #memref_pool.space<@kept>>
  %hidden = memref.get_global @hidden : memref<8xi8, #kept>
  // CHECK: call @leaf(%[[X]], %[[T]]) : (i8, memref<16xi8, #memref_pool.space<@ws>>) -> ()
  call @leaf(%x, %t) : (i8, memref<16xi8, #ws>) -> ()
  return %c1 : i32
}

// @main's planned arguments are gone, the caller's stay behind the bases.
// CHECK: func.func @main
// CHECK-SAME: (%[[KEPT:.*]]: memref<24xi8, #memref_pool.space<@kept>> {memref_pool.base}
// CHECK-SAME: %[[FAST:.*]]: memref<12xi8, #memref_pool.space<@fast>> {memref_pool.base}
// CHECK-SAME: %[[WS:.*]]: memref<80xi8, #memref_pool.space<@ws>> {memref_pool.base}
// CHECK-SAME: %[[FLASH:.*]]: memref<36xi8, #memref_pool.space<@flash>> {memref_pool.base}
// CHECK-SAME: %[[CALLERS:.*]]: memref<32xi8> {accel.name = "mine"}, %[[X:.*]]: i8) -> i32
func.func @main(%in: memref<2x8xi8, #ws> {accel.name = "in", memref_pool.placement = #memref_pool.placement<@ws, 16>},
                %callers: memref<32xi8> {accel.name = "mine"}, %x: i8) -> i32 {
  // CHECK: %[[C16:.*]] = arith.constant 16 : index
  // CHECK: %[[IN:.*]] = memref.view %[[WS]][%[[C16]]][] : {{.*}} to memref<2x8xi8, #memref_pool.space<@ws>>
  // CHECK: memref.view %[[FLASH]][%{{.*}}][] : {{.*}} to memref<32xi8, #memref_pool.space<@flash>>
  %table = memref.get_global @table : memref<32xi8, #flash>
  // CHECK: memref.view %[[FLASH]][%{{.*}}][] : {{.*}} to memref<1xi32, #memref_pool.space<@flash>>
  %scale = memref.get_global @scale : memref<1xi32, #flash>
  memref.copy %table, %callers : memref<32xi8, #flash> to memref<32xi8>
  // Of two candidates, the type keeps the chosen one.
  // CHECK: %[[A:.*]] = memref.view %[[FAST]][%{{.*}}][] : {{.*}} to memref<3xi32, #memref_pool.space<@fast>>
  %a = memref_pool.alloc at <@fast, 0> : memref<3xi32, #any>
  // CHECK: call @declared(%[[A]]) : (memref<3xi32, #memref_pool.space<@fast>>) -> ()
  call @declared(%a) : (memref<3xi32, #any>) -> ()
  // CHECK: memref.collapse_shape %[[IN]] {{.*}} : memref<2x8xi8, #memref_pool.space<@ws>> into memref<16xi8, #memref_pool.space<@ws>>
  %flat = memref.collapse_shape %in [[0, 1]] : memref<2x8xi8, #ws> into memref<16xi8, #ws>
  %view = memref.cast %flat : memref<16xi8, #ws> to memref<?xi8, strided<[1], offset: ?>, #ws>
  // CHECK: call @middle(%[[KEPT]], %[[WS]], %[[X]], %{{.*}})
  %r = call @middle(%x, %view) : (i8, memref<?xi8, strided<[1], offset: ?>, #ws>) -> i32
  return %r : i32
}

// -----

#any = #memref_pool.space<[@fast, @ws]>
memref_pool.pool @fast workspace certificate <planner = "hand", peak = 64, lower_bound = 64>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 0, lower_bound = 0>

// Narrowing reaches carried values, regions' arguments and results.
// CHECK-LABEL: func.func @carried
func.func @carried(%x: i8, %n: index, %go: i1, %out: memref<32xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref_pool.alloc at <@fast, 0> : memref<32xi8, #any>
  %b = memref_pool.alloc at <@fast, 32> : memref<32xi8, #any>
  // CHECK: scf.for {{.*}} -> (memref<32xi8, #memref_pool.space<@fast>>, memref<32xi8, #memref_pool.space<@fast>>)
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<32xi8, #any>, memref<32xi8, #any>) {
    memref.copy %p, %q : memref<32xi8, #any> to memref<32xi8, #any>
    scf.yield %q, %p : memref<32xi8, #any>, memref<32xi8, #any>
  }
  // CHECK: scf.while {{.*}} : (memref<32xi8, #memref_pool.space<@fast>>) -> memref<32xi8, #memref_pool.space<@fast>>
  %w = scf.while (%p = %r#0) : (memref<32xi8, #any>) -> memref<32xi8, #any> {
    scf.condition(%go) %p : memref<32xi8, #any>
  } do {
  // CHECK: ^bb0(%{{.*}}: memref<32xi8, #memref_pool.space<@fast>>)
  ^bb0(%q: memref<32xi8, #any>):
    scf.yield %q : memref<32xi8, #any>
  }
  // CHECK: scf.if {{.*}} -> (memref<32xi8, #memref_pool.space<@fast>>)
  %s = scf.if %go -> memref<32xi8, #any> {
    scf.yield %w : memref<32xi8, #any>
  } else {
    scf.yield %b : memref<32xi8, #any>
  }
  memref.copy %s, %out : memref<32xi8, #any> to memref<32xi8>
  return
}
