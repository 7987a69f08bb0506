"""Claims about which buffers become rows that lie anywhere."""

from __future__ import annotations

import pytest
from mlir import ir

from forebay.ir.cascade.free_rows import free_rows
from forebay.ir.cascade.row_graph import row_graph_of
from forebay.ir.memory.underlying_buffers import entry_functions
from forebay.ir.module import module_of

PROGRAM = """
#s = #memref_pool.space<@ws>
memref_pool.pool @ws workspace
func.func @main(%x: memref<1x8x4xi8>, %out: memref<1x8x4xi8> {{bufferize.result}}) {{
  %a = memref_pool.alloc : memref<1x8x4xi8, #s>
  %b = memref_pool.alloc : memref<1x8x4xi8, #s>
  memref.copy %x, %a : memref<1x8x4xi8> to memref<1x8x4xi8, #s>
  {view}
  memref.copy %b, %out : memref<1x8x4xi8, #s> to memref<1x8x4xi8>
  return
}}
"""
PART = """
  %v = memref.subview %{0}[0, {1}, 0] [1, {2}, 4] [1, {3}, 1]
    : memref<1x8x4xi8, #s> to memref<1x{2}x4xi8, strided<[32, {4}, 1], offset: {5}>, #s>
  %w = memref.subview %b[0, 0, 0] [1, {2}, 4] [1, 1, 1]
    : memref<1x8x4xi8, #s> to memref<1x{2}x4xi8, strided<[32, 4, 1]>, #s>
  memref.copy %v, %w : memref<1x{2}x4xi8, strided<[32, {4}, 1], offset: {5}>, #s>
    to memref<1x{2}x4xi8, strided<[32, 4, 1]>, #s>
"""
FLAT = """
  %v = memref.collapse_shape %a [[0, 1], [2]] : memref<1x8x4xi8, #s> into memref<8x4xi8, #s>
  %w = memref.collapse_shape %b [[0, 1], [2]] : memref<1x8x4xi8, #s> into memref<8x4xi8, #s>
  memref.copy %v, %w : memref<8x4xi8, #s> to memref<8x4xi8, #s>
"""


@pytest.mark.parametrize(
    ("view", "count"),
    [
        (PART.format("a", 0, 8, 1, 4, 0), 2),
        (PART.format("a", 3, 4, 1, 4, 12), 2),
        (PART.format("a", 0, 4, 2, 8, 0), 1),
        (FLAT, 0),
    ],
)
def test_slices_without_gaps_are_rows_and_reshaped_buffers_are_not(view, count):
    with ir.Context():
        module = module_of(ir.Module.parse(PROGRAM.format(view=view)))
        (main,) = entry_functions(module)
        found = row_graph_of(module, main, "ws")
        assert len(free_rows(found, set(range(3)))) == count
        assert free_rows(found, {0, 2}) == []
