"""The summary of a compilation: pools, bounds, operators, seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebay.report.table import table

if TYPE_CHECKING:
    from forebay.compiled import Compiled
    from forebay.planning import PoolCertificate


def summary(compiled: Compiled) -> str:
    """A few lines about what was compiled; sizes in bytes."""
    info = compiled.info
    kinds = {pool.name: pool.kind for pool in info.pools}
    weights = sum(pool.size for pool in info.constant_pools)
    rows = [
        [c.pool, kinds[c.pool], f"{c.peak:,}", f"{c.lower_bound:,}", f"{c.gap:,}", _verdict(c)]
        for c in compiled.plan.certificates
        if c.peak
    ]
    stages = ", ".join(f"{stage} {taken:.2f}" for stage, taken in compiled.seconds.items())
    return "\n".join(
        [
            f"{info.name}: {_count(compiled.operators, 'operator')}, {weights:,} bytes of weights",
            *([table(["pool", "kind", "peak", "lower bound", "gap", ""], rows)] if rows else []),
            *(str(copy) for copy in compiled.plan.copies if copy.is_between_pools),
            f"{sum(compiled.seconds.values()):.2f} s: {stages}",
        ]
    )


def _verdict(certificate: PoolCertificate) -> str:
    return f"optimal ({certificate.argument})" if certificate.optimal else "not proved optimal"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
