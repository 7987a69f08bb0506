"""The planners' form of a problem: alias groups merged, pools and conflicts by index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from forebay.planning.contract.conflicts import conflict_sets
from forebay.planning.model.buffer import Buffer, Interval, Lifetime
from forebay.planning.model.plan import Placement
from forebay.planning.model.problem import Problem


class CandidatePool(Struct, frozen=True):
    """A candidate pool of an item: pool index, the item's bytes and alignment there, and cost."""

    pool: int
    size: int
    alignment: int
    cost: int


class Piece(Struct, frozen=True):
    """A part of an item with a lifetime of its own, `[low, high)` bytes above its beginning."""

    low: int
    high: int
    lifetime: Lifetime


class Item(Struct, frozen=True):
    """A unit of placement: a buffer, or an alias group with the union of lifetimes, or a block.

    `candidates` are in order of preference; `offset` is the pinned offset or None. `pieces` are the
    members of a rigid block, in their order; an algorithm that ignores them treats the block as
    bytes that are live from the first tick of any piece to the last one.
    """

    members: tuple[str, ...]
    lifetime: Lifetime
    candidates: tuple[CandidatePool, ...]
    offset: int | None
    always_live: bool = False
    pieces: tuple[Piece, ...] = ()

    @property
    def size(self) -> int:
        """Return the bytes that the item occupies in its preferred pool."""
        return self.candidates[0].size

    @property
    def start(self) -> int:
        """Return the first tick of the lifetime; 0 if the item has no lifetime intervals."""
        return self.lifetime[0].start if self.lifetime else 0

    @property
    def duration(self) -> int:
        """Return the number of ticks of the lifetime."""
        return sum(end - start for start, end in self.lifetime)

    @property
    def places(self) -> tuple[int, ...]:
        """Return the offset of each member from the item's."""
        return tuple(piece.low for piece in self.pieces) or (0,) * len(self.members)


class Items(Struct, frozen=True, dict=True):
    """All items of a problem and their conflicts."""

    problem: Problem
    all: tuple[Item, ...]

    @cached_property
    def conflicts(self) -> Sequence[Sequence[int]]:
        """Return, per item, the ascending indices of the items that it must not overlap."""
        owner = {name: i for i, item in enumerate(self.all) for name in item.members}
        sets = conflict_sets(self.problem, list(owner))
        return [
            sorted({owner[other] for name in item.members for other in sets[name]})
            for item in self.all
        ]

    @cached_property
    def linear(self) -> bool:
        """Return whether one lifetime interval per item fully defines the conflicts."""
        return not self.problem.conflicts and all(
            len(item.lifetime) <= 1 and all(len(piece.lifetime) == 1 for piece in item.pieces)
            for item in self.all
        )

    @property
    def settled(self) -> bool:
        """Return whether every item has exactly one candidate pool."""
        return all(len(item.candidates) == 1 for item in self.all)

    def in_pool(self, pool: int) -> list[int]:
        """Return the indices of the items whose only candidate is this pool."""
        return [i for i, item in enumerate(self.all) if [r.pool for r in item.candidates] == [pool]]

    def placements(
        self, candidates: Sequence[CandidatePool], offsets: Sequence[int]
    ) -> dict[str, Placement]:
        """Return the placement of each buffer, by buffer name."""
        pools = self.problem.pools
        return {
            name: Placement(pools[candidate.pool].name, offset + place)
            for item, candidate, offset in zip(self.all, candidates, offsets, strict=True)
            for name, place in zip(item.members, item.places, strict=True)
        }


def items_of(problem: Problem) -> Items:
    """Return the items of a problem, in the order in which their first members appear."""
    groups: dict[str, list[Buffer]] = {}
    for buffer in problem.buffers:
        groups.setdefault(_key(buffer), []).append(buffer)
    numbers = {pool.name: i for i, pool in enumerate(problem.pools)}
    return Items(problem, tuple(_item(problem, group, numbers) for group in groups.values()))


def _key(buffer: Buffer) -> str:
    if buffer.block is not None:
        return f"block {buffer.block}"
    return f"buffer {buffer.name}" if buffer.alias is None else f"alias {buffer.alias}"


def _item(problem: Problem, members: Sequence[Buffer], numbers: Mapping[str, int]) -> Item:
    common = [p for p in members[0].pools if all(p in member.pools for member in members)]
    candidates: list[CandidatePool] = []
    for name in common:
        pool = problem.pool_by_name[name]
        candidates.append(
            CandidatePool(
                numbers[name],
                max(member.block_offset + problem.size_in(member, pool) for member in members),
                max(problem.alignment_in(member, pool) for member in members),
                sum(problem.cost_in(member, pool) for member in members),
            )
        )
    pins = [m.pinned_offset - m.block_offset for m in members if m.pinned_offset is not None]
    names = tuple(member.name for member in members)
    pin = pins[0] if pins else None
    always = any(member.always_live for member in members)
    pieces = tuple(
        Piece(m.block_offset, m.block_offset + m.size, m.lifetime)
        for m in members
        if m.block is not None
    )
    lifetime = _union(members)
    if pieces and lifetime:
        lifetime = (Interval(lifetime[0].start, lifetime[-1].end),)
    return Item(names, lifetime, tuple(candidates), pin, always, pieces)


def _union(members: Sequence[Buffer]) -> Lifetime:
    """Return the ticks at which any member is live, as disjoint ascending intervals."""
    if len(members) == 1:
        return members[0].lifetime
    merged: list[Interval] = []
    for start, end in sorted(interval for member in members for interval in member.lifetime):
        if merged and start <= merged[-1].end:
            merged[-1] = Interval(merged[-1].start, max(merged[-1].end, end))
        else:
            merged.append(Interval(start, end))
    return tuple(merged)
