// RUN: forebay-opt %s | forebay-opt | FileCheck %s
// RUN: forebay-opt %s --mlir-print-op-generic | forebay-opt | FileCheck %s

// CHECK: memref_pool.problem @net steps ["fetch", "conv"] {
memref_pool.problem @net steps ["fetch", "conv"] {
  // CHECK: memref_pool.pool @fast workspace capacity 128 align 16 base 64 start 32 unit 16 banks 4 cost 3 weight 0 reserved [64, 80]
  memref_pool.pool @fast workspace capacity 128 align 16 base 64 start 32 unit 16 banks 4 cost 3 weight 0 reserved [64, 80]
  // CHECK: memref_pool.pool @none workspace capacity 0 certificate <planner = "auto", peak = 8, lower_bound = 4, proof = "why", live = ["a", "b"], step = "conv", holes = [0, 4]>
  memref_pool.pool @none workspace capacity 0 certificate <planner = "auto", peak = 8, lower_bound = 4, proof = "why", live = ["a", "b"], step = "conv", holes = [0, 4]>
  // CHECK: memref_pool.conflict @"conv/out:0", @b
  memref_pool.conflict @"conv/out:0", @b
  // CHECK: memref_pool.buffer @"conv/out:0" workspace size 4096 live [-1, 2, 5, 6] in [@fast, @none] costs [0, 7] align 64 at <@none, 0>
  memref_pool.buffer @"conv/out:0" workspace size 4096 live [-1, 2, 5, 6] in [@fast, @none] costs [0, 7] align 64 at <@none, 0>
  // CHECK: memref_pool.buffer @b input size 64 live [0, 1] in [@fast] pinned @fast offset 32 by ["fetch"] alias "tied" origin "in.tflite"
  memref_pool.buffer @b input size 64 live [0, 1] in [@fast] pinned @fast offset 32 by ["fetch"] alias "tied" origin "in.tflite"
  // CHECK: memref_pool.buffer @c output size 9223372036854775807 in [@fast, @none] pinned @none
  memref_pool.buffer @c output size 9223372036854775807 in [@fast, @none] pinned @none
  // CHECK: memref_pool.buffer @w constant size 1 in [@none]
  memref_pool.buffer @w constant size 1 in [@none]
  // CHECK: memref_pool.buffer @s state size 1 in [@none]
  memref_pool.buffer @s state size 1 in [@none]
  // CHECK: memref_pool.separate @b, @c byte 1
  memref_pool.separate @b, @c byte 1
  // CHECK: memref_pool.separate @b, @w bank 9
  memref_pool.separate @b, @w bank 9
}
// CHECK: memref_pool.problem @empty {
memref_pool.problem @empty {}
