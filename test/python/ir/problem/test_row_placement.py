"""Claims about the planned places of rows."""

from __future__ import annotations

import pytest
from mlir import ir

from forebay.dialects.memref_pool import AllocOp
from forebay.ir.liveness.liveness import liveness_of
from forebay.ir.module import module_of
from forebay.ir.nested import ops_of
from forebay.ir.problem.row_placement import RowPlacement, planned_rows
from forebay.ir.refused import RefusedError

TEXT = """
memref_pool.pool @ws workspace
func.func @main() {{
  %z = arith.constant 0 : i8
  %0 = memref_pool.alloc {} : memref<2x8xi8, #memref_pool.rows<1>, #memref_pool.space<@ws>>
  %1 = memref_pool.row %0[0] : memref<2x8xi8, #memref_pool.rows<1>, #memref_pool.space<@ws>>
    to memref<8xi8, #memref_pool.space<@ws>>
  linalg.fill ins(%z : i8) outs(%1 : memref<8xi8, #memref_pool.space<@ws>>)
  return
}}
"""


def _root(place: str):
    module = module_of(ir.Module.parse(TEXT.format(place)))
    assert len(ops_of(module, AllocOp)) == 1
    return module, liveness_of(module).buffers[0]


def test_rows_are_where_the_plan_says():
    with ir.Context():
        _module, root = _root("at_rows <@ws, [8, 0]>")
        assert planned_rows(root) == RowPlacement("ws", (8, 0))


def test_rows_without_a_plan_are_refused():
    with ir.Context():
        _module, root = _root("")
        with pytest.raises(RefusedError, match="memref-pool-plan first"):
            planned_rows(root)
