"""A program of an elementwise op, a window, a sum in place and a mean, before planning."""

from __future__ import annotations

TEXT = """
#s = #memref_pool.space<@ws>
#id = affine_map<(n, y, x, c) -> (n, y, x, c)>
memref_pool.pool @ws workspace
func.func @main(%x: memref<1x12x4x2xi8, #s> {accel.name = "x"},
    %out: memref<1x2xi8, #s> {bufferize.result}) {
  %one = arith.constant 1 : i8
  %a = memref_pool.alloc : memref<1x12x4x2xi8, #s>
  linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : memref<1x12x4x2xi8, #s>) outs(%a : memref<1x12x4x2xi8, #s>) {
  ^bb0(%in: i8, %o: i8):
    %r = arith.addi %in, %one : i8
    linalg.yield %r : i8
  }
  %b = memref_pool.alloc : memref<1x12x4x2xi8, #s>
  accel.reduce [12, 4, 2 | 3] ins(%a : memref<1x12x4x2xi8, #s>) outs(%b : memref<1x12x4x2xi8, #s>)
    maps [affine_map<(y, x, c, k) -> (0, y + k - 1, x, c)>, affine_map<(y, x, c) -> (0, y, x, c)>]
    init { %z = arith.constant 0 : i32  accel.yield %z : i32 }
    body { ^bb0(%s: i32, %e: i8):  %w = arith.extsi %e : i8 to i32  %n = arith.addi %s, %w : i32
      accel.yield %n : i32 }
    finish { ^bb0(%s: i32, %count: i32):  %t = arith.trunci %s : i32 to i8  accel.yield %t : i8 }
  %c = memref_pool.alloc : memref<1x12x4x2xi8, #s>
  linalg.generic {indexing_maps = [#id, #id, #id],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a, %b : memref<1x12x4x2xi8, #s>, memref<1x12x4x2xi8, #s>)
      outs(%c : memref<1x12x4x2xi8, #s>) {
  ^bb0(%in: i8, %other: i8, %o: i8):
    %r = arith.addi %in, %other : i8
    linalg.yield %r : i8
  }
  accel.reduce [2 | 12, 4] ins(%c : memref<1x12x4x2xi8, #s>) outs(%out : memref<1x2xi8, #s>)
    maps [affine_map<(c, y, x) -> (0, y, x, c)>, affine_map<(c) -> (0, c)>]
    init { %z = arith.constant 0 : i32  accel.yield %z : i32 }
    body { ^bb0(%s: i32, %e: i8):  %w = arith.extsi %e : i8 to i32  %n = arith.addi %s, %w : i32
      accel.yield %n : i32 }
    finish { ^bb0(%s: i32, %count: i32):  %q = arith.divsi %s, %count : i32
      %t = arith.trunci %q : i32 to i8  accel.yield %t : i8 }
  return
}
"""
