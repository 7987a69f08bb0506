"""The plans by rows of one function for one pool, with their peaks in trial plans.

The trial plan is that of the rewritten program on a clone. Where it needs more bytes than the live
rows, the next choice has fewer of them. All budgets choose from one list of plans, in the order of
their work, and try each that may be within: so a larger budget never has a smaller peak.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mlir.dialects import func
from mlir.dialects.builtin import ModuleOp

from forebay.cascade.frontier import frontier
from forebay.cascade.in_place import merged_in_place
from forebay.cascade.schedule import Segment
from forebay.cascade.search import CascadePlan, CascadeSearch
from forebay.cascade.search_steps import steps_to
from forebay.cascade.sources import sources_of
from forebay.cascade.steps import BudgetStep
from forebay.ir.cascade.rewrite import compute_in_place, rewrite_segments
from forebay.ir.cascade.row_graph import pools_ahead, row_graph_of
from forebay.ir.cascade.trial_plans import peak_of
from forebay.ir.identity import identity_of
from forebay.ir.machine.pools import candidates_of, pools_in
from forebay.ir.memory.underlying import Base
from forebay.ir.memory.underlying_buffers import entry_functions
from forebay.ir.module import module_of

PLANS = 24
"""The number of plans that budgets choose from."""


class PoolCascade:
    """The choices of segments for one function and one pool."""

    def __init__(self, module: ModuleOp, function: func.FuncOp, pool: str, planner: str) -> None:
        self.module, self.pool, self.planner = module, pool, planner
        self._name = function.sym_name.value
        found = row_graph_of(module, function, pool)
        self.ops, self._unmerged = found.ops, found.graph
        self.graph, _ = merged_in_place(self._unmerged)
        self.search = CascadeSearch(self.graph, sources_of(self._unmerged))
        self._bytes_ahead = _bytes_ahead(module, pool, found.bases)
        self._trials: dict[CascadePlan, int] = {}

    def of_clone(self, clone: ModuleOp) -> PoolCascade:
        """Return the choices for the same function and pool of a clone of the module."""
        return PoolCascade(clone, self._function_in(clone), self.pool, self.planner)

    def trial(self, choice: CascadePlan) -> int:
        """Return the peak of the plan of a rewritten clone."""
        if choice not in self._trials:
            clone = module_of(self.module.operation.clone().operation)
            self.rewrite(clone, choice)
            self._trials[choice] = peak_of(clone, self.pool, self.planner)
            clone.operation.erase()
        return self._trials[choice]

    def within(self, budget: int) -> CascadePlan | None:
        """Return the plan of the least work whose peak is within a budget, or None.

        It is one of the plans that all budgets choose from.
        """
        choices = self._choices(budget)
        return next((choice for choice in choices if self.trial(choice) <= budget), None)

    def smallest(self) -> CascadePlan:
        """Return the plan of the smallest peak, and of the least work among those.

        It is one with the fewest live bytes, unless the planner needs more bytes than these.
        """
        smallest = self.search.smallest()
        if self.trial(smallest) > smallest.bytes:
            for choice in reversed(frontier(self.search, PLANS)):
                if self._may_be_within(choice, self.trial(smallest)):
                    smallest = min(choice, smallest, key=self.trial)
        return smallest

    def above(self, budget: int) -> set[int]:
        """Return the ops in loops that are above a budget in the plan of the fewest live bytes."""
        return {
            identity_of(self.ops[number].op)
            for segment in self.search.smallest().segments
            if self.search.peak(segment).bytes > budget + self._bytes_ahead
            for number in range(segment.start, segment.stop)
        }

    def after_sources(self) -> set[int]:
        """Return the ops that read an input that the application hands in, or what these write."""
        found: set[int] = set()
        for source in self.search.sources:
            for reader in source.readers:
                written = [access.tensor for access in self._unmerged.operators[reader].writes]
                numbers = {reader, *(n for t in written for n in self._unmerged.readers[t])}
                found |= {identity_of(self.ops[number].op) for number in numbers}
        return found

    def names_at_peak(self, choice: CascadePlan) -> tuple[str, ...]:
        """Return the operator at the peak, then the others of its loop."""
        largest = self.segment_at_peak(choice)
        peak = self.search.peak(largest).operator
        numbers = range(largest.start, largest.stop)
        ordered = sorted(numbers, key=lambda number: (number != peak, number))
        return tuple(self.graph.operators[number].name for number in ordered)

    def segment_at_peak(self, choice: CascadePlan) -> Segment:
        """Return the first segment with the most live bytes."""
        return max(choice.segments, key=lambda segment: self.search.peak(segment).bytes)

    def steps_to(self, choice: CascadePlan, peak: int) -> tuple[BudgetStep, ...]:
        """Return the steps from whole tensors to a plan with this peak."""
        return steps_to(self.pool, self._unmerged, self.search, choice, peak)

    def rewrite(self, module: ModuleOp, choice: CascadePlan) -> None:
        """Rewrite the function in the module, or in a clone of it."""
        found = row_graph_of(module, self._function_in(module), self.pool)
        rewrite_segments(compute_in_place(found), choice.segments, self.pool)

    def _function_in(self, module: ModuleOp) -> func.FuncOp:
        (function,) = (f for f in entry_functions(module) if f.sym_name.value == self._name)
        return function

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
        return max(least, default=0) <= budget + self._bytes_ahead

    def _is_fixed(self, segment: Segment) -> bool:
        return self.graph.operators[segment.start].is_fixed


def _bytes_ahead(module: ModuleOp, pool: str, bases: Sequence[Base]) -> int:
    """Return the bytes of the pools that tensors of the graph prefer to a pool.

    So many of the live bytes of a plan may be there.
    """
    pools, found = pools_in(module.operation), set[str]()
    for base in bases:
        if not isinstance(base, str):
            found.update(pools_ahead(candidates_of(base.type), pool, pools) or ())
    return sum(pools[name].capacity or 0 for name in found)
