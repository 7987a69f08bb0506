"""What planning achieved, for people and programs."""

from __future__ import annotations

from dataclasses import dataclass

from forebay.errors import Error
from forebay.planning import Plan, PoolCertificate
from forebay.reports.copies import PoolCopy
from forebay.reports.loops import UnpipelinedLoop


@dataclass(frozen=True)
class PlanReport:
    """What planning achieved, pool by pool, and the copies that it takes. Sizes in bytes.

    `unpipelined` are the loops whose transfers nothing runs beside.
    """

    plan: Plan
    certificates: tuple[PoolCertificate, ...]
    copies: tuple[PoolCopy, ...] = ()
    unpipelined: tuple[UnpipelinedLoop, ...] = ()

    def peak(self, pool: str) -> int:
        """Bytes that the pool needs; raises `Error` for an unknown pool."""
        return self._of(pool).peak

    def lower_bound(self, pool: str) -> int:
        """Bytes below which no plan can go."""
        return self._of(pool).lower_bound

    def gap(self, pool: str) -> int:
        """Bytes between peak and lower bound; 0 proves the plan optimal."""
        return self._of(pool).gap

    @property
    def pools(self) -> tuple[str, ...]:
        """Names of the pools that hold something."""
        return tuple(c.pool for c in self.certificates if c.peak)

    def _of(self, pool: str) -> PoolCertificate:
        known = {certificate.pool: certificate for certificate in self.certificates}
        if pool not in known:
            raise Error(f"there is no pool '{pool}'; pools: {', '.join(known)}")
        return known[pool]
