"""The result of planning, for the user and for programs."""

from __future__ import annotations

from msgspec import Struct

from forebay.cascade.steps import BudgetStep
from forebay.errors import Error
from forebay.planning import Plan, PoolCertificate
from forebay.reports.copies import PoolCopy
from forebay.reports.loops import UnoverlappedCode, UnpipelinedLoop
from forebay.reports.state_rings import StateRings


class PlanReport(Struct, frozen=True):
    """The result of planning for each pool, and the copies that the program makes; sizes in bytes.

    `unpipelined` are the loops whose transfers do not run in parallel with computation, and
    `unoverlapped` the straight-line code. `steps` lead from whole tensors to the budgets that were
    met. `rings` are the variables whose rows do not move.
    """

    plan: Plan
    certificates: tuple[PoolCertificate, ...]
    copies: tuple[PoolCopy, ...] = ()
    unpipelined: tuple[UnpipelinedLoop, ...] = ()
    unoverlapped: tuple[UnoverlappedCode, ...] = ()
    steps: tuple[BudgetStep, ...] = ()
    rings: StateRings = StateRings()

    def __repr__(self) -> str:
        peaks = ", ".join(f"{c.pool} {c.peak:,} B" for c in self.certificates if c.peak)
        return f"<PlanReport by '{self.plan.planner}': {peaks}>"

    def _repr_html_(self) -> str:
        """Return the picture of the plan, as a notebook shows it."""
        from forebay.planning.picture.files import picture_html  # noqa: PLC0415  (notebooks only)

        return picture_html(self.plan)

    def peak(self, pool: str) -> int:
        """Return the bytes that the pool needs; raise `Error` for an unknown pool."""
        return self._of(pool).peak

    def lower_bound(self, pool: str) -> int:
        """Return the lower bound: no plan needs fewer bytes."""
        return self._of(pool).lower_bound

    def gap(self, pool: str) -> int:
        """Return the bytes between peak and lower bound; 0 proves that the plan is optimal."""
        return self._of(pool).gap

    @property
    def pools(self) -> tuple[str, ...]:
        """Names of the pools with a peak above 0."""
        return tuple(c.pool for c in self.certificates if c.peak)

    def _of(self, pool: str) -> PoolCertificate:
        known = {certificate.pool: certificate for certificate in self.certificates}
        if pool not in known:
            raise Error(f"there is no pool '{pool}'; pools: {', '.join(known)}")
        return known[pool]
