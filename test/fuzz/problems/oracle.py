"""What is right for a small problem, by brute force: it reads the fields of a problem and no more.

The lowest peak of items in one pool is that of first fit in some order. In a plan whose offsets
have the smallest sum no item can move down, so each lies at the lowest free offset above those that
lie below it. `every_offset` does not rely on that; the tests compare the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from forebay.planning import Buffer, Pool, Problem

Places = Mapping[str, tuple[str, int]]
ALWAYS = {"constant", "state"}


def pools_of(buffer: Buffer) -> tuple[str, ...]:
    """Where a buffer may live."""
    return buffer.candidates if buffer.pinned_pool is None else (buffer.pinned_pool,)


def whole_rows(size: int, pool: Pool) -> int:
    """Bytes of the rows that so many bytes take."""
    return (size + pool.unit - 1) // pool.unit * pool.unit


def alive_together(one: Buffer, other: Buffer) -> bool:
    """Whether their lifetimes overlap: a shared tick, or one that lives always."""
    if one.kind.value in ALWAYS or other.kind.value in ALWAYS:
        return True
    return any(a[0] < b[1] and b[0] < a[1] for a in one.lifetime for b in other.lifetime)


@dataclass(frozen=True)
class Block:
    """Buffers at one address: one buffer, or an alias group."""

    members: tuple[Buffer, ...]

    @property
    def pools(self) -> tuple[str, ...]:
        first, *others = map(pools_of, self.members)
        return tuple(name for name in first if all(name in other for other in others))

    @property
    def pins(self) -> set[int]:
        return {b.pinned_offset for b in self.members if b.pinned_offset is not None}

    def size(self, pool: Pool) -> int:
        return whole_rows(max(buffer.size for buffer in self.members), pool)

    def alignment(self, pool: Pool) -> int:
        return max(pool.unit, *(b.alignment or pool.alignment for b in self.members))

    def fits(self, pool: Pool, offset: int) -> bool:
        """Whether the pool alone allows the offset."""
        end = offset + self.size(pool)
        return (
            offset >= pool.start
            and (pool.capacity is None or end <= pool.capacity)
            and ((pool.base or 0) + offset) % self.alignment(pool) == 0
            and all(offset >= high or low >= end for low, high in pool.reserved)
            and all(offset == pin for pin in self.pins)
        )

    def cost(self, pool: Pool, problem: Problem) -> int:
        return sum(_cost(buffer, pool, problem) for buffer in self.members)


def _cost(buffer: Buffer, pool: Pool, problem: Problem) -> int:
    rank = buffer.candidates.index(pool.name) if buffer.candidates else 0
    if buffer.costs is not None:
        return buffer.costs[rank]
    costs = [p.cost for p in problem.pools if p.name in pools_of(buffer) and p.cost is not None]
    return (pool.cost or 0) * buffer.size if costs else rank * buffer.size


@dataclass(frozen=True)
class Oracle:
    """Answers about one problem; each is computed once."""

    problem: Problem

    @cached_property
    def blocks(self) -> list[Block]:
        groups: dict[str, list[Buffer]] = {}
        for buffer in self.problem.buffers:
            key = f"group {buffer.alias}" if buffer.alias else f"buffer {buffer.name}"
            groups.setdefault(key, []).append(buffer)
        return [Block(tuple(members)) for members in groups.values()]

    @cached_property
    def apart(self) -> list[list[bool]]:
        """Which blocks must not share bytes."""
        pairs = {frozenset(pair) for pair in self.problem.conflicts}
        return [
            [
                one is not other
                and any(
                    alive_together(a, b) or frozenset((a.name, b.name)) in pairs
                    for a in one.members
                    for b in other.members
                )
                for other in self.blocks
            ]
            for one in self.blocks
        ]

    @cached_property
    def choices(self) -> int:
        """Ways to choose pools."""
        count = 1
        for block in self.blocks:
            count *= len(block.pools)
        return count

    @cached_property
    def best(self) -> tuple[int, int] | None:
        """Lowest cost, and for it the lowest sum of weighted peaks; None if no plan exists."""
        by_name = {pool.name: pool for pool in self.problem.pools}
        best: tuple[int, int] | None = None
        ways = [
            (
                sum(
                    b.cost(by_name[n], self.problem) for b, n in zip(self.blocks, way, strict=True)
                ),
                way,
            )
            for way in product(*(block.pools for block in self.blocks))
        ]
        for cost, way in sorted(ways):
            if best is not None and cost > best[0]:
                break
            peaks = 0
            for pool in self.problem.pools:
                lowest = self.lowest(pool, [i for i, name in enumerate(way) if name == pool.name])
                if lowest is None:
                    break
                peaks += pool.weight * lowest
            else:
                best = (cost, peaks) if best is None else min(best, (cost, peaks))
        return best

    @cached_property
    def _known(self) -> dict[tuple[str, tuple[int, ...]], int | None]:
        return {}

    def lowest(self, pool: Pool, numbers: Sequence[int]) -> int | None:
        """Lowest peak of these blocks in the pool; None if they do not fit."""
        key = pool.name, tuple(numbers)
        if key not in self._known:
            self._known[key] = _Orders(self, pool, key[1]).lowest()
        return self._known[key]

    def every_offset(self, pool: Pool, numbers: Sequence[int], below: int) -> int | None:
        """The same by trying every offset at which a block ends at or below `below`."""
        free = [
            [o for o in range(below + 1) if b.fits(pool, o) and o + b.size(pool) <= below]
            for b in (self.blocks[number] for number in numbers)
        ]
        ends = [
            max(
                (o + self.blocks[i].size(pool) for i, o in zip(numbers, way, strict=True)),
                default=0,
            )
            for way in product(*free)
            if self._disjoint(pool, list(zip(numbers, way, strict=True)))
        ]
        return min(ends, default=None)

    def _disjoint(self, pool: Pool, placed: list[tuple[int, int]]) -> bool:
        return not any(
            self.apart[i][j]
            and one < other + self.blocks[j].size(pool)
            and other < one + self.blocks[i].size(pool)
            for i, one in placed
            for j, other in placed
            if i < j
        )

    def fault(self, places: Places) -> str | None:
        """What is wrong with a plan, by looking at every pair; None if nothing is."""
        if set(places) != {buffer.name for buffer in self.problem.buffers}:
            return "places other buffers than the problem has"
        chosen: list[tuple[Pool, int]] = []
        for block in self.blocks:
            spots = {places[buffer.name] for buffer in block.members}
            if len(spots) > 1:
                return f"members of an alias group are at {spots}"
            name, offset = spots.pop()
            pool = next((p for p in self.problem.pools if p.name == name), None)
            if pool is None or name not in block.pools:
                return f"'{block.members[0].name}' is in pool '{name}'"
            if not block.fits(pool, offset):
                return f"'{block.members[0].name}' cannot be at {offset} of '{name}'"
            chosen.append((pool, offset))
        for i, (pool, one) in enumerate(chosen):
            for j, (there, other) in enumerate(chosen[:i]):
                if pool is there and not self._disjoint(pool, [(j, other), (i, one)]):
                    names = [self.blocks[k].members[0].name for k in (j, i)]
                    return f"{names} live together and share bytes of '{pool.name}'"
        return None

    def value(self, places: Places) -> tuple[int, int]:
        """Cost and weighted peaks of a plan."""
        by_name = {pool.name: pool for pool in self.problem.pools}
        cost = sum(b.cost(by_name[self._pool(b, places)], self.problem) for b in self.blocks)
        peaks = (pool.weight * self.peak(places, pool) for pool in self.problem.pools)
        return cost, sum(peaks)

    def peak(self, places: Places, pool: Pool) -> int:
        """Highest end of a buffer in the pool."""
        return max(
            (
                places[b.name][1] + whole_rows(b.size, pool)
                for b in self.problem.buffers
                if places[b.name][0] == pool.name
            ),
            default=0,
        )

    def inside(self, places: Places, pool: Pool) -> list[int]:
        """Numbers of the blocks in the pool."""
        return [i for i, b in enumerate(self.blocks) if self._pool(b, places) == pool.name]

    @staticmethod
    def _pool(block: Block, places: Places) -> str:
        return places[block.members[0].name][0]


class _Orders:
    """Blocks of one pool by first fit in every order, taken bytes as the bits of a number."""

    def __init__(self, oracle: Oracle, pool: Pool, numbers: tuple[int, ...]) -> None:
        self.pool, self.apart, self.numbers = pool, oracle.apart, numbers
        self.blocks = oracle.blocks
        self.sizes = {i: self.blocks[i].size(pool) for i in numbers}
        self.best: int | None = None
        self.seen: set[frozenset[tuple[int, int]]] = set()

    def lowest(self) -> int | None:
        placed: dict[int, int] = {}
        for number in self.numbers:
            pins = self.blocks[number].pins
            if len(pins) > 1:
                return None
            for pin in pins:
                if not self._free(number, pin, placed):
                    return None
                placed[number] = pin
        self._extend(placed)
        return self.best

    def _extend(self, placed: dict[int, int]) -> None:
        key = frozenset(placed.items())
        peak = max((offset + self.sizes[i] for i, offset in placed.items()), default=0)
        if key in self.seen or (self.best is not None and peak >= self.best):
            return
        self.seen.add(key)
        if len(placed) == len(self.numbers):
            self.best = peak
            return
        for number in self.numbers:
            if number not in placed and (offset := self._lowest(number, placed)) is not None:
                self._extend({**placed, number: offset})

    def _lowest(self, number: int, placed: dict[int, int]) -> int | None:
        ends: Iterable[int] = (o + self.sizes[i] for i, o in placed.items())
        fixed = [self.pool.start, *(high for _, high in self.pool.reserved), *ends]
        last = max(fixed) + self.blocks[number].alignment(self.pool)
        offsets = range(self.pool.start, last + 1)
        return next((o for o in offsets if self._free(number, o, placed)), None)

    def _free(self, number: int, offset: int, placed: dict[int, int]) -> bool:
        taken = ((1 << self.sizes[number]) - 1) << offset
        return self.blocks[number].fits(self.pool, offset) and not any(
            self.apart[number][other] and taken & (((1 << self.sizes[other]) - 1) << start)
            for other, start in placed.items()
        )
