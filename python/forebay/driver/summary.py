"""The summary of a compilation: pools, bounds, operators, seconds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from forebay.reports.budget import step_lines
from forebay.reports.table import ReportPart, TextTable, plain_text

if TYPE_CHECKING:
    from forebay.driver.compiled import Compiled
    from forebay.planning import PoolCertificate
    from forebay.reports.copies import PoolCopy


def summary(compiled: Compiled) -> str:
    """Return the summary of a compilation: pools, bounds, operators, seconds; sizes in bytes."""
    return plain_text(summary_parts(compiled))


def summary_parts(compiled: Compiled) -> list[ReportPart]:
    """Return the lines and the table of the summary."""
    info = compiled.info
    kinds = {pool.name: pool.kind.name for pool in (*info.pools, *info.inside)}
    weights = sum(pool.size for pool in info.constant_pools)
    rows = [
        [c.pool, kinds[c.pool], f"{c.peak:,}", f"{c.lower_bound:,}", f"{c.gap:,}", _optimality(c)]
        for c in compiled.plan.certificates
        if c.peak
    ]
    stages = ", ".join(f"{stage} {taken:.2f}" for stage, taken in compiled.seconds.items())
    head = ["pool", "kind", "peak", "lower bound", "gap", ""]
    return [
        f"{info.name}: {_count(compiled.operators, 'operator')}, {weights:,} bytes of weights",
        *([TextTable(head, rows, numbers=(2, 3, 4))] if rows else []),
        *step_lines(compiled.plan.steps),
        *_copies(compiled.plan.copies),
        *map(str, compiled.plan.unpipelined),
        *map(str, compiled.plan.unoverlapped),
        f"{sum(compiled.seconds.values()):.2f} s: {stages}",
    ]


def _copies(copies: Iterable[PoolCopy]) -> list[str]:
    """Return the copies between pools; equal ones appear once, with their number."""
    counts = Counter(str(copy) for copy in copies if copy.is_between_pools)
    return [f"{text}{'' if n == 1 else f', {n} times'}" for text, n in counts.items()]


def _optimality(certificate: PoolCertificate) -> str:
    return f"optimal ({certificate.argument})" if certificate.optimal else "not proved optimal"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
