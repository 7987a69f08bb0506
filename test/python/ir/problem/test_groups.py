"""Rows of a tensor are in one pool, also where a plan of single rows would use two."""

from __future__ import annotations

import pytest
from mlir import ir

from forebay.ir.module import module_of
from forebay.ir.problem.groups import plan_groups
from forebay.ir.problem.problem import extract_problem
from forebay.planning import PlanInfeasibleError, plan

PROGRAM = """
#s = #memref_pool.space<[@fast, @slow]>
memref_pool.pool @fast workspace capacity 32 align 16
memref_pool.pool @slow workspace align 16
func.func @main(%v: i8, %out: memref<3x16xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %rows = memref_pool.alloc : memref<3x16xi8, #memref_pool.rows<1>, #s>
  scf.for %y = %c0 to %c3 step %c1 {
    %row = memref_pool.row %rows[%y]
      : memref<3x16xi8, #memref_pool.rows<1>, #s> to memref<16xi8, #s>
    linalg.fill ins(%v : i8) outs(%row : memref<16xi8, #s>)
  } {memref_pool.by_rows}
  scf.for %y = %c0 to %c3 step %c1 {
    %row = memref_pool.row %rows[%y]
      : memref<3x16xi8, #memref_pool.rows<1>, #s> to memref<16xi8, #s>
    %to = memref.subview %out[%y, 0] [1, 16] [1, 1]
      : memref<3x16xi8> to memref<16xi8, strided<[1], offset: ?>>
    memref.copy %row, %to : memref<16xi8, #s> to memref<16xi8, strided<[1], offset: ?>>
  } {memref_pool.by_rows}
  return
}
"""


def test_rows_of_a_tensor_move_together() -> None:
    with ir.Context():
        extraction = extract_problem(module_of(ir.Module.parse(PROGRAM)))
        problem = extraction.problem
        single = plan(problem, "auto")
        assert (single.peak("fast"), single.peak("slow")) == (32, 16)
        found = plan_groups(extraction, problem, "auto")
        assert (found.peak("fast"), found.peak("slow")) == (0, 48)


def test_rows_that_fit_into_no_pool_are_refused() -> None:
    with ir.Context():
        text = PROGRAM.replace("@slow workspace", "@slow workspace capacity 32")
        extraction = extract_problem(module_of(ir.Module.parse(text)))
        plan(extraction.problem, "auto")
        with pytest.raises(PlanInfeasibleError):
            plan_groups(extraction, extraction.problem, "auto")
