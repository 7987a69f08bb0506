"""The buffers of a module that should be in different banks of their pool."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from forebay.ir.problem.problem import ProblemExtraction
from forebay.planning import Problem, Separation


def with_separate_banks(extraction: ProblemExtraction) -> Problem:
    """Return the problem with a separation for each pair that queues may use at the same time.

    A bank serves one queue at a time. Pairs that cannot be in one pool with banks have none.
    """
    return replace(extraction.problem, separations=tuple(_separations(extraction)))


def _separations(extraction: ProblemExtraction) -> Iterator[Separation]:
    problem, by_root = extraction.problem, extraction.by_root()
    banked = {pool.name for pool in problem.pools if pool.banks > 1}
    for first, second in extraction.liveness.beside if banked else ():
        for one in (problem.buffers[part] for part in by_root[first]):
            for other in (problem.buffers[part] for part in by_root[second]):
                if banked.intersection(one.pools) & set(other.pools):
                    yield Separation(one.name, other.name, same_bank=1)
