// RUN: forebay-opt %s --memref-pool-verify-plan --split-input-file --verify-diagnostics

// The second of three parts of a sum reads the accumulators, whose bytes hold something else by then.
#ws = #memref_pool.space<@ws>
#row = affine_map<(y, k) -> (y, k)>
#out = affine_map<(y) -> (y)>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 16, lower_bound = 16>

func.func @second_part(%x: memref<4x6xi32>, %v: i32, %out: memref<4xi32>) {
  // expected-note @+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 0> : memref<4xi32, #ws>
  // expected-note @+1 {{'buffer' is declared here}}
  %b = memref_pool.alloc at <@ws, 0> : memref<4xi32, #ws>
  accel.reduce [4 | 6] at [0 | 0] sizes [4 | 2] ins(%x : memref<4x6xi32>) outs(%out : memref<4xi32>)
    accumulators(%a : memref<4xi32, #ws>) maps [#row, #out]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i32):
      %sum = arith.addi %acc, %x0 : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  // expected-note @+1 {{'buffer' is written here}}
  linalg.fill ins(%v : i32) outs(%b : memref<4xi32, #ws>)
  // expected-error @+1 {{'accel.reduce' reads buffer 'buffer' at [0, 16) of pool @ws, but 'buffer' at [0, 16) has overwritten its bytes}}
  accel.reduce [4 | 6] at [0 | 2] sizes [4 | 2] ins(%x : memref<4x6xi32>) outs(%out : memref<4xi32>)
    accumulators(%a : memref<4xi32, #ws>) maps [#row, #out]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i32):
      %sum = arith.addi %acc, %x0 : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

// A part at a start that varies may be any of them.
#ws = #memref_pool.space<@ws>
#row = affine_map<(y, k) -> (y, k)>
#out = affine_map<(y) -> (y)>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 16, lower_bound = 16>

func.func @any_part(%x: memref<4x6xi32>, %v: i32, %k: index, %out: memref<4xi32>) {
  // expected-note @+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 0> : memref<4xi32, #ws>
  // expected-note @+1 {{'buffer' is declared here}}
  %b = memref_pool.alloc at <@ws, 0> : memref<4xi32, #ws>
  accel.reduce [4 | 6] at [0 | 0] sizes [4 | 2] ins(%x : memref<4x6xi32>) outs(%out : memref<4xi32>)
    accumulators(%a : memref<4xi32, #ws>) maps [#row, #out]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i32):
      %sum = arith.addi %acc, %x0 : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  // expected-note @+1 {{'buffer' is written here}}
  linalg.fill ins(%v : i32) outs(%b : memref<4xi32, #ws>)
  // expected-error @+1 {{'accel.reduce' reads buffer 'buffer' at [0, 16) of pool @ws, but 'buffer' at [0, 16) has overwritten its bytes}}
  accel.reduce [4 | 6] at [0 | %k] sizes [4 | 2] ins(%x : memref<4x6xi32>) outs(%out : memref<4xi32>)
    accumulators(%a : memref<4xi32, #ws>) maps [#row, #out]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i32):
      %sum = arith.addi %acc, %x0 : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  return
}

// -----

// The first part writes the accumulators, and so breaks what is in their bytes.
#ws = #memref_pool.space<@ws>
#row = affine_map<(y, k) -> (y, k)>
#out = affine_map<(y) -> (y)>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 16, lower_bound = 16>

func.func @first_part(%x: memref<4x6xi32>, %v: i32, %out: memref<4xi32>) {
  // expected-note @+1 {{'buffer' is declared here}}
  %a = memref_pool.alloc at <@ws, 0> : memref<4xi32, #ws>
  // expected-note @+1 {{'buffer' is declared here}}
  %b = memref_pool.alloc at <@ws, 0> : memref<4xi32, #ws>
  linalg.fill ins(%v : i32) outs(%b : memref<4xi32, #ws>)
  // expected-note @+1 {{'buffer' is written here}}
  accel.reduce [4 | 6] at [0 | 0] sizes [4 | 2] ins(%x : memref<4x6xi32>) outs(%out : memref<4xi32>)
    accumulators(%a : memref<4xi32, #ws>) maps [#row, #out]
    init {
      %zero = arith.constant 0 : i32
      accel.yield %zero : i32
    } body {
    ^bb0(%acc: i32, %x0: i32):
      %sum = arith.addi %acc, %x0 : i32
      accel.yield %sum : i32
    } finish {
    ^bb0(%acc: i32, %count: i32):
      accel.yield %acc : i32
    }
  // expected-error @+1 {{'memref.copy' reads buffer 'buffer' at [0, 16) of pool @ws, but 'buffer' at [0, 16) has overwritten its bytes}}
  memref.copy %b, %out : memref<4xi32, #ws> to memref<4xi32>
  return
}
