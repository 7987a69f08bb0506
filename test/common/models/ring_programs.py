"""Programs on buffers that shift a state of `rows` along the last axis, and add all of them up."""

from __future__ import annotations

from collections.abc import Mapping

REDUCE = """
  accel.reduce [2 | ROWS] ins(%w, %weights : !window, !weights) outs(%y : memref<2xi32>)
      maps [#rows, #rows, #out] init {
    accel.yield %zero : i32
  } body {
  ^bb0(%sum: i32, %a: i8, %b: i8):
    %1 = arith.extsi %a : i8 to i32
    %2 = arith.extsi %b : i8 to i32
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %sum, %3 : i32
    accel.yield %4 : i32
  } finish {
  ^bb0(%sum: i32, %count: i32):
    accel.yield %sum : i32
  }
"""
RESET = """
func.func @reset() {
  %s = memref.get_global @s : !state
  %zero = arith.constant 0 : i8
  linalg.fill ins(%zero : i8) outs(%s : !state)
  return
}
"""
COPY_OF_NEW = """
  memref.copy %x, %new : !input to !new
"""
_PROGRAM = (
    """
!window = memref<2xROWSxi8, #memref_pool.space<@ws>>
!state = memref<2xROWSxi8, #memref_pool.space<@kept>>
!weights = memref<2xROWSxi8, #memref_pool.space<@flash>>
!kept = memref<2xKEPTxi8, strided<[ROWS, 1], offset: NEW>, #memref_pool.space<@kept>>
!old = memref<2xKEPTxi8, strided<[ROWS, 1]>, #memref_pool.space<@ws>>
!new = memref<2xNEWxi8, strided<[ROWS, 1], offset: KEPT>, #memref_pool.space<@ws>>
!input = memref<2xNEWxi8>
#rows = affine_map<(f, m) -> (f, m)>
#out = affine_map<(f) -> (f)>
memref_pool.pool @ws workspace
memref_pool.pool @flash constant
memref_pool.pool @kept state
memref.global "private" constant @w : !weights = dense<WEIGHTS>
memref.global "private" @s : !state
func.func @main(%x: !input, %y: memref<2xi32> {bufferize.result}) {
  %s = memref.get_global @s : !state
  %weights = memref.get_global @w : !weights
  %zero = arith.constant 0 : i32
  %kept = memref.subview %s[0, NEW] [2, KEPT] [1, 1] : !state to !kept
  %w = memref_pool.alloc : !window
  %old = memref.subview %w[0, 0] [2, KEPT] [1, 1] : !window to !old
  memref_pool.copy %kept into %old : !kept, !old
  %new = memref.subview %w[0, KEPT] [2, NEW] [1, 1] : !window to !new
"""
    + COPY_OF_NEW
    + REDUCE
    + """
  memref_pool.copy %w into %s : !window, !state
  return
}
"""
    + RESET
)


def ring_program(rows: int = 4, new: int = 1, *, changes: Mapping[str, str] | None = None) -> str:
    """Return a module of which `changes` replace parts of the text, each of which occurs in it."""
    text = _PROGRAM
    for old, changed in (changes or {}).items():
        assert old in text, old
        text = text.replace(old, changed)
    weights = [[row * 3 + channel * 40 + 1 for row in range(rows)] for channel in range(2)]
    numbers = {"ROWS": rows, "NEW": new, "KEPT": rows - new, "WEIGHTS": weights}
    for name, number in numbers.items():
        text = text.replace(name, str(number))
    return text
