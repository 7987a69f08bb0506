"""A planning problem out of a case number: small numbers, every field of the format used."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from forebay.planning import Buffer, ByteRange, Interval, Kind, Pool, Problem, Separation

KINDS = [Kind.WORKSPACE] * 7 + [Kind.CONSTANT, Kind.STATE, Kind.INPUT]


def draw_problem(seed: int) -> Problem:
    """The problem of this number; it may contradict itself."""
    rng = Random(seed)
    pools = tuple(_pool(rng, name) for name in "abc"[: rng.choice([1, 1, 1, 2, 2, 3])])
    clock = rng.random() < 0.8
    count = rng.choice([1, 2, 3, 4, 4, 5, 5, 6, 7])
    buffers = tuple(_buffer(rng, f"x{i}", pools, clock) for i in range(count))
    density = rng.choice([0.0, 0.0, 0.15, 0.4]) if clock else rng.choice([0.2, 0.5, 0.9])
    pairs = [(f"x{i}", f"x{j}") for i in range(count) for j in range(i)]
    conflicts = tuple(p for p in pairs if rng.random() < density and _parted(buffers, p))
    chosen = [p for p in pairs if _parted(buffers, p)] if rng.random() < 0.2 else []
    separations = tuple(
        Separation(*pair, shared_byte=rng.randrange(3), same_bank=rng.randrange(3))
        for pair in rng.sample(chosen, min(len(chosen), 2))
    )
    return Problem(pools, buffers, conflicts, separations=separations, name=f"case {seed}")


def scaled(problem: Problem, factor: int) -> Problem:
    """The same problem in larger units, which are bytes; `factor` is a power of two."""
    pools = tuple(
        replace(
            pool,
            capacity=None if pool.capacity is None else pool.capacity * factor,
            alignment=pool.alignment * factor,
            reserved=tuple(ByteRange(s * factor, e * factor) for s, e in pool.reserved),
            start=pool.start * factor,
            base=None if pool.base is None else pool.base * factor,
            unit=pool.unit * factor,
        )
        for pool in problem.pools
    )
    buffers = tuple(
        replace(
            b,
            size=b.size * factor,
            alignment=None if b.alignment is None else b.alignment * factor,
            pinned_offset=None if b.pinned_offset is None else b.pinned_offset * factor,
            costs=None if b.costs is None else tuple(cost * factor for cost in b.costs),
        )
        for b in problem.buffers
    )
    return replace(problem, pools=pools, buffers=buffers, separations=())


def _pool(rng: Random, name: str) -> Pool:
    alignment, unit = rng.choice([1, 1, 2, 4, 8]), rng.choice([1, 1, 1, 2, 4])
    capacity = rng.choice([None, rng.randrange(4, 48)])
    banks = rng.choice([1, 1, 2]) if capacity and capacity % (2 * unit) == 0 else 1
    base = rng.choice([None, rng.randrange(12) * max(alignment, unit)])
    bounds = sorted(rng.sample(range(24), 2 * rng.choice([0, 0, 1, 1, 2, 3])))
    reserved = [ByteRange(*bounds[i : i + 2]) for i in range(0, len(bounds), 2)]
    rng.shuffle(reserved)
    return Pool(
        name,
        capacity=capacity,
        alignment=alignment,
        reserved=tuple(reserved),
        start=rng.choice([0, 0, 0, rng.randrange(9)]),
        base=base,
        unit=unit,
        cost=rng.choice([None, None, rng.randrange(4)]),
        weight=rng.choice([1, 1, 1, rng.randrange(4)]),
        banks=banks,
    )


def _buffer(rng: Random, name: str, pools: tuple[Pool, ...], clock: bool) -> Buffer:
    names = [pool.name for pool in pools]
    candidates = tuple(rng.sample(names, rng.randint(1, len(names))))
    pinned_pool = rng.choice(candidates) if rng.random() < 0.1 else None
    offset = None
    if rng.random() < 0.12 and (pinned_pool or len(candidates) == 1):
        offset = rng.choice([8, 16, rng.randrange(24)])
    return Buffer(
        name,
        rng.randint(1, 12),
        _lifetime(rng) if clock else (),
        candidates,
        rng.choice([None, None, 1, 2, 4, 8, 16]),
        rng.choice(KINDS),
        pinned_pool,
        offset,
        alias=rng.choice([None] * 7 + ["g", "h"]),
        costs=tuple(rng.randrange(9) for _ in candidates) if rng.random() < 0.15 else None,
    )


def _lifetime(rng: Random) -> tuple[Interval, ...]:
    count = rng.choice([0, 1, 1, 1, 1, 1, 1, 2, 3])
    bounds = sorted(rng.sample(range(9), 2 * count))
    return tuple(Interval(*bounds[i : i + 2]) for i in range(0, 2 * count, 2))


def _parted(buffers: tuple[Buffer, ...], pair: tuple[str, str]) -> bool:
    groups = [buffer.alias for buffer in buffers if buffer.name in pair]
    return groups[0] is None or groups[0] != groups[1]
