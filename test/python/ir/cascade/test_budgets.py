"""Claims about budgets: each is met by the plan, or refused with one that works."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

import pytest
from common.programs.row_programs import TEXT
from mlir import ir
from mlir.dialects.builtin import ModuleOp

from forebay._libs._forebay import run_pipeline
from forebay.cascade.frontier import frontier
from forebay.cascade.search import CascadePlan
from forebay.ir.cascade.budgets import PLANS, PoolCascade, apply_budget
from forebay.ir.cascade.pool_budgets import PoolBudget
from forebay.ir.identity import identity_of
from forebay.ir.machine.pools import pools_in
from forebay.ir.memory.underlying_buffers import entry_functions
from forebay.ir.module import module_of
from forebay.ir.nested import ops_nested_in
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


@pytest.mark.parametrize("seed", range(6))
def test_any_bytes_that_the_planner_adds_keep_peaks_in_the_order_of_budgets(seed, monkeypatch):
    """All plans of the list are tried, and the smallest is the one that the planner makes so."""

    def wasteful(_: PoolCascade, choice: CascadePlan) -> int:
        return choice.bytes + Random(f"{seed} {choice.bytes}").choice([0, 8, 40, 90])

    monkeypatch.setattr(PoolCascade, "trial", wasteful)
    peaks = {_cascade(_module()).trial(choice) for choice in _plans()}
    met = [_accepted(budget) for budget in range(min(peaks), max(peaks) + 8, 4)]
    assert met == sorted(met)
    assert all(peak in peaks for peak in met)
    assert _accepted(None) == met[0] == min(peaks)
    with pytest.raises(RefusedError, match=f"the smallest budget that works is {min(peaks):,}"):
        _accepted(min(peaks) - 1)


def test_plans_may_need_fewer_bytes_than_their_live_rows(monkeypatch):
    """Rows that no window reads die at once, but count as live rows."""

    def frugal(_: PoolCascade, choice: CascadePlan) -> int:
        return choice.bytes - 40

    monkeypatch.setattr(PoolCascade, "trial", frugal)
    smallest = _accepted(None)
    assert smallest == min(choice.bytes for choice in _plans()) - 40
    met = [_accepted(budget) for budget in range(smallest, smallest + 80, 4)]
    assert met == sorted(met) and met[0] == smallest


class Choices:
    """Padded copies that change nothing but the number of instructions."""

    def __init__(self, *gains: float) -> None:
        self.gains = dict(enumerate(gains))
        self.tried: list[list[int]] = []
        self.kernels: list[ir.OpView] = []
        self.applied: list[int] = []

    def row_bytes(self, number: int) -> int:
        return (7 * number) % 5

    def pad(self, clone: ModuleOp, numbers: Sequence[int]) -> list[ir.OpView]:
        self.tried.append([*numbers])
        ops = ops_nested_in(clone)
        self.kernels = [ops[number] for number in numbers]
        return self.kernels

    def apply(self, numbers: Sequence[int]) -> None:
        self.applied.extend(numbers)


@pytest.mark.parametrize(("gain", "applied"), [(-1.0, []), (0.0, []), (1.0, [0])])
def test_padded_copies_must_save_instructions(gain: float, applied: list[int]):
    padding, budget = Choices(gain), _accepted(None) + 64
    apply_budget(_module(), PoolBudget("ws", budget), "auto", padding)
    assert padding.applied == applied and padding.tried == [[0]]


def test_copies_of_the_smallest_rows_are_tried_last(monkeypatch):
    budget, within = _accepted(None) + 64, PoolCascade.within
    padding = Choices(*[1.0] * 9)

    def without_copies(cascade: PoolCascade, limit: int) -> CascadePlan | None:
        return None if padding.tried else within(cascade, limit)

    monkeypatch.setattr(PoolCascade, "within", without_copies)
    apply_budget(_module(), PoolBudget("ws", budget), "auto", padding)
    assert padding.applied == []
    assert padding.tried == [[0, 5, 3, 8, 1, 6, 4, 2, 7], [0, 5, 3, 8], [0, 5], [0]]


def test_copies_in_loops_above_the_budget_are_left_out_first(monkeypatch):
    budget, padding = _accepted(None) + 64, Choices(*[1.0] * 4)

    def above(_: PoolCascade, __: int) -> set[int]:
        return {identity_of(padding.kernels[1])} if len(padding.tried) == 1 else set()

    monkeypatch.setattr(PoolCascade, "above", above)
    apply_budget(_module(), PoolBudget("ws", budget), "auto", padding)
    assert padding.tried == [[0, 3, 1, 2], [0, 1, 2]] and padding.applied == [0, 1, 2]


def _cascade(module) -> PoolCascade:
    return PoolCascade(module, entry_functions(module)[0], "ws", "auto")


def _plans() -> tuple[CascadePlan, ...]:
    return frontier(_cascade(_module()).search, PLANS)


def _accepted(budget: int | None) -> int:
    """Return the peak that the accepted plan of a budget has."""
    module = _module()
    _cascade(module).meet(PoolBudget("ws", budget))
    peak = take_steps(module.operation)[-1].bytes
    assert budget is None or peak <= budget
    return peak


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


def _smallest(text: str) -> int:
    module = _module(text)
    apply_budget(module, PoolBudget("ws", None), "auto")
    return pools_in(module.operation)["ws"].capacity or 0


SPILLING = "memref<1x12x4x2xi8, #memref_pool.space<[@ws, @slow]>>"
