"""Claims about budgets: each is met by the plan, or refused with one that works."""

from __future__ import annotations

import re

import pytest
from common.programs.row_programs import TEXT
from mlir import ir

from forebay._libs._forebay import run_pipeline
from forebay.ir.cascade.budgets import apply_budget
from forebay.ir.cascade.pool_budgets import PoolBudget
from forebay.ir.machine.pools import pools_in
from forebay.ir.module import module_of
from forebay.ir.problem.problem import problem_of
from forebay.ir.refused import RefusedError
from forebay.planning import plan
from forebay.reports.budget_attribute import take_steps


@pytest.fixture(autouse=True)
def context():
    with ir.Context():
        yield


def _module(text: str = TEXT):
    return module_of(ir.Module.parse(text))


def _met(budget: int | None) -> int:
    """Return the peak of the plan of a module with a budget."""
    module = _module()
    apply_budget(module, PoolBudget("ws", budget), "auto")
    assert module.operation.verify()
    problem = problem_of(module)
    capacity = problem.pool_by_name["ws"].capacity
    peak = plan(problem).peak("ws")
    assert capacity is not None
    assert peak <= capacity
    assert budget is None or capacity == budget
    return peak


def test_every_budget_is_met_or_refused_with_the_smallest_that_works():
    smallest, whole = _met(None), plan(problem_of(_module())).peak("ws")
    assert smallest < whole
    peaks = [_met(budget) for budget in range(smallest, whole + 8, 7)]
    assert peaks[-1] == whole
    assert peaks == sorted(peaks)
    with pytest.raises(RefusedError) as caught:
        _met(smallest - 1)
    assert re.search(rf"the smallest budget that works is {smallest:,}, set by ", str(caught.value))


def test_a_program_that_fits_keeps_its_operators():
    module = _module()
    before = [op.operation.name for op in module.body.operations[1].body.blocks[0].operations]
    apply_budget(module, PoolBudget("ws", 4096), "auto")
    after = [op.operation.name for op in module.body.operations[1].body.blocks[0].operations]
    assert after == before
    assert pools_in(module.operation)["ws"].capacity == 4096


def test_buffers_that_a_smaller_pool_sends_on_count():
    text = TEXT.replace(
        "memref_pool.pool @ws workspace",
        "memref_pool.pool @fast workspace capacity 100\nmemref_pool.pool @ws workspace",
    )
    text = text.replace("%b = memref_pool.alloc : memref<1x12x4x2xi8, #s>", "%b = " + CHOICE)
    text = text.replace("outs(%b : memref<1x12x4x2xi8, #s>)", f"outs(%b : {TYPE})")
    text = text.replace(
        "memref<1x12x4x2xi8, #s>, memref<1x12x4x2xi8, #s>)\n      outs(%c",
        f"memref<1x12x4x2xi8, #s>, {TYPE})\n      outs(%c",
    )
    module = _module(text)
    apply_budget(module, PoolBudget("ws", None), "auto")
    problem = problem_of(module)
    found = plan(problem)
    assert found.peak("ws") <= (problem.pool_by_name["ws"].capacity or 0)


TYPE = "memref<1x12x4x2xi8, #memref_pool.space<[@fast, @ws]>>"
CHOICE = f"memref_pool.alloc : {TYPE}"


def test_tensors_spill_to_another_pool_where_rows_are_not_enough():
    """The input may be in both pools; as rows, the program needs 112 bytes and more."""
    text = TEXT.replace(
        "memref_pool.pool @ws workspace",
        "memref_pool.pool @ws workspace\nmemref_pool.pool @slow workspace",
    )
    text = text.replace("memref<1x12x4x2xi8, #s>", SPILLING)
    smallest = _smallest(text)
    module = _module(text)
    apply_budget(module, PoolBudget("ws", smallest - 16), "auto")
    steps = take_steps(module.operation)
    assert re.fullmatch(r"with [\d,]+ bytes of tensors in 'slow'", steps[-2].step)
    problem = problem_of(module)
    found = plan(problem)
    assert found.peak("ws") == steps[-1].bytes <= smallest - 16
    assert found.peak("slow") > 0
    # rows of a tensor are in one pool, and the passes agree with the plan
    run_pipeline(module.operation, "builtin.module(memref-pool-plan,memref-pool-verify-plan)")
    # the output can be in @ws only
    with pytest.raises(RefusedError, match="cannot hold this program in 1 bytes"):
        apply_budget(_module(text), PoolBudget("ws", 1), "auto")


def test_the_smallest_budget_is_within_the_capacity_or_refused():
    smallest = _smallest(TEXT)
    small = TEXT.replace("@ws workspace", f"@ws workspace capacity {smallest - 16}", 1)
    with pytest.raises(RefusedError, match=f"smallest budget that works is {smallest},"):
        apply_budget(_module(small), PoolBudget("ws", None), "auto")
    spilling = small.replace("memref<1x12x4x2xi8, #s>", SPILLING)
    spilling = spilling.replace(
        "memref_pool.pool @ws", "memref_pool.pool @slow workspace\nmemref_pool.pool @ws", 1
    )
    module = _module(spilling)
    for pool in ("ws", "slow"):
        apply_budget(module, PoolBudget(pool, None), "auto")
    found = plan(problem_of(module))
    assert found.peak("ws") <= smallest - 16 and found.peak("slow") > 0
    assert found.peak("slow") == pools_in(module.operation)["slow"].capacity


def test_a_budget_of_the_second_pool_is_met_by_rows_that_prefer_the_first():
    """What @fast does not hold is in @ws: fewer bytes of both leave fewer there."""
    text = TEXT.replace(
        "memref_pool.pool @ws",
        "memref_pool.pool @fast workspace capacity 48\nmemref_pool.pool @ws",
        1,
    )
    text = text.replace("memref<1x12x4x2xi8, #s>", TYPE)
    whole = plan(problem_of(_module(text))).peak("ws")
    module = _module(text)
    apply_budget(module, PoolBudget("ws", None), "auto")
    smallest = pools_in(module.operation)["ws"].capacity or 0
    assert smallest < whole
    for budget in (smallest, (smallest + whole) // 2):
        module = _module(text)
        apply_budget(module, PoolBudget("ws", budget), "auto")
        run_pipeline(module.operation, "builtin.module(memref-pool-plan,memref-pool-verify-plan)")
    with pytest.raises(RefusedError, match=f"smallest budget that works is {smallest},"):
        apply_budget(_module(text), PoolBudget("ws", 1), "auto")


def _smallest(text: str) -> int:
    module = _module(text)
    apply_budget(module, PoolBudget("ws", None), "auto")
    return pools_in(module.operation)["ws"].capacity or 0


SPILLING = "memref<1x12x4x2xi8, #memref_pool.space<[@ws, @slow]>>"
