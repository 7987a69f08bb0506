"""Plans by rows in which convolutions read padded copies of their sources.

Only the padded rows of a window are live, and a row of the source dies with its copy. So a plan
with copies can also have a smaller peak than all plans without them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from mlir import ir
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct

from forebay.cascade.search import CascadePlan
from forebay.ir.cascade.pool_cascade import PoolCascade
from forebay.ir.identity import identity_of
from forebay.ir.module import module_of

_TRIALS = 4
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

    def pad_within_plan(self, module: ModuleOp, planner: str) -> None:
        """Pad sources in a module, or in a clone of it, where its plan then has no more bytes."""
        ...


class PaddedPlan(Struct, frozen=True):
    """A plan in which some kernels read padded copies, and its peak."""

    numbers: tuple[int, ...]
    choice: CascadePlan
    peak: int


class PaddedCascade(Struct, frozen=True, eq=False):
    """The plans with one set of padded copies, given by the numbers of the kernels."""

    numbers: tuple[int, ...]
    kernels: tuple[ir.OpView, ...]
    cascade: PoolCascade

    def within(self, budget: int) -> PaddedPlan | None:
        """Return the plan of the least work whose peak is within a budget, or None."""
        choice = self.cascade.within(budget)
        return None if choice is None else self._plan_of(choice)

    def smallest(self) -> PaddedPlan:
        """Return the plan of the smallest peak."""
        return self._plan_of(self.cascade.smallest())

    def _plan_of(self, choice: CascadePlan) -> PaddedPlan:
        return PaddedPlan(self.numbers, choice, self.cascade.trial(choice))


class PaddedCascades:
    """The plans of a cascade with padded copies; each set of copies is searched once."""

    def __init__(self, plain: PoolCascade, padding: PaddingChoices) -> None:
        self._plain, self._padding = plain, padding
        self._known: dict[tuple[int, ...], PaddedCascade] = {}

    def saving(self, plain: CascadePlan, budget: int) -> PaddedPlan | None:
        """Return a plan within a budget whose copies save more than its loops add, or None.

        The work that loops add is compared with that of `plain`, a plan without copies.
        """
        found = self._first_within(budget)
        plan = None if found is None else found.within(budget)
        if plan is None:
            return None
        saved = sum(self._padding.gains[number] for number in plan.numbers)
        return plan if plan.choice.work - saved < plain.work else None

    def smaller(self, needed: int) -> Iterator[PaddedCascade]:
        """Yield sets of copies whose smallest peak is below `needed`, each below the one before.

        They do not depend on a budget, so all budgets agree on the smallest peak.
        """
        while (found := self._first_within(needed - 1)) is not None:
            peak = found.smallest().peak
            if peak >= needed:  # a plan of more live rows has it, which `smallest` does not try
                return
            yield found
            needed = peak

    def _first_within(self, budget: int) -> PaddedCascade | None:
        """Return the first set of copies with a plan within a budget, or None."""
        trials = self._trials(budget)
        return next((found for found in trials if found.within(budget) is not None), None)

    def _trials(self, budget: int) -> Iterator[PaddedCascade]:
        """Yield sets of copies whose live rows are within a budget, the largest set first.

        Where the copies of all kernels are too many, those in loops that are above the budget are
        left out; if no others are left, those with the largest rows. Where no loop can read an
        input row by row, those of the input are left out: a copy may have other rows than it.
        """
        numbers = tuple(sorted(self._padding.gains, key=self._padding.row_bytes))
        for _ in range(_TRIALS):
            if not numbers:
                return
            padded = self._cascade_with(numbers)
            is_readable = padded.cascade.search.cheapest() is not None
            above = padded.cascade.above(budget) if is_readable else padded.cascade.after_sources()
            if not above:
                yield padded
            pairs = zip(numbers, padded.kernels, strict=True)
            others = tuple(n for n, kernel in pairs if above and identity_of(kernel) not in above)
            numbers = others or numbers[: len(numbers) // 2]

    def _cascade_with(self, numbers: tuple[int, ...]) -> PaddedCascade:
        if numbers not in self._known:
            clone = module_of(self._plain.module.operation.clone().operation)
            kernels = tuple(self._padding.pad(clone, numbers))
            self._known[numbers] = PaddedCascade(numbers, kernels, self._plain.of_clone(clone))
        return self._known[numbers]
