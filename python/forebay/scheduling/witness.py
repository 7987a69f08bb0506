"""A plan that is updated while lifetimes grow and copies are added, one buffer at a time."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from forebay.planning import Buffer, Lifetime, Plan, Pool, Problem
from forebay.planning.search.holes import lowest_hole

_ALWAYS = (0, 2**62)


class _Row(Struct, frozen=True):
    """An interval of a buffer's lifetime with its offset and size in bytes."""

    start: int
    end: int
    offset: int
    size: int


class _PoolRows:
    """The buffers of a pool as arrays: one row per interval of a lifetime."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._rows: NDArray[np.int64] = np.zeros((64, 4), np.int64)
        self._count = 0
        self._of: dict[int, list[int]] = {}

    def put(self, number: int, rows: list[_Row]) -> None:
        """Set the intervals of a buffer, and remove its earlier ones."""
        for row in self._of.pop(number, ()):
            self._rows[row] = 0
        self._of[number] = []
        for row in rows:
            if self._count == len(self._rows):
                self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
            self._rows[self._count] = (row.start, row.end, row.offset, row.size)
            self._of[number].append(self._count)
            self._count += 1

    def rows_of(self, number: int) -> list[_Row]:
        """Return the intervals of a buffer, with offset and size."""
        return [_Row(*map(int, self._rows[row])) for row in self._of.get(number, ())]

    def taken_during(self, lifetime: Lifetime, but: int) -> list[tuple[int, int]]:
        """Return the byte ranges of other buffers that are live during a lifetime, sorted."""
        rows = self._rows[: self._count]
        overlaps = np.zeros(self._count, np.bool_)
        for start, end in lifetime:
            overlaps |= (rows[:, 0] < end) & (rows[:, 1] > start)
        overlaps[self._of.get(but, [])] = False
        ranges = {(int(offset), int(offset + size)) for offset, size in rows[overlaps][:, 2:]}
        return sorted(ranges | {(start, end) for start, end in self.pool.reserved})


class Witness:
    """A plan, and the buffers of its problem by number."""

    def __init__(self, found: Plan) -> None:
        problem = found.problem
        self._problem: Problem = problem
        self._pools = {pool.name: _PoolRows(pool) for pool in problem.pools}
        self._pool_of: dict[int, _PoolRows] = {}
        self._has_pairs = {name for pair in problem.conflicts for name in pair}
        for number, buffer in enumerate(problem.buffers):
            place = found.placements[buffer.name]
            rows = self._pools[place.pool]
            self._pool_of[number] = rows
            size = problem.taken_in(buffer, rows.pool)
            spans = [_ALWAYS] if buffer.always_live else buffer.lifetime
            rows.put(number, [_Row(start, end, place.offset, size) for start, end in spans])

    def admits(self, longer: Mapping[int, Buffer], more: Mapping[int, int]) -> bool:
        """Return whether these lifetimes, and so many more copies, fit beside all others.

        If so, use them from now on. False may mean that a plan exists in which more buffers move.
        """
        before = {number: self._pool_of[number].rows_of(number) for number in longer}
        known = len(self._pool_of)
        if all(self._admit(number, buffer, more[number]) for number, buffer in longer.items()):
            return True
        for changed, rows in before.items():
            self._pool_of[changed].put(changed, rows)
        for copy in range(known, len(self._pool_of)):
            self._pool_of.pop(copy).put(copy, [])
        return False

    def _admit(self, number: int, buffer: Buffer, more: int) -> bool:
        if buffer.name in self._has_pairs or not self._extend(number, buffer):
            return False
        return all(self._copy(number, buffer) for _ in range(more))

    def _extend(self, number: int, buffer: Buffer) -> bool:
        """Change the lifetime of a buffer, which keeps its offset if possible."""
        if buffer.always_live:
            return True
        rows = self._pool_of[number]
        known = rows.rows_of(number)[0]
        taken = rows.taken_during(buffer.lifetime, number)
        offset, size = known.offset, known.size
        if any(low < offset + size and offset < high for low, high in taken):
            return buffer.pinned_offset is None and self._place(number, buffer, size)
        rows.put(number, [_Row(start, end, offset, size) for start, end in buffer.lifetime])
        return True

    def _copy(self, number: int, buffer: Buffer) -> bool:
        """Add a copy of a buffer in the same pool."""
        if buffer.always_live or buffer.pinned_offset is not None:
            return False
        copy, rows = len(self._pool_of), self._pool_of[number]
        self._pool_of[copy] = rows
        return self._place(copy, buffer, rows.rows_of(number)[0].size)

    def _place(self, number: int, buffer: Buffer, size: int) -> bool:
        """Put a buffer into the lowest hole of its pool."""
        rows = self._pool_of[number]
        taken = rows.taken_during(buffer.lifetime, number)
        alignment = self._problem.alignment_in(buffer, rows.pool)
        offset = lowest_hole(rows.pool, taken, size, alignment)
        if rows.pool.capacity is not None and offset + size > rows.pool.capacity:
            return False
        rows.put(number, [_Row(start, end, offset, size) for start, end in buffer.lifetime])
        return True
