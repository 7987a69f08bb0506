"""Claims about the steps to budgets in the IR."""

from __future__ import annotations

from mlir import ir

from forebay.cascade.steps import BudgetStep
from forebay.reports.budget_attribute import BUDGET_STEPS, add_steps, take_steps


def test_steps_of_several_pools_are_kept_in_order():
    first = (BudgetStep("a", "whole tensors", 4096, 0), BudgetStep("a", "plan", 100, 7))
    second = (BudgetStep("b", "plan", 64, 0),)
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.create().operation
        assert take_steps(module) == ()
        add_steps(module, first)
        add_steps(module, second)
        assert take_steps(module) == (*first, *second)
        assert BUDGET_STEPS not in module.attributes
