// Seven buffers on which the planners differ: one run each.
// RUN: forebay-opt %s --memref-pool-solve=planner=greedy-by-size | FileCheck %s --check-prefixes=SIZE,FIRST
// RUN: forebay-opt %s --memref-pool-solve=planner=greedy-by-conflicts | FileCheck %s --check-prefixes=CONFLICTS,FIRST
// RUN: forebay-opt %s --memref-pool-solve=planner=greedy-by-area | FileCheck %s --check-prefixes=AREA,FIRST
// RUN: forebay-opt %s --memref-pool-solve=planner=greedy-by-duration | FileCheck %s --check-prefixes=DURATION,FIRST
// RUN: forebay-opt %s --memref-pool-solve=planner=first-fit | FileCheck %s --check-prefixes=FF,FIRST
// RUN: forebay-opt %s --memref-pool-solve=planner=best-fit | FileCheck %s --check-prefixes=BF,BEST
// RUN: forebay-opt %s --memref-pool-solve=planner=best-of | FileCheck %s --check-prefixes=BOTH,FIRST
// RUN: forebay-opt %s --memref-pool-solve=planner=best-of-orders | FileCheck %s --check-prefixes=ORDERS,FIRST
// RUN: forebay-opt %s --memref-pool-solve=planner=hill-climb | FileCheck %s --check-prefixes=CLIMB,FIRST
// RUN: forebay-opt %s --memref-pool-solve=planner=exact | FileCheck %s --check-prefixes=EXACT,KNOWN
// RUN: forebay-opt %s --memref-pool-solve="effort=low" | FileCheck %s --check-prefixes=AUTO,KNOWN

// At tick 4 live @b, @c and @d: 8 + 7 + 7 = 22 bytes.
memref_pool.problem @seven {
  // SIZE:      @ram {{.*}}planner = "greedy-by-size", peak = 27, lower_bound = 22, live = ["b", "c", "d"], holes = [23, 27, 8, 9]>
  // CONFLICTS: @ram {{.*}}planner = "greedy-by-conflicts", peak = 26
  // AREA:      @ram {{.*}}planner = "greedy-by-area", peak = 24
  // DURATION:  @ram {{.*}}planner = "greedy-by-duration", peak = 24
  // FF:        @ram {{.*}}planner = "first-fit", peak = 26
  // BF:        @ram {{.*}}planner = "best-fit", peak = 26
  // BOTH:      @ram {{.*}}planner = "best-of", peak = 26
  // ORDERS:    @ram {{.*}}planner = "best-of-orders", peak = 23, lower_bound = 22, live
  // CLIMB:     @ram {{.*}}planner = "hill-climb", peak = 22
  // EXACT:     @ram {{.*}}planner = "exact", peak = 22, lower_bound = 22, proof = "live bytes", live = ["b", "c", "d"]>
  // AUTO:      @ram {{.*}}planner = "auto", peak = 22, lower_bound = 22, proof = "live bytes", live = ["b", "c", "d"]>
  memref_pool.pool @ram workspace align 1
  memref_pool.buffer @a workspace size 9 live [6, 10] in [@ram]
  memref_pool.buffer @b workspace size 8 live [4, 5] in [@ram]
  memref_pool.buffer @c workspace size 7 live [1, 5] in [@ram]
  memref_pool.buffer @d workspace size 7 live [3, 7] in [@ram]
  memref_pool.buffer @e workspace size 8 live [0, 2] in [@ram]
  memref_pool.buffer @f workspace size 2 live [2, 4] in [@ram]
  memref_pool.buffer @g workspace size 4 live [0, 4] in [@ram]
}

// Once @p and @r are gone, holes of 40 and of 10 remain around @q; @u goes to the first or to the best.
memref_pool.problem @holes {
  memref_pool.pool @ram workspace align 1
  memref_pool.buffer @p workspace size 40 live [0, 2] in [@ram] pinned @ram offset 0
  memref_pool.buffer @q workspace size 20 live [0, 4] in [@ram] pinned @ram offset 40
  memref_pool.buffer @r workspace size 10 live [0, 2] in [@ram] pinned @ram offset 60
  memref_pool.buffer @t workspace size 5 live [1, 4] in [@ram] pinned @ram offset 70
  // FIRST: @u {{.*}} at <@ram, 0>
  // BEST:  @u {{.*}} at <@ram, 60>
  memref_pool.buffer @u workspace size 10 live [3, 4] in [@ram]
}

// Limits, candidates in order, costs, a conflict that no clock knows, an alias group, a place that was there before.
memref_pool.problem @all steps ["fetch", "conv"] {
  // KNOWN: @fast {{.*}}peak = 48, lower_bound = 48, proof = "live bytes", live = ["x", "v"], step = "fetch">
  memref_pool.pool @fast workspace capacity 48
  // KNOWN: @slow {{.*}}peak = 96, lower_bound = 96
  memref_pool.pool @slow workspace start 64
  // KNOWN: @x {{.*}} at <@fast, 0>
  memref_pool.buffer @x workspace size 32 live [0, 2] in [@fast, @slow] costs [0, 9] at <@slow, 64>
  // KNOWN: @y {{.*}} at <@fast, 32>
  memref_pool.buffer @y workspace size 16 live [1, 2] in [@fast]
  // @z would fit beside @y alone, but spilling it costs less than spilling @x.
  // KNOWN: @z {{.*}} at <@slow, 64>
  memref_pool.buffer @z workspace size 32 in [@fast, @slow] costs [0, 5]
  memref_pool.conflict @x, @z
  // KNOWN: @v {{.*}} at <@fast, [[V:[0-9]+]]>
  memref_pool.buffer @v input size 8 live [0, 1] in [@fast] alias "tied"
  // KNOWN: @w {{.*}} at <@fast, [[V]]>
  memref_pool.buffer @w output size 16 live [0, 1] in [@fast] alias "tied"
}
