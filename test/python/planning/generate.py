"""Random problems, and a brute-force oracle that shares no code with planners."""

from __future__ import annotations

from itertools import permutations, product

from hypothesis import strategies as st

from forebay.planning import Buffer, ByteRange, Interval, Kind, PlanningError, Pool, Problem


@st.composite
def pools(draw: st.DrawFn, limited: bool = True) -> tuple[Pool, ...]:
    found: list[Pool] = []
    for name in ("fast", "slow")[: draw(st.integers(1, 2))]:
        capacity = draw(st.none() | st.integers(8, 40)) if limited else None
        alignment = draw(st.sampled_from([1, 1, 2, 4]))
        reserved = draw(st.sampled_from([(), (), (ByteRange(4, 6),)]))
        start = draw(st.sampled_from([0, 0, 3]))
        base = draw(st.sampled_from([None, None, 4, 12]))
        unit = draw(st.sampled_from([1, 1, 1, 4]))
        found.append(Pool(name, capacity, alignment, reserved, start, base, unit))
    return tuple(found)


@st.composite
def buffers(draw: st.DrawFn, name: str, pool_names: tuple[str, ...], clock: bool) -> Buffer:
    size = draw(st.integers(1, 9))
    start = draw(st.integers(0, 5))
    end = start + draw(st.integers(1, 4))
    lifetime: tuple[Interval, ...] = (Interval(start, end),) if clock else ()
    if clock and draw(st.integers(0, 5)) == 0:
        lifetime = (*lifetime, Interval(end + 1, end + 2))
    kind = draw(st.sampled_from([Kind.WORKSPACE] * 7 + [Kind.CONSTANT, Kind.STATE]))
    alignment = draw(st.sampled_from([None, None, 1, 2, 4, 8]))
    candidates = draw(st.permutations(pool_names))[: draw(st.integers(1, len(pool_names)))]
    pin = draw(st.sampled_from([None, None, None, 8])) if len(candidates) == 1 else None
    alias = draw(st.sampled_from([None, None, None, None, "g"]))
    return Buffer(
        name,
        size,
        lifetime,
        tuple(candidates),
        alignment,
        kind,
        pinned_offset=pin,
        alias=alias if len(candidates) == len(pool_names) else None,
    )


@st.composite
def problems(draw: st.DrawFn, most: int = 5, limited: bool = True) -> Problem:
    """Valid problems; those that contradict themselves are rejected."""
    found = draw(pools(limited))
    names = tuple(pool.name for pool in found)
    clock = draw(st.booleans())
    count = draw(st.integers(1, most))
    chosen = tuple(draw(buffers(f"b{i}", names, clock)) for i in range(count))
    pairs = [(f"b{i}", f"b{j}") for i in range(count) for j in range(i)]
    conflicts = tuple(pair for pair in pairs if draw(st.integers(0, 3 if clock else 1)) == 0)
    if clock and draw(st.booleans()):
        conflicts = ()
    return Problem(found, chosen, conflicts)


def is_valid(problem: Problem) -> bool:
    try:
        problem.check()
    except PlanningError:
        return False
    return True


def brute_force(problem: Problem) -> tuple[int, int] | None:
    """Cost and weighted peaks of the best plan, or None: every pool choice, every order.

    First fit over all orders reaches every plan in which nothing can move down.
    """
    best: tuple[int, int] | None = None
    groups: dict[str, list[Buffer]] = {}
    for buffer in problem.buffers:
        groups.setdefault(buffer.alias or f"only {buffer.name}", []).append(buffer)
    items = list(groups.values())
    choices = [
        [p for p in problem.pools if all(p.name in b.pools for b in members)] for members in items
    ]
    for chosen in product(*choices):
        cost = sum(
            problem.cost_in(b, pool)
            for members, pool in zip(items, chosen, strict=True)
            for b in members
        )
        if best is not None and cost > best[0]:
            continue
        peaks = 0
        for pool in problem.pools:
            here = [m for m, p in zip(items, chosen, strict=True) if p is pool]
            peak = _lowest(problem, pool, here)
            if peak is None:
                break
            peaks += pool.weight * peak
        else:
            best = min(best or (cost, peaks), (cost, peaks))
    return best


def _lowest(problem: Problem, pool: Pool, items: list[list[Buffer]]) -> int | None:
    pinned = [m for m in items if any(b.pinned_offset is not None for b in m)]
    free = [m for m in items if m not in pinned]
    best: int | None = None
    for order in permutations(free):
        placed: list[tuple[int, list[Buffer]]] = []
        for members in pinned:
            offset = next(b.pinned_offset for b in members if b.pinned_offset is not None)
            placed.append((offset, members))
        if any(
            _clash(problem, pool, placed[:i], members, offset)
            for i, (offset, members) in enumerate(placed)
        ):
            return None
        for members in order:
            offset = pool.start
            while _clash(problem, pool, placed, members, offset):
                offset += 1
            placed.append((offset, members))
        peak = max((o + pool.rounded(b.size) for o, m in placed for b in m), default=0)
        if (pool.capacity is None or peak <= pool.capacity) and (best is None or peak < best):
            best = peak
    return best


def _clash(
    problem: Problem,
    pool: Pool,
    placed: list[tuple[int, list[Buffer]]],
    members: list[Buffer],
    offset: int,
) -> bool:
    for b in members:
        alignment = pool.alignment if b.alignment is None else b.alignment
        address = offset + (pool.base or 0)
        end = offset + pool.rounded(b.size)
        if address % alignment or address % pool.unit or offset < pool.start:
            return True
        if any(offset < high and low < end for low, high in pool.reserved):
            return True
        for other_offset, others in placed:
            for other in others:
                pairs = {(b.name, other.name), (other.name, b.name)}
                if not (b.live_with(other) or pairs & set(problem.conflicts)):
                    continue
                if offset < other_offset + pool.rounded(other.size) and other_offset < end:
                    return True
    return False
