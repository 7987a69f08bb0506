"""What is known about a plan's quality: per pool the peak, a lower bound and the argument."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from forebay.planning.contract.bounds import Bound, lower_bound
from forebay.planning.model.plan import Plan
from forebay.planning.model.pool import ByteRange

HOLES = 3


@dataclass(frozen=True)
class PoolCertificate:
    """How good a plan is in one pool, in bytes, given which buffers it put there.

    `argument` says why no plan of these buffers ends below `lower_bound`;
    `at_bound` are the buffers that the argument speaks of, `step` the operation, and `holes`
    the largest unused byte ranges below the peak while those buffers live: what a gap is made of.
    `penalty` is what pairs cost that had better lie apart; 0 when every such wish is granted.
    """

    pool: str
    peak: int
    lower_bound: int
    argument: str
    at_bound: tuple[str, ...]
    step: str
    holes: tuple[ByteRange, ...] = ()
    penalty: int = 0

    @property
    def gap(self) -> int:
        """Bytes between the peak and the bound."""
        return self.peak - self.lower_bound

    @property
    def optimal(self) -> bool:
        """Whether the peak is proved to be the lowest."""
        return self.gap == 0

    def __str__(self) -> str:
        proof = f"optimal: {self.argument}" if self.optimal else f"gap {self.gap:,} B"
        penalty = f", penalty {self.penalty:,}" if self.penalty else ""
        return (
            f"pool '{self.pool}': peak {self.peak:,} B, bound {self.lower_bound:,} B "
            f"({self.argument}), {proof}{penalty}"
        )


def certify(plan: Plan) -> tuple[PoolCertificate, ...]:
    """One certificate per pool of the plan's problem, in the problem's order."""
    return tuple(certify_pool(plan, pool.name) for pool in plan.problem.pools)


def certify_pool(plan: Plan, pool: str) -> PoolCertificate:
    """The certificate of one pool."""
    problem = plan.problem
    bound = lower_bound(problem, problem.pool_by_name[pool], plan.in_pool(pool))
    for claim in plan.proved:
        if claim.pool == pool and claim.bytes > bound.bytes:
            bound = Bound(claim.bytes, claim.by)
    step = "" if bound.tick is None else problem.step(bound.tick)
    peak, holes = plan.peak(pool), _holes(plan, pool, bound.buffers)
    penalty = plan.penalty_in(pool)
    return PoolCertificate(
        pool, peak, bound.bytes, bound.argument, bound.buffers, step, holes, penalty
    )


def _holes(plan: Plan, pool: str, live: Sequence[str]) -> tuple[ByteRange, ...]:
    """The largest ranges below the peak that none of the live buffers covers."""
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
