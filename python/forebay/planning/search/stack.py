"""A stack: one pool and the items to place in it; the input of the single-pool algorithms."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from forebay.planning.search.items import CandidatePool, Item, Items
from forebay.pools import Pool

Ints = NDArray[np.int64]
NO_PIN = -1


class StackPieces(Struct, frozen=True):
    """The pieces of all items: those of position `i` are `[first[i], first[i + 1])`.

    `low` and `high` are bytes above the item's offset, `begin` and `end` ranks of the ticks.
    """

    first: Ints
    low: Ints
    high: Ints
    begin: NDArray[np.int32]
    end: NDArray[np.int32]


class Stack(Struct, frozen=True, dict=True):
    """One pool and some items of a problem to place in it.

    `members` are item indices; a position `0, 1, ...` is an index in `members`. `candidates` has
    the candidate pool of each item, by position.
    """

    items: Items
    pool: Pool
    members: tuple[int, ...]
    candidates: tuple[CandidatePool, ...]

    def item(self, position: int) -> Item:
        """Return the item at a position."""
        return self.items.all[self.members[position]]

    @cached_property
    def sizes(self) -> Ints:
        """Return the bytes of each item."""
        return np.array([candidate.size for candidate in self.candidates], np.int64)

    @cached_property
    def alignments(self) -> Ints:
        """Return the alignment of each item in bytes."""
        return np.array([candidate.alignment for candidate in self.candidates], np.int64)

    @cached_property
    def pins(self) -> Ints:
        """Return the pinned offset of each item, or `NO_PIN`."""
        pins = (self.items.all[m].offset for m in self.members)
        return np.array([NO_PIN if pin is None else pin for pin in pins], np.int64)

    @cached_property
    def spans(self) -> Ints:
        """Return the ticks of each lifetime; the number of conflicts if the stack is not linear."""
        if self.linear:
            return np.array([self.items.all[m].duration for m in self.members], np.int64)
        return np.array([len(c) for c in self.conflicts], np.int64)

    @cached_property
    def starts(self) -> Ints:
        """Return the first tick of each lifetime; 0 for an item without a lifetime."""
        return np.array([self.items.all[m].start for m in self.members], np.int64)

    @cached_property
    def ends(self) -> Ints:
        """Return the (exclusive) end tick of each lifetime; 0 for an item without a lifetime."""
        lives = (self.items.all[m].lifetime for m in self.members)
        return np.array([life[-1].end if life else 0 for life in lives], np.int64)

    @cached_property
    def degrees(self) -> Ints:
        """Return the number of conflicts of each item."""
        if not self.linear:
            return np.array([len(c) for c in self.conflicts], np.int64)
        begins, ends = self.lives
        begun = np.searchsorted(np.sort(begins), ends, side="left")
        ended = np.searchsorted(np.sort(ends), begins, side="right")
        return (begun - ended - 1).astype(np.int64)

    @cached_property
    def linear(self) -> bool:
        """Return whether one lifetime interval per item fully defines the conflicts."""
        items = (self.items.all[m] for m in self.members)
        return self.items.linear and all(item.lifetime or item.always_live for item in items)

    @cached_property
    def lives(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the begin and end of each lifetime as ranks of the ticks; for linear stacks only.

        An item that is always live begins at -1 and ends after the last rank.
        """
        rank = self._ranks
        begins: list[int] = []
        ends: list[int] = []
        for member in self.members:
            item = self.items.all[member]
            always = item.always_live
            begins.append(-1 if always else rank[item.lifetime[0].start])
            ends.append(len(rank) if always else rank[item.lifetime[0].end])
        return np.array(begins, np.int32), np.array(ends, np.int32)

    @property
    def has_blocks(self) -> bool:
        """Return whether an item is a rigid block."""
        return any(self.items.all[member].pieces for member in self.members)

    @cached_property
    def pieces(self) -> StackPieces:
        """Return the pieces of blocks, and each other item as one piece; for linear stacks only."""
        rank, (begins, ends) = self._ranks, self.lives
        rows: list[tuple[int, int, int, int]] = []
        first = [0]
        for position, (size, begin, end) in enumerate(
            zip(self.sizes.tolist(), begins.tolist(), ends.tolist(), strict=True)
        ):
            item = self.item(position)
            for piece in item.pieces:
                life = rank[piece.lifetime[0].start], rank[piece.lifetime[0].end]
                born, dead = (begin, end) if item.always_live else life
                rows.append((piece.low, piece.high, born, dead))
            if not item.pieces:
                rows.append((0, size, begin, end))
            first.append(len(rows))
        low, high, begin, end = (np.array(column) for column in zip(*rows, strict=True))
        return StackPieces(
            np.array(first, np.int64),
            low.astype(np.int64),
            high.astype(np.int64),
            begin.astype(np.int32),
            end.astype(np.int32),
        )

    @cached_property
    def _ranks(self) -> dict[int, int]:
        """Return the rank of each tick at which an item or a piece begins or ends."""
        items = [self.items.all[member] for member in self.members]
        lifetimes = [item.lifetime for item in items]
        lifetimes += [piece.lifetime for item in items for piece in item.pieces]
        ticks = sorted({tick for life in lifetimes for interval in life for tick in interval})
        return {tick: rank for rank, tick in enumerate(ticks)}

    @cached_property
    def conflicts(self) -> Sequence[NDArray[np.int32]]:
        """Return, per position, the ascending positions that it must not overlap."""
        if self.linear:
            begin, end = self.lives
            rows: list[NDArray[np.int32]] = []
            for i in range(len(self.members)):
                meets = (begin < end[i]) & (begin[i] < end)
                meets[i] = False
                rows.append(np.flatnonzero(meets).astype(np.int32))
            return rows
        position = {member: i for i, member in enumerate(self.members)}
        return [
            np.array([position[c] for c in self.items.conflicts[m] if c in position], np.int32)
            for m in self.members
        ]

    @cached_property
    def reserved(self) -> Ints:
        """Return the reserved ranges of the pool, ascending and disjoint, shape (ranges, 2)."""
        merged: list[list[int]] = []
        for start, end in sorted(self.pool.reserved):
            if merged and start <= merged[-1][1]:
                merged[-1][1] = max(merged[-1][1], end)
            else:
                merged.append([start, end])
        return np.array(merged, np.int64).reshape(-1, 2)


def stack_of(items: Items, pool: int, members: Sequence[int]) -> Stack:
    """Return the stack of the given items in a pool that is a candidate of each of them."""
    candidates = tuple(
        next(candidate for candidate in items.all[member].candidates if candidate.pool == pool)
        for member in members
    )
    return Stack(items, items.problem.pools[pool], tuple(members), candidates)


def whole_stack(items: Items) -> Stack:
    """Return all items as if their preferred pools were one pool; used to compute orders."""
    candidates = tuple(item.candidates[0] for item in items.all)
    return Stack(items, items.problem.pools[0], tuple(range(len(items.all))), candidates)
