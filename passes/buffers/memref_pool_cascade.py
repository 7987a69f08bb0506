"""memref-pool-cascade: run operators row by row where a pool has too few bytes otherwise."""

from typing import ClassVar

from mlir import ir

from forebay.ir.cascade.pool_budgets import PoolBudget, budgets_in
from forebay.ir.module import module_of
from forebay.passes._pass import Pass, option
from forebay.support.records import record


@record
class MemrefPoolCascade(Pass):
    """Meet the budgets of pools by the order in which rows of tensors are computed.

    A chain of operators becomes one loop over ticks. Each operator computes one row in a tick, as
    soon as the rows that it reads exist, so only a few rows of each tensor between them live at a
    time. No row is computed twice, and each element is computed in the same order. A pool without a
    budget and without a capacity stays as it is, and so does a pool whose buffers fit.
    """

    name: ClassVar[str] = "memref-pool-cascade"
    dialects: ClassVar[tuple[str, ...]] = ("memref_pool", "scf", "arith", "memref")

    budget: tuple[tuple[str, str], ...] = option((), "POOL=BYTES or POOL=min")
    planner: str = option("auto", "name of the planner")

    def run(self, op: ir.Operation) -> None:
        """Rewrite the entry function, pool by pool."""
        module = module_of(op)
        given = tuple(PoolBudget.parse(pool, text) for pool, text in self.budget)
        budgets = budgets_in(module, given)
        if budgets:
            from forebay.ir.cascade.budgets import apply_budget  # noqa: PLC0415  (30 modules)

            for budget in budgets:
                apply_budget(module, budget, self.planner)
