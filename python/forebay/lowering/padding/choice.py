"""The choice of padded copies: whole ones, else strips of rows, if the plan takes no more bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlir.dialects.builtin import ModuleOp

from forebay.cpus.cpu import Cpu
from forebay.lowering.padding.candidates import (
    PaddedSource,
    PaddingCandidates,
    kernels_in,
)
from forebay.lowering.padding.fitting import PaddedCopy, PaddingLimits
from forebay.lowering.padding.strips import Strips

_STRIPS = ((4, False), (1, False), (4, True))
"""The strips that are tried, one after the other: the least rows of the result that each is for,
and whether each row of the source has a lifetime of its own, with which the check of the plan takes
longer.
"""


def pad_within_plan(module: ModuleOp, cpu: Cpu, budgets: Mapping[str, int], planner: str) -> None:
    """Pad the sources of the kernels that then cost less on a processor, where copies fit.

    A pool has no higher peak with copies than without them, or is within its bytes in `budgets`.
    Without a plan of the module nothing changes.
    """
    candidates = PaddingCandidates(module, cpu)
    if not candidates.choices:
        return
    limits = PaddingLimits(module, budgets, planner)
    chosen = _whole_copies(module, candidates, limits)
    tried: set[tuple[int, Strips | None]] = set()
    for least, has_row_lifetimes in _STRIPS:
        others = [number for number in candidates.choices if number not in chosen]
        strips = candidates.in_strips(others, least, has_row_lifetimes=has_row_lifetimes)
        new = {n: strip for n, strip in strips.items() if (n, strip.strips) not in tried}
        tried |= {(number, source.strips) for number, source in new.items()}
        chosen |= _fitting_strips(candidates, chosen, new, limits)
    candidates.apply(chosen)


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
