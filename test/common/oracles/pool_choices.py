"""Random problems with two pools, and the cheapest choice of pools by trying all of them."""

from __future__ import annotations

from itertools import product
from random import Random

from forebay.planning import Buffer, Pool, Problem, live

LIMIT = 12


def two_pools(seed: int) -> Problem:
    """Seven buffers in a fast pool of 12 bytes or in a slow one, each at a cost of its own."""
    rng = Random(seed)
    buffers: list[Buffer] = []
    for number in range(7):
        start = rng.randrange(6)
        life = live(start, start + rng.randint(1, 4))
        costs = (rng.randrange(4), rng.randint(4, 20))
        candidates = ("fast", "slow")
        buffers.append(Buffer(f"b{number}", rng.randint(2, 8), life, candidates, costs=costs))
    return Problem((Pool("fast", capacity=LIMIT), Pool("slow")), tuple(buffers))


def cheapest(problem: Problem) -> int:
    """Return the lowest cost of a choice of pools that exceeds the limit at no tick."""
    ticks = range(max(b.lifetime[0].end for b in problem.buffers))
    costs: list[int] = []
    for choice in product((0, 1), repeat=len(problem.buffers)):
        chosen = list(zip(problem.buffers, choice, strict=True))
        fast = [b for b, pool in chosen if pool == 0]
        loads = (
            sum(b.size for b in fast if b.lifetime[0].start <= t < b.lifetime[0].end) for t in ticks
        )
        if max(loads) <= LIMIT:
            costs.append(sum((b.costs or ())[pool] for b, pool in chosen))
    return min(costs)
