"""memref-pool-cascade: run operators row by row where a pool has too few bytes otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from mlir import ir

from forebay.cascade.steps import UNLIMITED
from forebay.ir.cascade.pool_budgets import PoolBudget, budgets_in
from forebay.ir.module import module_of
from forebay.passes._pass import Pass, option
from forebay.support.records import record

if TYPE_CHECKING:
    from mlir.dialects.builtin import ModuleOp

    from forebay.lowering.padding.row_padding import RowPadding


@record
class MemrefPoolCascade(Pass):
    """Meet the budgets of pools by the order in which rows of tensors are computed.

    A chain of operators becomes one loop over ticks. Each operator computes one row in a tick, as
    soon as the rows that it reads exist, so only a few rows of each tensor between them live at a
    time. No row is computed twice, and each element is computed in the same order. A pool without a
    budget and without a capacity stays as it is, and so does a pool whose buffers fit.

    With `cpu`, convolutions read padded copies of their sources, also row by row, where a budget
    has room for them and the code takes fewer instructions on that processor.
    """

    name: ClassVar[str] = "memref-pool-cascade"
    dialects: ClassVar[tuple[str, ...]] = ("memref_pool", "scf", "arith", "memref")

    budget: tuple[tuple[str, str], ...] = option((), "POOL=BYTES or POOL=min")
    planner: str = option("auto", "name of the planner")
    cpu: str = option("", "the processor that padded copies pay for; none without it")

    def run(self, op: ir.Operation) -> None:
        """Rewrite the entry function, pool by pool."""
        module = module_of(op)
        given = tuple(PoolBudget.parse(pool, text) for pool, text in self.budget)
        budgets = budgets_in(module, given)
        if budgets:
            from forebay.ir.cascade.budgets import apply_budget  # noqa: PLC0415  (30 modules)

            for budget in budgets:
                apply_budget(module, budget, self.planner, self._padding(module, budget))

    def _padding(self, module: ModuleOp, budget: PoolBudget) -> RowPadding | None:
        """Return the kernels that may read padded copies."""
        if not self.cpu or budget.bytes == UNLIMITED:
            return None
        from forebay.cpus import schedule_of  # noqa: PLC0415
        from forebay.lowering.padding.row_padding import RowPadding  # noqa: PLC0415

        return RowPadding(module, schedule_of(self.cpu), budget.pool)
