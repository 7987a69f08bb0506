"""Claims about loops over rows."""

from __future__ import annotations

import pytest
from common.programs.row_programs import TEXT
from mlir import ir
from mlir.dialects import scf

from forebay.cascade.schedule import Scheduler
from forebay.dialects.accel import ReduceOp
from forebay.dialects.memref_pool import AllocOp
from forebay.ir.cascade.free_rows import free_rows
from forebay.ir.cascade.rewrite import compute_in_place, rewrite_segments
from forebay.ir.cascade.row_graph import row_graph_of
from forebay.ir.memory.underlying_buffers import entry_functions
from forebay.ir.module import module_of
from forebay.ir.nested import ops_of
from forebay.ir.rows.layout import is_rows
from forebay.ir.rows.row_offsets import BY_ROWS


@pytest.fixture
def module():
    with ir.Context():
        yield module_of(ir.Module.parse(TEXT))


def _graph(module):
    (main,) = entry_functions(module)
    return row_graph_of(module, main, "ws")


def test_results_in_place_use_the_buffers_of_their_operands(module):
    found = compute_in_place(_graph(module))
    assert ops_of(module, AllocOp)[0:] == [found.bases[3].owner.opview]
    assert found.bases[2] == found.bases[0], "the first result is in the input"
    assert found.bases[4] == found.bases[3], "the sum is in the result of the window"
    assert module.operation.verify()


def test_a_segment_is_a_loop_with_one_guarded_op_per_operator(module):
    found = compute_in_place(_graph(module))
    rewrite_segments(found, [Scheduler(found.graph).segment(0, 4)], "ws")
    assert module.operation.verify()
    (loop,) = ops_of(module, scf.ForOp)
    assert BY_ROWS in loop.operation.attributes
    assert len(ops_of(loop, scf.IfOp)) == 4
    rows, sums = ops_of(module, AllocOp)
    assert is_rows(rows.memref.type)
    assert str(sums.memref.type).startswith("memref<2xi32")
    boxes = [list(op.sizes) for op in ops_of(loop, ReduceOp)]
    assert boxes == [[1, 4, 2, 3], [2, 1, 4]]


def test_a_buffer_that_an_op_reads_as_a_whole_stays_contiguous(module):
    found = compute_in_place(_graph(module))
    assert len(free_rows(found, {0, 1, 2, 3})) == 1
    assert free_rows(found, {0, 1, 2}) == []
