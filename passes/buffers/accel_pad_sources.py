"""accel-pad-sources: give convolutions padded copies of their sources where that costs less."""

from collections.abc import Mapping
from typing import ClassVar

from mlir import ir
from mlir.dialects.builtin import ModuleOp

from forebay.cpus import schedule_of
from forebay.ir.cascade.pool_budgets import PoolBudget, budgets_in
from forebay.ir.module import module_of
from forebay.lowering.padding.choice import pad_within_plan
from forebay.passes._pass import Pass, option
from forebay.support.records import record


@record
class AccelPadSources(Pass):
    """Copy the source of a convolution with its padding, so that its kernel has no borders.

    The padded copy is a buffer in a pool. Its borders have the zero point, which becomes part of
    the bias where the constants are known. So all windows are inside, and the kernel has one loop
    nest instead of one for each kind of border.

    A source is copied only where the kernel then takes fewer instructions by the model that chooses
    its schedule, those that make the copy included. The plan gets no more bytes in any pool, except
    in one with a budget, and no other buffer gets into another pool. Where the whole copy does not
    fit, strips of its rows are tried, which the kernel reads in a loop.
    """

    name: ClassVar[str] = "accel-pad-sources"
    dialects: ClassVar[tuple[str, ...]] = ("arith", "linalg", "memref", "memref_pool", "scf")
    needs: ClassVar[tuple[str, ...]] = ("accel.reduce",)

    cpu: str = option("generic", "the processor that runs the kernels")
    budget: tuple[tuple[str, str], ...] = option((), "POOL=BYTES: copies may take so many; or min")
    planner: str = option("auto", "name of the planner of the trial plans")

    def run(self, op: ir.Operation) -> None:
        """Pad the sources of kernels in the entry functions."""
        module = module_of(op)
        pad_within_plan(module, schedule_of(self.cpu), self._budgets(module), self.planner)

    def _budgets(self, module: ModuleOp) -> Mapping[str, int]:
        """Return the bytes of the pools that have a budget in bytes."""
        if not self.budget:
            return {}
        given = tuple(PoolBudget.parse(pool, text) for pool, text in self.budget)
        budgets = (budget for budget in budgets_in(module, given) if not budget.is_capacity)
        return {budget.pool: budget.bytes for budget in budgets if budget.bytes is not None}
