"""Meet the budget of a pool: the model chooses segments, and trial plans confirm them.

Where a plan is within the budget, the program is tried once more with padded copies of sources, in
the same bytes. Where none is, a plan with padded copies may be. Their plans are others, so the
peaks of padded programs are in no order.
"""

from __future__ import annotations

from collections.abc import Iterator

from mlir.dialects.builtin import ModuleOp
from msgspec import structs

from forebay.cascade.search import CascadePlan
from forebay.cascade.steps import PADDED, UNLIMITED, BudgetStep
from forebay.ir.cascade.padded_plans import (
    PaddedCascade,
    PaddedCascades,
    PaddedPlan,
    PaddingChoices,
)
from forebay.ir.cascade.pool_budgets import PoolBudget, pools_of_sources
from forebay.ir.cascade.pool_cascade import PoolCascade
from forebay.ir.cascade.refusals import budget_shortage, unreadable_input
from forebay.ir.cascade.trial_plans import limit_pool, peak_of, planned_within
from forebay.ir.machine.pools import pools_in
from forebay.ir.memory.underlying_buffers import entry_functions
from forebay.ir.module import module_of
from forebay.ir.problem.problem import problem_of
from forebay.planning.contract.bounds import lower_bound
from forebay.reports.budget_attribute import add_steps


def apply_budget(
    module: ModuleOp, budget: PoolBudget, planner: str, padding: PaddingChoices | None = None
) -> None:
    """Rewrite a module so that the plan of a pool is within its budget, and set its capacity.

    With `padding`, convolutions may read padded copies of their sources.

    Raises `RefusedError` with the smallest budget that works if there is none. A capacity that rows
    do not help to meet is left to the planning pass, which names the buffers.
    """
    is_whole = not pools_of_sources(module)
    if (
        is_whole
        and budget.bytes is not None
        and peak_of(module, budget.pool, planner) <= budget.bytes
    ):
        limit_pool(module, budget.pool, budget.bytes)
        return
    for function in entry_functions(module)[:1]:
        BudgetSolver(PoolCascade(module, function, budget.pool, planner), padding).meet(budget)


class BudgetSolver:
    """Chooses a plan by rows, and rewrites the module."""

    def __init__(self, cascade: PoolCascade, padding: PaddingChoices | None = None) -> None:
        self.cascade, self.padding = cascade, padding
        self._padded = None if padding is None else PaddedCascades(cascade, padding)

    def meet(self, budget: PoolBudget) -> None:
        """Rewrite the module for a budget; raises `RefusedError`."""
        cheapest = self.cascade.search.cheapest()
        if cheapest is None:
            raise unreadable_input(self.cascade)
        if budget.bytes == UNLIMITED:
            self._accept(cheapest, self.cascade.trial(cheapest))
        elif budget.bytes is None:
            self._minimise()
        else:
            self._meet_limit(budget, budget.bytes)

    def _meet_limit(self, budget: PoolBudget, limit: int) -> None:
        found = self.cascade.within(limit)
        if found is not None:
            self._accept_one(found, self._saving(found, limit))
            self._limit(limit)
            return
        smallest = self.cascade.smallest()
        needed = self.cascade.trial(smallest)
        for padded in self._smaller(smallest):
            needed = padded.smallest().peak
            choice = padded.within(limit)
            if choice is not None:
                self._accept_padded(smallest, choice)
                self._limit(limit)
                return
        if self._spill(self.cascade.search.smallest(), limit):
            return
        whole = peak_of(self.cascade.module, self.cascade.pool, self.cascade.planner)
        needed = needed if self.cascade.search.sources else min(needed, whole)
        if needed < whole or not budget.is_capacity:
            raise budget_shortage(self.cascade, smallest, limit, needed)

    def _minimise(self) -> None:
        """Rewrite to the smallest plan, unless the program as it is needs no more bytes.

        A capacity that is below the smallest plan is a budget; raises `RefusedError`.
        """
        smallest = self.cascade.smallest()
        needed = self.cascade.trial(smallest)
        padded: PaddedPlan | None = None
        for smaller in self._smaller(smallest):
            padded = smaller.smallest()
            needed = padded.peak
        capacity = pools_in(self.cascade.module.operation)[self.cascade.pool].capacity
        limit = UNLIMITED if capacity is None else capacity
        whole = self._whole_peak(needed)
        if whole is not None:
            if whole <= min(needed, limit):
                self._limit(whole)
                return
            needed = min(needed, whole)
        if needed > limit:
            if not self._spill(smallest, limit):
                raise budget_shortage(self.cascade, smallest, limit, needed)
            return
        if padded is None:
            # Later passes may bring the plan down to the live rows, which copies must not exceed.
            padded = self._saving(smallest, min(needed, smallest.bytes))
        self._accept_one(smallest, padded)
        self._limit(needed)

    def _smaller(self, plain: CascadePlan) -> Iterator[PaddedCascade]:
        """Yield sets of copies whose smallest plans are below a plain one, one after the other.

        Later passes may bring the plain plan down to its live rows, so they are below these, too.
        """
        if self._padded is not None:
            yield from self._padded.smaller(min(self.cascade.trial(plain), plain.bytes))

    def _whole_peak(self, needed: int) -> int | None:
        """Return the peak of the program as it is; None if it is above `needed`, or no choice."""
        module, pool = self.cascade.module, self.cascade.pool
        if self.cascade.search.sources:
            return None
        if lower_bound(problem_of(module), pools_in(module.operation)[pool]).bytes > needed:
            return None
        return peak_of(module, pool, self.cascade.planner)

    def _saving(self, plain: CascadePlan, limit: int) -> PaddedPlan | None:
        """Return a plan within a limit whose copies save more than its loops add, or None."""
        return None if self._padded is None else self._padded.saving(plain, limit)

    def _spill(self, choice: CascadePlan, budget: int) -> bool:
        """Rewrite the module if buffers that may be in other pools leave room for the others.

        The plan of the rewritten program decides which of them are in another pool.
        """
        module, pool = self.cascade.module, self.cascade.pool
        clone = module_of(module.operation.clone().operation)
        self.cascade.rewrite(clone, choice)
        found = planned_within(clone, pool, budget, self.cascade.planner)
        clone.operation.erase()
        if found is None:
            return False
        spilled = [
            buffer
            for buffer in found.problem.buffers
            if buffer.pools[0] == pool != found.placements[buffer.name].pool
        ]
        others = ", ".join(
            sorted({f"'{found.placements[buffer.name].pool}'" for buffer in spilled})
        )
        size = sum(buffer.size for buffer in spilled)
        self.cascade.rewrite(module, choice)
        *steps, last = self.cascade.steps_to(choice, found.peak(pool))
        steps.append(structs.replace(last, step=f"with {size:,} bytes of tensors in {others}"))
        add_steps(module.operation, [*steps, last])
        self._limit(budget)
        return True

    def _accept_one(self, plain: CascadePlan, padded: PaddedPlan | None) -> None:
        """Rewrite the module to a padded plan if there is one, else to the plain one."""
        if padded is None:
            self._accept(plain, self.cascade.trial(plain))
        else:
            self._accept_padded(plain, padded)

    def _accept(self, choice: CascadePlan, peak: int) -> None:
        module = self.cascade.module
        self.cascade.rewrite(module, choice)
        add_steps(module.operation, self.cascade.steps_to(choice, peak))

    def _accept_padded(self, plain: CascadePlan, padded: PaddedPlan) -> None:
        assert self.padding is not None, "the plan has padded copies"
        module, choice = self.cascade.module, padded.choice
        *steps, last = self.cascade.steps_to(plain, padded.peak)
        steps.append(BudgetStep(self.cascade.pool, PADDED, choice.bytes, choice.work))
        add_steps(module.operation, [*steps, structs.replace(last, added=choice.work)])
        self.padding.apply(padded.numbers)
        self.cascade.rewrite(module, choice)

    def _limit(self, budget: int) -> None:
        limit_pool(self.cascade.module, self.cascade.pool, budget)
