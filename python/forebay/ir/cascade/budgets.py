"""Meet the budget of a pool: the model chooses segments, and a trial plan confirms them.

The trial plan is that of the rewritten program on a clone. Where it needs more bytes than the live
rows, the next choice has fewer of them. All budgets choose from one list of plans, in the order of
their work, and try each that may be within: so a larger budget never has a smaller peak.

Where a plan is within, the program is tried once more with padded copies of sources, in the same
bytes. Their plans are others, so the peaks of padded programs are in no order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from mlir import ir
from mlir.dialects import func
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct, structs

from forebay.cascade.frontier import frontier
from forebay.cascade.in_place import merged_in_place
from forebay.cascade.schedule import Segment
from forebay.cascade.search import CascadePlan, CascadeSearch
from forebay.cascade.search_steps import steps_to
from forebay.cascade.sources import RowSource, sources_of
from forebay.cascade.steps import PADDED, UNLIMITED, BudgetStep
from forebay.ir.cascade.pool_budgets import PoolBudget, pools_of_sources
from forebay.ir.cascade.rewrite import compute_in_place, rewrite_segments
from forebay.ir.cascade.row_graph import row_graph_of
from forebay.ir.cascade.trial_plans import limit_pool, peak_of, planned_within
from forebay.ir.identity import identity_of
from forebay.ir.locations import shortened
from forebay.ir.machine.pools import pools_in
from forebay.ir.memory.underlying_buffers import entry_functions
from forebay.ir.module import module_of
from forebay.ir.problem.problem import problem_of
from forebay.ir.refused import PoolShortageError, RefusedError
from forebay.planning.contract.bounds import lower_bound
from forebay.reports.budget_attribute import add_steps
from forebay.support.listed import listed

PLANS = 24
"""The number of plans that budgets choose from."""

_PADDED_TRIALS = 4
"""How many sets of padded copies are tried at most; each has a search of its own."""


class PaddingChoices(Protocol):
    """Kernels that may read padded copies of their sources, by number."""

    @property
    def gains(self) -> Mapping[int, float]:
        """The instructions that each saves per inference."""
        ...

    def row_bytes(self, number: int) -> int:
        """Return the bytes of a row of a copy."""
        ...

    def pad(self, clone: ModuleOp, numbers: Sequence[int]) -> Sequence[ir.OpView]:
        """Pad the sources of these kernels in a clone of the module; return the kernels."""
        ...

    def apply(self, numbers: Sequence[int]) -> None:
        """Pad the sources of these kernels in the module."""
        ...


def apply_budget(
    module: ModuleOp, budget: PoolBudget, planner: str, padding: PaddingChoices | None = None
) -> None:
    """Rewrite a module so that the plan of a pool is within its budget, and set its capacity.

    A budget that rows meet may have room for `padding`.

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
        PoolCascade(module, function, budget.pool, planner).meet(budget, padding)


class PaddedPlan(Struct, frozen=True):
    """A plan in which some kernels read padded copies, and its peak."""

    numbers: tuple[int, ...]
    choice: CascadePlan
    peak: int


class PoolCascade:
    """The choices of segments for one function and one pool."""

    def __init__(self, module: ModuleOp, function: func.FuncOp, pool: str, planner: str) -> None:
        self._module, self._name = module, function.sym_name.value
        self._pool, self._planner = pool, planner
        found = row_graph_of(module, function, pool)
        self._ops, self._unmerged = found.ops, found.graph
        self.graph, _ = merged_in_place(self._unmerged)
        self.search = CascadeSearch(self.graph, sources_of(self._unmerged))
        self._trials: dict[CascadePlan, int] = {}

    def meet(self, budget: PoolBudget, padding: PaddingChoices | None = None) -> None:
        """Rewrite the module for a budget; raises `RefusedError`."""
        cheapest = self.search.cheapest()
        if cheapest is None:
            raise self._unreadable()
        if budget.bytes == UNLIMITED:
            self._accept(cheapest, self.trial(cheapest))
            return
        if budget.bytes is None:
            self._minimise(padding)
            return
        found = self.within(budget.bytes)
        if found is not None:
            padded = self._padded(found, budget.bytes, padding)
            self._accept_one(found, padded, padding)
            limit_pool(self._module, self._pool, budget.bytes)
            return
        if self._spill(self.search.smallest(), budget.bytes):
            return
        whole = peak_of(self._module, self._pool, self._planner)
        smallest = self._smallest()
        needed = self.trial(smallest)
        needed = needed if self.search.sources else min(needed, whole)
        if needed < whole or not budget.is_capacity:
            raise self._refusal(smallest, budget.bytes, needed)

    def _spill(self, choice: CascadePlan, budget: int) -> bool:
        """Rewrite the module if buffers that may be in other pools leave room for the others.

        The plan of the rewritten program decides which of them are in another pool.
        """
        clone = module_of(self._module.operation.clone().operation)
        self._rewrite(clone, choice)
        found = planned_within(problem_of(clone), self._pool, budget, self._planner)
        clone.operation.erase()
        if found is None:
            return False
        spilled = [
            buffer
            for buffer in found.problem.buffers
            if buffer.pools[0] == self._pool != found.placements[buffer.name].pool
        ]
        others = ", ".join(
            sorted({f"'{found.placements[buffer.name].pool}'" for buffer in spilled})
        )
        peak, size = found.peak(self._pool), sum(buffer.size for buffer in spilled)
        self._rewrite(self._module, choice)
        *steps, last = steps_to(self._pool, self._unmerged, self.search, choice, peak)
        steps.append(structs.replace(last, step=f"with {size:,} bytes of tensors in {others}"))
        add_steps(self._module.operation, [*steps, last])
        limit_pool(self._module, self._pool, budget)
        return True

    def trial(self, choice: CascadePlan) -> int:
        """Return the peak of the plan of a rewritten clone."""
        if choice not in self._trials:
            clone = module_of(self._module.operation.clone().operation)
            self._rewrite(clone, choice)
            self._trials[choice] = peak_of(clone, self._pool, self._planner)
            clone.operation.erase()
        return self._trials[choice]

    def within(self, budget: int) -> CascadePlan | None:
        """Return the plan of the least work whose peak is within a budget, or None.

        It is one of the plans that all budgets choose from.
        """
        return next((own for own in self._choices(budget) if self.trial(own) <= budget), None)

    def names_at_peak(self, choice: CascadePlan) -> tuple[str, ...]:
        """Return the operator at the peak, then the others of its loop."""
        worst = max(choice.segments, key=lambda segment: self.search.peak(segment).bytes)
        numbers = range(worst.start, worst.stop)
        peak = self.search.peak(worst).operator
        ordered = sorted(numbers, key=lambda number: (number != peak, number))
        return tuple(self.graph.operators[number].name for number in ordered)

    def _minimise(self, padding: PaddingChoices | None) -> None:
        """Rewrite to the smallest plan, unless the program as it is needs no more bytes."""
        smallest = self._smallest()
        needed = self.trial(smallest)
        pool = pools_in(self._module.operation)[self._pool]
        is_whole = not self.search.sources
        if is_whole and lower_bound(problem_of(self._module), pool).bytes <= needed:
            whole = peak_of(self._module, self._pool, self._planner)
            if whole <= needed:
                limit_pool(self._module, self._pool, whole)
                return
        # Later passes may bring the plan down to the live rows, so copies must not be above these.
        padded = self._padded(smallest, min(needed, smallest.bytes), padding)
        self._accept_one(smallest, padded, padding)
        limit_pool(self._module, self._pool, needed)

    def _smallest(self) -> CascadePlan:
        """Return the plan of the smallest peak, and of the least work among those.

        It is one with the fewest live bytes, unless the planner needs more bytes than these.
        """
        smallest = self.search.smallest()
        if self.trial(smallest) > smallest.bytes:
            for choice in reversed(frontier(self.search, PLANS)):
                if self._may_be_within(choice, self.trial(smallest)):
                    smallest = min(choice, smallest, key=self.trial)
        return smallest

    def _accept(self, choice: CascadePlan, peak: int) -> None:
        self._rewrite(self._module, choice)
        steps = steps_to(self._pool, self._unmerged, self.search, choice, peak)
        add_steps(self._module.operation, steps)

    def _accept_one(
        self, choice: CascadePlan, padded: PaddedPlan | None, padding: PaddingChoices | None
    ) -> None:
        """Rewrite the module to a padded plan if there is one, else to the plan of the choice."""
        if padded is None or padding is None:
            self._accept(choice, self.trial(choice))
        else:
            self._accept_padded(choice, padded, padding)

    def _padded(
        self, plain: CascadePlan, budget: int, padding: PaddingChoices | None
    ) -> PaddedPlan | None:
        """Return a plan with padded copies that adds less work than they save, or None.

        Where the copies of all kernels are too many, those in loops that are above the budget are
        left out; if no others are left, those with the largest rows.
        """
        if padding is None:
            return None
        numbers = sorted(padding.gains, key=padding.row_bytes)
        for _ in range(_PADDED_TRIALS):
            if not numbers:
                break
            clone = module_of(self._module.operation.clone().operation)
            kernels = padding.pad(clone, numbers)
            (function,) = (f for f in entry_functions(clone) if f.sym_name.value == self._name)
            cascade = PoolCascade(clone, function, self._pool, self._planner)
            above = cascade.above(budget)
            choice = None if above else cascade.within(budget)
            if choice is not None:
                saved = sum(padding.gains[number] for number in numbers)
                found = PaddedPlan(tuple(numbers), choice, cascade.trial(choice))
                return found if choice.work - saved < plain.work else None
            pairs = zip(numbers, kernels, strict=True)
            others = [n for n, kernel in pairs if above and identity_of(kernel) not in above]
            numbers = others or numbers[: len(numbers) // 2]
        return None

    def above(self, budget: int) -> set[int]:
        """Return the ops in loops that are above a budget in the plan of the fewest live bytes."""
        return {
            identity_of(self._ops[number].op)
            for segment in self.search.smallest().segments
            if self.search.peak(segment).bytes > budget
            for number in range(segment.start, segment.stop)
        }

    def _accept_padded(
        self, plain: CascadePlan, padded: PaddedPlan, padding: PaddingChoices
    ) -> None:
        *steps, last = steps_to(self._pool, self._unmerged, self.search, plain, padded.peak)
        choice = padded.choice
        steps.append(BudgetStep(self._pool, PADDED, choice.bytes, choice.work))
        add_steps(self._module.operation, [*steps, structs.replace(last, added=choice.work)])
        padding.apply(padded.numbers)
        self._rewrite(self._module, padded.choice)

    def _choices(self, budget: int) -> Iterator[CascadePlan]:
        """Yield plans of fewer and fewer live bytes and more work, down to the fewest.

        A plan may need fewer bytes than its live rows, as those that no window reads die at once.
        """
        *others, smallest = frontier(self.search, PLANS)
        for choice in others:
            if self._may_be_within(choice, budget):
                yield choice
        yield smallest

    def _may_be_within(self, choice: CascadePlan, budget: int) -> bool:
        """Return whether a plan may have so small a peak.

        The live bytes of an operator that stays out of loops may be too many: it may let go of its
        operands before it makes its results.
        """
        least = (self.search.peak(s).bytes for s in choice.segments if not self._is_fixed(s))
        return max(least, default=0) <= budget

    def _is_fixed(self, segment: Segment) -> bool:
        return self.graph.operators[segment.start].is_fixed

    def _rewrite(self, module: ModuleOp, choice: CascadePlan) -> None:
        (function,) = (f for f in entry_functions(module) if f.sym_name.value == self._name)
        found = row_graph_of(module, function, self._pool)
        rewrite_segments(compute_in_place(found), choice.segments, self._pool)

    def _unreadable(self) -> RefusedError:
        """Return the refusal of the first input whose rows are all needed at once."""
        return next(filter(None, map(self._reason, self.search.sources)), None) or RefusedError(
            self._module.operation.location,
            "no loop reads all inputs row by row: the operators between their readers do not "
            "compute rows; leave out one --input-rows",
        )

    def _reason(self, source: RowSource) -> RefusedError | None:
        """Return why no loop over rows reads an input, if its own operators are the reason."""
        start, stop = source.operator, max(source.readers) + 1
        outer = self.search.loop(start, stop)
        if outer is not None and source.is_streamed(outer):
            return None
        names = [shortened(op.name) for op in self.graph.operators]
        between = [n for n in range(start, stop) if self.graph.operators[n].is_fixed]
        worst = between[0] if between else source.whole_reader()
        (function,) = (f for f in entry_functions(self._module) if f.sym_name.value == self._name)
        op = row_graph_of(self._module, function, self._pool).ops[worst].op
        does = "does not compute rows" if between else f"needs all {source.rows} rows at once"
        return RefusedError(
            op.location,
            f"input '{names[source.operator]}' cannot be handed in row by "
            f"row: '{names[worst]}' {does}; leave out --input-rows for it",
        )

    def _refusal(self, smallest: CascadePlan, budget: int, needed: int) -> PoolShortageError:
        worst = max(smallest.segments, key=lambda segment: self.search.peak(segment).bytes)
        (function,) = (f for f in entry_functions(self._module) if f.sym_name.value == self._name)
        ops = row_graph_of(self._module, function, self._pool).ops
        names = listed([shortened(name) for name in self.names_at_peak(smallest)])
        return PoolShortageError(
            ops[self.search.peak(worst).operator].op.location,
            f"pool '{self._pool}' cannot hold this program in {budget:,} bytes; "
            f"the smallest budget that works is {needed:,}, set by {names}",
        )
