"""Certificates of a plan's quality: the peak of each pool, a lower bound and its argument."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from forebay.planning.contract.bounds import Bound, lower_bound
from forebay.planning.model.plan import Plan
from forebay.pools import ByteRange

HOLES = 3


class PoolCertificate(Struct, frozen=True):
    """The quality of a plan in one pool, in bytes, for the buffers that the plan assigns to it.

    `argument`: the reason why no plan of these buffers ends below `lower_bound`.
    `at_bound`: the buffers that the argument refers to. `step`: the operation at that point.
    `holes`: the largest unused byte ranges below the peak while those buffers are live; they
    explain a gap. `tick`: that point, if the argument is about one.
    `penalty`: the cost of separations that the plan does not satisfy; 0 when it satisfies all.
    """

    pool: str
    peak: int
    lower_bound: int
    argument: str
    at_bound: tuple[str, ...]
    step: str
    holes: tuple[ByteRange, ...] = ()
    penalty: int = 0
    tick: int | None = None

    @property
    def gap(self) -> int:
        """Return the number of bytes between the lower bound and the peak."""
        return self.peak - self.lower_bound

    @property
    def optimal(self) -> bool:
        """Return whether the peak is proved to be the lowest possible one."""
        return self.gap == 0

    def __str__(self) -> str:
        proof = f"optimal: {self.argument}" if self.optimal else f"gap {self.gap:,} B"
        penalty = f", penalty {self.penalty:,}" if self.penalty else ""
        return (
            f"pool '{self.pool}': peak {self.peak:,} B, bound {self.lower_bound:,} B "
            f"({self.argument}), {proof}{penalty}"
        )


def certify(plan: Plan) -> tuple[PoolCertificate, ...]:
    """Return one certificate per pool of the plan's problem, in the order of the problem."""
    return tuple(certify_pool(plan, pool.name) for pool in plan.problem.pools)


def certify_pool(plan: Plan, pool: str) -> PoolCertificate:
    """Return the certificate of one pool."""
    problem = plan.problem
    bound = lower_bound(problem, problem.pool_by_name[pool], plan.in_pool(pool))
    for claim in plan.proved:
        if claim.pool == pool and claim.bytes > bound.bytes:
            bound = Bound(claim.bytes, claim.by)
    step = "" if bound.tick is None else problem.step(bound.tick)
    peak, holes = plan.peak(pool), _holes(plan, pool, bound.buffers)
    penalty = plan.penalty_in(pool)
    return PoolCertificate(
        pool, peak, bound.bytes, bound.argument, bound.buffers, step, holes, penalty, bound.tick
    )


def _holes(plan: Plan, pool: str, live: Sequence[str]) -> tuple[ByteRange, ...]:
    """Return the largest byte ranges below the peak that none of the live buffers covers."""
    holes: list[ByteRange] = []
    owner = plan.problem.pool_by_name[pool]
    buffers = (plan.problem.buffer_by_name[name] for name in live)
    taken = [
        (place := plan.placements[b.name].offset, place + plan.problem.taken_in(b, owner))
        for b in buffers
    ]
    top = owner.start
    for start, end in sorted(taken):
        if start > top:
            holes.append(ByteRange(top, start))
        top = max(top, end)
    if live and plan.peak(pool) > top:
        holes.append(ByteRange(top, plan.peak(pool)))
    return tuple(sorted(holes, key=lambda hole: (hole.start - hole.end, hole))[:HOLES])
