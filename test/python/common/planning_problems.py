"""Random problems, and a brute-force oracle that shares no code with planners."""

from __future__ import annotations

from itertools import product

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
    """Cost and weighted peaks of the best plan, or None: every choice of pools, every order.

    First fit over all orders reaches every plan in which nothing can move down.
    """
    groups: dict[str, list[Buffer]] = {}
    for buffer in problem.buffers:
        groups.setdefault(buffer.alias or f"only {buffer.name}", []).append(buffer)
    items = list(groups.values())
    choices = [
        [p for p in problem.pools if all(p.name in b.pools for b in members)] for members in items
    ]
    ways = sorted(product(*choices), key=lambda pools: _cost(problem, items, pools))
    lowest: dict[tuple[str, tuple[int, ...]], int | None] = {}
    best: tuple[int, int] | None = None
    for chosen in ways:
        cost, peaks = _cost(problem, items, chosen), 0
        if best is not None and cost > best[0]:
            break
        for pool in problem.pools:
            here = tuple(i for i, p in enumerate(chosen) if p is pool)
            if (pool.name, here) not in lowest:
                lowest[pool.name, here] = _Orders(problem, pool, [items[i] for i in here]).lowest()
            peak = lowest[pool.name, here]
            if peak is None:
                break
            peaks += pool.weight * peak
        else:
            best = (cost, peaks) if best is None else min(best, (cost, peaks))
    return best


def _cost(problem: Problem, items: list[list[Buffer]], pools: tuple[Pool, ...]) -> int:
    chosen = zip(items, pools, strict=True)
    return sum(problem.cost_in(b, pool) for members, pool in chosen for b in members)


class _Orders:
    """Alias groups in one pool, placed by first fit in every order."""

    def __init__(self, problem: Problem, pool: Pool, items: list[list[Buffer]]) -> None:
        self.pool, self.items = pool, items
        self.sizes = [max(pool.rounded(b.size) for b in members) for members in items]
        self.pins = [
            next((b.pinned_offset for b in members if b.pinned_offset is not None), None)
            for members in items
        ]
        pairs = {frozenset(pair) for pair in problem.conflicts}
        self.apart = [
            [
                any(a.live_with(b) or {a.name, b.name} in pairs for a in one for b in other)
                for other in items
            ]
            for one in items
        ]
        self.seen: set[frozenset[tuple[int, int]]] = set()
        self.best: int | None = None

    def lowest(self) -> int | None:
        placed: dict[int, int] = {}
        for index, pin in enumerate(self.pins):
            if pin is not None:
                if not self._free(index, pin, placed):
                    return None
                placed[index] = pin
        self._extend(placed)
        return self.best

    def _extend(self, placed: dict[int, int]) -> None:
        key = frozenset(placed.items())
        peak = max((offset + self.sizes[i] for i, offset in placed.items()), default=0)
        over = self.pool.capacity is not None and peak > self.pool.capacity
        if key in self.seen or over or (self.best is not None and peak >= self.best):
            return
        self.seen.add(key)
        if len(placed) == len(self.items):
            self.best = peak
        for index in range(len(self.items)):
            if index not in placed:
                offset = self.pool.start
                while not self._free(index, offset, placed):
                    offset += 1
                self._extend({**placed, index: offset})

    def _free(self, index: int, offset: int, placed: dict[int, int]) -> bool:
        end, address = offset + self.sizes[index], offset + (self.pool.base or 0)
        alignments = (b.alignment or self.pool.alignment for b in self.items[index])
        if address % max(*alignments, self.pool.unit) or offset < self.pool.start:
            return False
        if any(offset < high and low < end for low, high in self.pool.reserved):
            return False
        return not any(
            self.apart[index][other] and offset < start + self.sizes[other] and start < end
            for other, start in placed.items()
        )
