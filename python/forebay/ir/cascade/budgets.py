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
from forebay.ir.cascade.padding_trial import PaddingTrial
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
    if is_whole and budget.bytes is not None and _is_met(module, budget, planner, padding):
        limit_pool(module, budget.pool, budget.bytes)
        return
    for function in entry_functions(module)[:1]:
        BudgetSolver(PoolCascade(module, function, budget.pool, planner), padding).meet(budget)


def _is_met(
    module: ModuleOp, budget: PoolBudget, planner: str, padding: PaddingChoices | None
) -> bool:
    """Return whether whole tensors are within a budget, for which sources may be padded."""
    assert budget.bytes is not None, "a smallest plan is no limit"
    peak = peak_of(module, budget.pool, planner)
    if peak <= budget.bytes:
        return True
    trial = None if padding is None else PaddingTrial(padding, budget.pool, planner)
    if trial is None or trial.least(peak) > budget.bytes or trial.peak(module) > budget.bytes:
        return False
    trial.pad(module)
    return True


class BudgetSolver:
    """Chooses a plan by rows, and rewrites the module."""

    def __init__(self, cascade: PoolCascade, padding: PaddingChoices | None = None) -> None:
        self.cascade, self.padding = cascade, padding
        self._padded = None if padding is None else PaddedCascades(cascade, padding)
        self._trial = (
            None if padding is None else PaddingTrial(padding, cascade.pool, cascade.planner)
        )

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
        is_helped = needed < self._whole_peak(UNLIMITED)
        if is_helped or not budget.is_capacity:
            self._meet_with_strips(smallest, needed, limit)

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
        kept = self._accept_whole(needed, limit)
        if kept is not None:
            self._limit(kept)
            return
        if needed > limit:
            if self._spill(smallest, limit):
                return
            self._meet_with_strips(smallest, needed, limit)
            return
        if padded is None:
            # Later passes may bring the plan down to the live rows, which copies must not exceed.
            padded = self._saving(smallest, min(needed, smallest.bytes))
        self._accept_one(smallest, padded)
        self._limit(needed)

    def _smaller(self, plain: CascadePlan) -> Iterator[PaddedCascade]:
        """Yield sets of copies whose smallest plans are below a plain one, one after the other.

        Later passes may bring the plain plan down to its live rows, so they are not above these.
        """
        if self._padded is not None:
            yield from self._padded.smaller(min(self.cascade.trial(plain), plain.bytes + 1))

    def _accept_whole(self, needed: int, limit: int) -> int | None:
        """Keep tensors whole if they need no more bytes than rows, which need `needed` bytes.

        Return their peak; None if it is above that of rows or above the limit. Sources are padded
        where the peak is below that of rows only then.
        """
        whole = self._whole_peak(needed)
        if whole <= min(needed, limit):
            return whole
        padded = self._padded_peak(needed)
        if self._trial is None or padded >= min(needed, limit + 1):
            return None
        self._trial.pad(self.cascade.module)
        return padded

    def _whole_peak(self, most: int) -> int:
        """Return the peak of the program as it is, or `UNLIMITED` if it is above `most` bytes.

        Inputs that the application hands in need rows.
        """
        module, pool = self.cascade.module, self.cascade.pool
        if self.cascade.search.sources or self._bound() > most:
            return UNLIMITED
        return peak_of(module, pool, self.cascade.planner)

    def _padded_peak(self, most: int) -> int:
        """Return the peak with padded sources, or `UNLIMITED` if it is above `most` bytes."""
        if self._trial is None or self.cascade.search.sources:
            return UNLIMITED
        if self._trial.least(self._bound()) > most:
            return UNLIMITED
        return self._trial.peak(self.cascade.module)

    def _bound(self) -> int:
        """Return a lower bound of the peak of the program as it is."""
        module = self.cascade.module
        return lower_bound(problem_of(module), pools_in(module.operation)[self.cascade.pool]).bytes

    def _peak_with_strips(self, choice: CascadePlan) -> int:
        """Return the peak of a plan if sources are padded afterwards where that takes no bytes."""
        peak = self.cascade.trial(choice)
        if self._trial is None:
            return peak
        clone = module_of(self.cascade.module.operation.clone().operation)
        self.cascade.rewrite(clone, choice)
        self._trial.pad(clone)
        padded = peak_of(clone, self.cascade.pool, self.cascade.planner)
        clone.operation.erase()
        return min(peak, padded)

    def _meet_with_strips(self, choice: CascadePlan, needed: int, limit: int) -> None:
        """Accept a plan if it is within a limit with strips of padded sources, or raise.

        `needed` bytes are enough with other plans; the refusal has the fewest of all.
        """
        peak = self._peak_with_strips(choice)
        if self._trial is None or peak > limit:
            least = min(needed, peak, self._whole_peak(needed), self._padded_peak(needed))
            raise budget_shortage(self.cascade, choice, limit, least)
        self._accept(choice, peak)
        self._trial.pad(self.cascade.module)
        self._limit(limit)

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
