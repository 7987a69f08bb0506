"""Claims about the row graphs of programs."""

from __future__ import annotations

import pytest
from mlir import ir

from forebay.cascade.graph import RowTensor
from forebay.ir.cascade.row_graph import pools_ahead, row_graph_of
from forebay.ir.memory.underlying_buffers import entry_functions
from forebay.ir.module import module_of
from forebay.pools import Pool, PoolKind
from forebay.regions import Span

PROGRAM = """
#s = #memref_pool.space<@ws>
#id = affine_map<(n, y, x, c) -> (n, y, x, c)>
memref_pool.pool @ws workspace
func.func @main(%x: memref<1x6x4x2xi8, #s> {accel.name = "x"},
    %out: memref<1x2xi32, #s> {bufferize.result}) {
  %a = memref_pool.alloc : memref<1x3x4x2xi8, #s>
  accel.reduce [3, 4, 2 | 3] ins(%x : memref<1x6x4x2xi8, #s>) outs(%a : memref<1x3x4x2xi8, #s>)
    maps [affine_map<(y, x, c, k) -> (0, y * 2 + k, x, c)>, affine_map<(y, x, c) -> (0, y, x, c)>]
    init { %z = arith.constant 0 : i32  accel.yield %z : i32 }
    body { ^bb0(%s: i32, %e: i8):  %w = arith.extsi %e : i8 to i32  %n = arith.addi %s, %w : i32
      accel.yield %n : i32 }
    finish { ^bb0(%s: i32, %count: i32):  %t = arith.trunci %s : i32 to i8  accel.yield %t : i8 }
  %b = memref_pool.alloc : memref<1x3x4x4xi8, #s>
  %left = memref.subview %b[0, 0, 0, 0] [1, 3, 4, 2] [1, 1, 1, 1]
    : memref<1x3x4x4xi8, #s> to memref<1x3x4x2xi8, strided<[48, 16, 4, 1]>, #s>
  memref.copy %a, %left : memref<1x3x4x2xi8, #s> to memref<1x3x4x2xi8, strided<[48, 16, 4, 1]>, #s>
  %c = memref_pool.alloc : memref<1x3x4x2xi8, #s>
  linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a : memref<1x3x4x2xi8, #s>) outs(%c : memref<1x3x4x2xi8, #s>) {
  ^bb0(%in: i8, %o: i8):
    linalg.yield %in : i8
  }
  accel.reduce [2 | 3, 4] ins(%c : memref<1x3x4x2xi8, #s>) outs(%out : memref<1x2xi32, #s>)
    maps [affine_map<(c, y, x) -> (0, y, x, c)>, affine_map<(c) -> (0, c)>]
    init { %z = arith.constant 0 : i32  accel.yield %z : i32 }
    body { ^bb0(%s: i32, %e: i8):  %w = arith.extsi %e : i8 to i32  %n = arith.addi %s, %w : i32
      accel.yield %n : i32 }
    finish { ^bb0(%s: i32, %count: i32):  %q = arith.divsi %s, %count : i32  accel.yield %q : i32 }
  func.call @other(%b) : (memref<1x3x4x4xi8, #s>) -> ()
  return
}
func.func private @other(%b: memref<1x3x4x4xi8, #s>) {
  %f = arith.constant 1 : i8
  linalg.fill ins(%f : i8) outs(%b : memref<1x3x4x4xi8, #s>)
  return
}
"""


@pytest.fixture
def found():
    with ir.Context():
        module = module_of(ir.Module.parse(PROGRAM))
        (main,) = entry_functions(module)
        yield row_graph_of(module, main, "ws")


def test_tensors_are_arguments_and_written_buffers(found):
    x, out, a, b, c = found.graph.tensors
    assert x == RowTensor("x", 6, 8, is_input=True, is_contiguous=True)
    assert (out.rows, out.row_bytes, out.is_output) == (1, 8, True)
    assert [(t.rows, t.row_bytes) for t in (a, b, c)] == [(3, 8), (3, 16), (3, 8)]


def test_a_window_is_clamped_at_the_border(found):
    pool = found.graph.operators[0]
    assert pool.reads[0].spans == (Span(0, 3), Span(2, 5), Span(4, 6))
    assert pool.writes[0].spans == (Span(0, 1), Span(1, 2), Span(2, 3))
    assert pool.in_place == ()


def test_a_copy_into_a_part_of_each_row_writes_rows(found):
    copy = found.graph.operators[1]
    assert copy.writes[0].spans == (Span(0, 1), Span(1, 2), Span(2, 3))
    assert copy.in_place == ()


def test_an_elementwise_op_may_be_in_place(found):
    assert found.graph.operators[2].in_place == (2,)


def test_a_reduction_to_one_row_runs_over_the_rows_of_its_input(found):
    mean = found.graph.operators[3]
    assert mean.reads[0].spans == (Span(0, 1), Span(1, 2), Span(2, 3))
    assert mean.writes[0].spans == (Span(0, 0), Span(0, 0), Span(0, 1))
    assert mean.accumulators == 8, "two sums; the count is the constant 12"


def test_a_call_is_one_step(found):
    call = found.graph.operators[4]
    assert call.steps == 1
    assert [access.tensor for access in call.writes] == [3]
    assert call.writes[0].spans == (Span(0, 3),)


def test_a_tensor_needs_a_pool_if_those_before_it_have_a_capacity():
    pools = {
        "fast": Pool("fast", PoolKind.workspace, capacity=64),
        "ws": Pool("ws", PoolKind.workspace),
        "slow": Pool("slow", PoolKind.workspace),
    }
    assert pools_ahead(("ws", "slow"), "ws", pools) == ()
    assert pools_ahead(("fast", "ws"), "ws", pools) == ("fast",)
    assert pools_ahead(("fast", "ws", "slow"), "slow", pools) is None
    assert pools_ahead(("fast",), "ws", pools) is None


DILATED = """
#s = #memref_pool.space<@ws>
memref_pool.pool @ws workspace
func.func @main(%x: memref<1x7x4xi8, #s>, %out: memref<1x3x4xi8, #s> {bufferize.result}) {
  accel.reduce [3, 4 | 2] ins(%x : memref<1x7x4xi8, #s>) outs(%out : memref<1x3x4xi8, #s>)
    maps [affine_map<(y, c, k) -> (0, y * 2 + k * 4 - 1, c)>, affine_map<(y, c) -> (0, y, c)>]
    init { %z = arith.constant 0 : i32  accel.yield %z : i32 }
    body { ^bb0(%s: i32, %e: i8):  %w = arith.extsi %e : i8 to i32  %n = arith.addi %s, %w : i32
      accel.yield %n : i32 }
    finish { ^bb0(%s: i32, %count: i32):  %t = arith.trunci %s : i32 to i8  accel.yield %t : i8 }
  return
}
"""


def test_a_dilated_window_skips_the_rows_between_those_of_its_kernel():
    with ir.Context():
        module = module_of(ir.Module.parse(DILATED))
        (main,) = entry_functions(module)
        (window,) = row_graph_of(module, main, "ws").graph.operators
        assert window.reads[0].spans == (Span(3, 4), Span(1, 6), Span(3, 4))
        assert window.reads[0].counts == (1, 2, 1)


FLAT = """
#s = #memref_pool.space<@ws>
memref_pool.pool @ws workspace
func.func @main(%x: memref<1x6x4x2xi8, #s>, %out: memref<1x1x2xi8, #s> {bufferize.result}) {
  %flat = memref.collapse_shape %x [[0], [1, 2], [3]]
    : memref<1x6x4x2xi8, #s> into memref<1x24x2xi8, #s>
  accel.reduce [2 | 24] ins(%flat : memref<1x24x2xi8, #s>) outs(%out : memref<1x1x2xi8, #s>)
    maps [affine_map<(c, k) -> (0, k, c)>, affine_map<(c) -> (0, 0, c)>]
    init { %z = arith.constant 0 : i32  accel.yield %z : i32 }
    body { ^bb0(%s: i32, %e: i8):  %w = arith.extsi %e : i8 to i32  %n = arith.addi %s, %w : i32
      accel.yield %n : i32 }
    finish { ^bb0(%s: i32, %count: i32):  %t = arith.trunci %s : i32 to i8  accel.yield %t : i8 }
  return
}
"""


def test_a_mean_over_a_reshaped_buffer_takes_a_row_in_each_step():
    with ir.Context():
        module = module_of(ir.Module.parse(FLAT))
        (main,) = entry_functions(module)
        found = row_graph_of(module, main, "ws")
        (mean,) = found.graph.operators
        assert mean.reads[0].spans == tuple(Span(y, y + 1) for y in range(6))
        assert found.ops[0].split is not None
        assert found.ops[0].split.block == 4
