"""Claims about the plans that all budgets of a pool choose from, and their peaks."""

from __future__ import annotations

from random import Random

import pytest
from common.programs.row_programs import TEXT
from mlir import ir

from forebay.cascade.frontier import frontier
from forebay.cascade.search import CascadePlan
from forebay.ir.cascade.budgets import BudgetSolver
from forebay.ir.cascade.pool_budgets import PoolBudget
from forebay.ir.cascade.pool_cascade import PLANS, PoolCascade
from forebay.ir.memory.underlying_buffers import entry_functions
from forebay.ir.module import module_of
from forebay.ir.refused import RefusedError
from forebay.reports.budget_attribute import take_steps


@pytest.fixture(autouse=True)
def context():
    with ir.Context():
        yield


def _module():
    return module_of(ir.Module.parse(TEXT))


def _cascade(module) -> PoolCascade:
    return PoolCascade(module, entry_functions(module)[0], "ws", "auto")


def _plans() -> tuple[CascadePlan, ...]:
    return frontier(_cascade(_module()).search, PLANS)


def _accepted(budget: int | None) -> int:
    """Return the peak that the accepted plan of a budget has."""
    module = _module()
    BudgetSolver(_cascade(module)).meet(PoolBudget("ws", budget))
    peak = take_steps(module.operation)[-1].bytes
    assert budget is None or peak <= budget
    return peak


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
