"""Plans for one pool: without its capacity, and within a budget with other pools beside it."""

from __future__ import annotations

import pytest
from common.programs.row_programs import TEXT
from mlir import ir

from forebay.ir.cascade.trial_plans import limit_pool, peak_of, planned_within
from forebay.ir.machine.pools import pools_in
from forebay.ir.module import module_of
from forebay.ir.problem.problem import problem_of
from forebay.planning import plan


@pytest.fixture(autouse=True)
def context():
    with ir.Context():
        yield


def test_the_peak_does_not_depend_on_the_capacity() -> None:
    module = module_of(ir.Module.parse(TEXT))
    peak = peak_of(module, "ws", "auto")
    assert peak == plan(problem_of(module)).peak("ws")
    limit_pool(module, "ws", peak - 1)
    assert pools_in(module.operation)["ws"].capacity == peak - 1
    assert peak_of(module, "ws", "auto") == peak


def test_only_buffers_with_a_choice_go_to_another_pool() -> None:
    module = module_of(ir.Module.parse(TEXT))
    peak = peak_of(module, "ws", "auto")
    assert planned_within(module, "ws", peak - 1, "auto") is None
    both = TEXT.replace(
        "memref<1x12x4x2xi8, #s>", "memref<1x12x4x2xi8, #memref_pool.space<[@ws, @b]>>"
    )
    both = both.replace(
        "memref_pool.pool @ws", "memref_pool.pool @b workspace\nmemref_pool.pool @ws", 1
    )
    module = module_of(ir.Module.parse(both))
    found = planned_within(module, "ws", peak - 1, "auto")
    assert found is not None and found.peak("ws") < peak and found.peak("b") > 0
    assert planned_within(module, "ws", 0, "auto") is None
