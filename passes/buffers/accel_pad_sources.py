"""accel-pad-sources: give convolutions padded copies of their sources where that costs less."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from mlir import ir
from mlir.dialects.builtin import ModuleOp

from forebay.cpus import schedule_of
from forebay.ir.cascade.pool_budgets import PoolBudget, budgets_in
from forebay.ir.module import module_of
from forebay.lowering.padding.candidates import (
    PaddedSource,
    PaddingCandidates,
    kernels_in,
)
from forebay.lowering.padding.fitting import PaddedCopy, PaddingLimits
from forebay.lowering.padding.strips import Strips
from forebay.passes._pass import Pass, option
from forebay.support.records import record

_STRIPS = ((4, False), (1, False), (4, True))
"""The strips that are tried, one after the other: the least rows of the result that each is for,
and whether each row of the source has a lifetime of its own, with which the check of the plan takes
longer.
"""


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
        candidates = PaddingCandidates(module, schedule_of(self.cpu))
        if not candidates.choices:
            return
        limits = PaddingLimits(module, self._budgets(module), self.planner)
        chosen = _whole_copies(module, candidates, limits)
        tried: set[tuple[int, Strips | None]] = set()
        for least, has_row_lifetimes in _STRIPS:
            others = [number for number in candidates.choices if number not in chosen]
            strips = candidates.in_strips(others, least, has_row_lifetimes=has_row_lifetimes)
            new = {n: strip for n, strip in strips.items() if (n, strip.strips) not in tried}
            tried |= {(number, source.strips) for number, source in new.items()}
            chosen |= _fitting_strips(candidates, chosen, new, limits)
        candidates.apply(chosen)

    def _budgets(self, module: ModuleOp) -> Mapping[str, int]:
        """Return the bytes of the pools that have a budget in bytes."""
        if not self.budget:
            return {}
        given = tuple(PoolBudget.parse(pool, text) for pool, text in self.budget)
        budgets = (budget for budget in budgets_in(module, given) if not budget.is_capacity)
        return {budget.pool: budget.bytes for budget in budgets if budget.bytes is not None}


def _whole_copies(
    module: ModuleOp, candidates: PaddingCandidates, limits: PaddingLimits
) -> dict[int, PaddedSource]:
    """Return the copies that fit as a whole, by the number of their kernel."""
    kernels, choices = kernels_in(module), candidates.choices

    def fitting(sources: Mapping[int, PaddedSource]) -> dict[int, PaddedSource]:
        copies = [
            PaddedCopy(kernels[number], number, source.bytes_for(kernels[number]), source.pools)
            for number, source in sources.items()
        ]

        def pad(clone: ModuleOp, numbers: Sequence[int]) -> None:
            candidates.pad(clone, {number: sources[number] for number in numbers})

        return {number: sources[number] for number in limits.fitting(copies, pad)}

    best = {number: choice[0] for number, choice in choices.items()}
    chosen = fitting(best)
    # Where the best copy does not fit, a smaller one may.
    left_out = {n: choice for n, choice in choices.items() if n not in chosen and len(choice) > 1}
    if left_out:
        also = fitting(best | {n: min(sources, key=_elements) for n, sources in left_out.items()})
        if {*also} > {*chosen}:
            return also
    return chosen


def _fitting_strips(
    candidates: PaddingCandidates,
    chosen: Mapping[int, PaddedSource],
    strips: Mapping[int, PaddedSource],
    limits: PaddingLimits,
) -> dict[int, PaddedSource]:
    """Return the strips that fit beside the chosen copies, those that save most before others."""

    def pad(clone: ModuleOp, numbers: Sequence[int]) -> None:
        candidates.pad(clone, {**chosen, **{number: strips[number] for number in numbers}})

    most_gain = sorted(strips, key=lambda number: -strips[number].gain)
    return {number: strips[number] for number in limits.longest_prefix(most_gain, pad)}


def _elements(source: PaddedSource) -> int:
    return source.elements
