"""Buffers that queues use at the same time are in different banks."""

from __future__ import annotations

import pytest
from mlir import ir

import forebay.passes  # noqa: F401  (registers)
from forebay.ir.module import module_of
from forebay.ir.problem.banks import with_separate_banks
from forebay.ir.problem.problem import extract_problem, plan_of
from forebay.pipelines import run_pipeline
from forebay.planning import Separation

PROGRAM = """
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @dram workspace read [@cpu] write [@cpu]
memref_pool.pool @spad workspace local capacity 128 base 0 BANKS weight 0 read [@npu] write [@npu]
accel.queue @npu.load on @npu symbol "npu_load" depth 4
accel.queue @npu.run on @npu symbol "npu_run" depth 4
accel.transfer @npu.mvin on @npu symbol "npu_mvin" from [@dram] to [@spad] rank 1 queue @npu.load
accel.intrinsic @npu.twice on @npu symbol "npu_twice"
  operands [#accel.operand<name = "x", access = inout, pools = [@spad]>] queue @npu.run
#dram = #memref_pool.space<@dram>
#spad = #memref_pool.space<@spad>
!d = memref<16xi8, #dram>
!s = memref<16xi8, #spad>
func.func @main(%x: !d) {
  %a = memref_pool.alloc : !s loc("a")
  %b = memref_pool.alloc : !s loc("b")
  %t = accel.start @npu.mvin %x into %a : !d, !s
  %r = accel.launch @npu.twice outs(%a : !s) after(%t) accumulate [0]
  %u = accel.start @npu.mvin %x into %b AFTER : !d, !s
  %v = accel.launch @npu.twice outs(%b : !s) after(%u) accumulate [0]
  accel.wait %r, %v
  return
}
"""


def planned(banks: str, after: str) -> tuple[tuple[Separation, ...], int]:
    """Return the separations, and the distance of the two buffers."""
    text = PROGRAM.replace("BANKS", banks).replace("AFTER", after)
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        separations = with_separate_banks(extract_problem(module_of(module))).separations
        run_pipeline(module, "builtin.module(memref-pool-plan)")
        places = plan_of(module_of(module)).placements
    tiles = [place.offset for place in places.values() if place.pool == "spad"]
    return separations, abs(tiles[0] - tiles[1])


def test_a_load_beside_a_computation_is_in_another_bank() -> None:
    (separation,), distance = planned("banks 2", "")
    assert (separation.same_bank, separation.shared_byte) == (1, 0)
    assert distance >= 64 - 16


@pytest.mark.parametrize(("banks", "after"), [("banks 2", "after(%r)"), ("", "")])
def test_operations_in_order_and_a_pool_without_banks_need_none(banks: str, after: str) -> None:
    separations, distance = planned(banks, after)
    assert separations == ()
    assert distance == 16
