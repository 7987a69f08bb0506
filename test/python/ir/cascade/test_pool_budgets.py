"""Which workspaces have a budget, and the texts of budgets."""

from __future__ import annotations

import pytest
from common.programs.row_programs import TEXT
from mlir import ir

from forebay.ir.cascade.pool_budgets import BudgetError, PoolBudget, budgets_in
from forebay.ir.module import module_of
from forebay.ir.refused import RefusedError


@pytest.fixture(autouse=True)
def context():
    with ir.Context():
        yield


def _module(text: str = TEXT):
    return module_of(ir.Module.parse(text))


def test_texts_of_budgets():
    assert PoolBudget.parse("ws", "2K") == PoolBudget("ws", 2048)
    assert PoolBudget.parse("ws", " Min ") == PoolBudget("ws", None)
    with pytest.raises(BudgetError, match=r"pool 'ws'.*or min"):
        PoolBudget.parse("ws", "2 KB")


@pytest.mark.parametrize(
    ("pool", "given", "found"),
    [
        ("workspace", (), ()),
        ("workspace capacity 4096", (), ()),
        ("workspace capacity 100", (), (PoolBudget("ws", 100, is_capacity=True),)),
        ("workspace", (PoolBudget("*", 90),), (PoolBudget("ws", 90),)),
        ("workspace capacity 80", (PoolBudget("ws", 90),), (PoolBudget("ws", 80),)),
        (
            "workspace capacity 80",
            (PoolBudget("*", 90), PoolBudget("ws", None)),
            (PoolBudget("ws", None),),
        ),
    ],
)
def test_a_capacity_is_a_budget_where_it_is_too_small(pool, given, found):
    assert budgets_in(_module(TEXT.replace("@ws workspace", f"@ws {pool}")), given) == found


def test_a_pool_of_another_kind_has_no_budget():
    with pytest.raises(RefusedError, match="workspaces: 'ws'"):
        budgets_in(_module(), [PoolBudget("rom", 1)])


def test_a_pool_has_one_budget():
    with pytest.raises(RefusedError, match="pool 'ws' has two budgets; give one"):
        budgets_in(_module(), [PoolBudget("ws", 90), PoolBudget("*", 1), PoolBudget("ws", 80)])
