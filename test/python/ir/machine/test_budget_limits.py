"""A budget is the capacity of a pool, and the bytes of its memory stay known."""

from __future__ import annotations

import pytest
from mlir import ir

from forebay.ir.machine.budget_limits import limit_to_budget, memories_in
from forebay.ir.machine.pools import pool_ops, pools_in


@pytest.mark.parametrize(("declared", "memory"), [("", None), ("capacity 65536", 65536)])
def test_the_memory_of_a_pool_is_known_behind_its_budget(declared: str, memory: int | None) -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(f"memref_pool.pool @ws workspace {declared}").operation
        assert memories_in(module)["ws"].capacity == memory
        for budget in (4096, 2048):
            limit_to_budget(pool_ops(module)[0], budget)
            assert pools_in(module)["ws"].capacity == budget
            assert memories_in(module)["ws"].capacity == memory
        assert module.verify()
