"""The last step of a pool is the plan, with its peak."""

from pathlib import Path

import pytest

import forebay
from forebay import targets
from forebay.cascade.steps import CASCADE, PLAN, BudgetStep, with_peaks

DIGITS = Path(__file__).parents[3] / "examples" / "digits" / "digits_int8.tflite"


def test_only_the_plan_gets_the_peak_of_its_pool() -> None:
    steps = [BudgetStep(pool, step, 10, 1) for pool in ("a", "b") for step in (CASCADE, PLAN)]
    found = with_peaks(steps, {"a": 12})
    assert [step.bytes for step in found] == [10, 12, 10, 10]


@pytest.mark.parametrize("budget", [{"sram": "24K", "dtcm": "min"}, {"dtcm": "2K"}])
def test_the_plan_of_two_pools_has_the_peak_that_is_reported(budget: dict[str, str]) -> None:
    """The search has a trial plan, before buffers are in the pools of the final one."""
    host = targets.text_of_options("cpu", {"workspace": "dtcm,sram", "constant": None}, {})
    made = forebay.compile(DIGITS, target=host, budget=budget)
    plans = {step.pool: step.bytes for step in made.plan.steps if step.step == PLAN}
    assert plans and plans == {pool: made.plan.peak(pool) for pool in plans}
