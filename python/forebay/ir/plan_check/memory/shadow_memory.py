"""Shadow memory: whether the bytes of each buffer still hold its contents. Knows no IR.

::

    FRESH         allocated: the buffer owns its bytes, but nothing is in them
    DEFINED       something is in them; a write to an overlapping buffer breaks the buffer
    BROKEN        the bytes hold something else now; a new allocation repairs this, a write
                  of a part does not
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Generic, NamedTuple, TypeVar

_Place = TypeVar("_Place")


class BufferState(IntEnum):
    """The state of a buffer's bytes; a greater state is more dangerous."""

    FRESH = 0
    DEFINED = 1
    BROKEN = 2


class Mark(NamedTuple, Generic[_Place]):
    """The state of a buffer; of a broken one also the buffer that was written, and where."""

    state: BufferState
    by: int = -1
    where: _Place | None = None


class PlacedBytes(NamedTuple):
    """Bytes `[start, end)` of a pool."""

    pool: str
    start: int
    end: int

    def overlaps(self, other: PlacedBytes) -> bool:
        """Return whether the two have a byte in common; no bytes share none."""
        is_one_pool = self.pool == other.pool
        return is_one_pool and max(self.start, other.start) < min(self.end, other.end)


class _DefinedBuffers:
    """The defined buffers of a pool, in the order of their first bytes."""

    def __init__(self, places: Sequence[PlacedBytes]) -> None:
        self._places = places
        self._order: list[tuple[int, int]] = []
        """First byte and number of each buffer."""
        self._longest = 0
        """At least the size of the largest buffer."""

    def add(self, buffer: int) -> None:
        """Add a buffer, unless it is there."""
        place = self._places[buffer]
        entry = (place.start, buffer)
        at = bisect_left(self._order, entry)
        if self._order[at : at + 1] != [entry]:
            self._order.insert(at, entry)
            self._longest = max(self._longest, place.end - place.start)

    def discard(self, buffer: int) -> None:
        """Remove a buffer, if it is there."""
        entry = (self._places[buffer].start, buffer)
        at = bisect_left(self._order, entry)
        if self._order[at : at + 1] == [entry]:
            del self._order[at]

    def overlapping(self, place: PlacedBytes) -> list[int]:
        """Return the buffers that have a byte in common with a place, by number."""
        first = bisect_left(self._order, (place.start - self._longest, -1))
        behind = bisect_left(self._order, (place.end, -1))
        near = (buffer for _, buffer in self._order[first:behind])
        return sorted(buffer for buffer in near if place.overlaps(self._places[buffer]))


class ShadowMemory(Generic[_Place]):
    """The marks of all buffers by number; `places[i]` are the bytes of buffer `i`.

    A buffer that shares bytes with no other has no mark, because no write can break it, unless it
    is one of `watched`. A write looks only at the defined buffers near its bytes. They hardly share
    bytes, since a write breaks those that share the written ones, so there are few of them.
    """

    def __init__(self, places: Sequence[PlacedBytes], watched: Iterable[int] = ()) -> None:
        self._places = places
        self._is_marked = _shared(places)
        for buffer in watched:
            self._is_marked[buffer] = True
        self._marks: dict[int, Mark[_Place]] = {}
        self.changes = 0
        """Number of marks that were set; while it stays the same, no mark has changed."""
        self.breaks = 0
        """Number of marks that were set in another way than from FRESH to DEFINED."""
        self.version = 0
        """Number of changes of marks, also by continuing with the marks of another path."""
        self._defined: dict[str, _DefinedBuffers] = defaultdict(lambda: _DefinedBuffers(places))
        self._broken: dict[PlacedBytes, set[int]] = defaultdict(set)

    def watch(self, buffer: int) -> None:
        """Mark a buffer that was added to the places, from its first allocation on."""
        self._is_marked += [True] * (buffer + 1 - len(self._is_marked))

    @property
    def marks(self) -> Mapping[int, Mark[_Place]]:
        """The marks by buffer."""
        return self._marks

    def restore(self, marks: Mapping[int, Mark[_Place]]) -> None:
        """Continue with other marks; most of them are the same on all paths."""
        if self._marks == marks:
            return
        for buffer in self._marks.keys() - marks.keys():
            self.version += 1
            place = self._places[buffer]
            self._defined[place.pool].discard(buffer)
            self._broken[place].discard(buffer)
        for buffer, mark in marks.items():
            if self._marks.get(buffer) is not mark:
                self.version += 1
                self._count(buffer, mark.state)
        self._marks = dict(marks)

    def allocate(self, buffer: int) -> None:
        """Begin a new instance of the buffer."""
        if self._is_marked[buffer]:
            self._mark(buffer, Mark(BufferState.FRESH))

    def define(self, buffer: int) -> None:
        """Record that the buffer is used, and holds something from now on."""
        mark = self._marks.get(buffer)
        if mark is not None and mark.state is BufferState.FRESH:
            self._mark(buffer, Mark(BufferState.DEFINED))

    def write(self, buffer: int, where: _Place) -> None:
        """Record a write to bytes of the buffer, which breaks other buffers with these bytes."""
        self.define(buffer)
        place = self._places[buffer]
        for other in self._defined[place.pool].overlapping(place):
            if other != buffer:
                self._mark(other, Mark(BufferState.BROKEN, buffer, where))

    def repair(self, place: PlacedBytes) -> None:
        """Repair the buffers at exactly these bytes: all of them were written."""
        for buffer in sorted(self._broken[place]):
            self._mark(buffer, Mark(BufferState.DEFINED))

    def _mark(self, buffer: int, mark: Mark[_Place]) -> None:
        known = self._marks.get(buffer)
        is_new = known is not None and known.state is BufferState.FRESH
        self.changes += 1
        self.version += 1
        self.breaks += not (is_new and mark.state is BufferState.DEFINED)
        self._marks[buffer] = mark
        self._count(buffer, mark.state)

    def _count(self, buffer: int, state: BufferState) -> None:
        place = self._places[buffer]
        defined, broken = self._defined[place.pool], self._broken[place]
        (defined.add if state is BufferState.DEFINED else defined.discard)(buffer)
        (broken.add if state is BufferState.BROKEN else broken.discard)(buffer)

    def is_fresh(self, buffer: int) -> bool:
        """Return whether nothing is in the buffer yet; only known for one that is marked."""
        mark = self._marks.get(buffer)
        return mark is not None and mark.state is BufferState.FRESH

    def broken_mark_of(self, buffer: int) -> Mark[_Place] | None:
        """Return the mark of a broken buffer, or None for a sound one."""
        mark = self._marks.get(buffer)
        return mark if mark is not None and mark.state is BufferState.BROKEN else None

    def copy_marks(self) -> dict[int, Mark[_Place]]:
        """Return a copy of the current marks."""
        return dict(self._marks)


def _shared(places: Sequence[PlacedBytes]) -> list[bool]:
    """Return, for each buffer, whether another one has a byte in common with it.

    In the order of their starts, a buffer shares bytes with an earlier one if it starts before the
    furthest end of those, and with a later one if the next one starts before its end.
    """
    found = [False] * len(places)
    order = sorted(range(len(places)), key=lambda number: places[number])
    furthest: dict[str, int] = {}
    """By pool: the earlier buffer with the furthest end."""
    for number in order:
        place = places[number]
        if place.start >= place.end:
            continue
        other = furthest.get(place.pool)
        if other is not None and places[other].end > place.start:
            found[number] = found[other] = True
        if other is None or places[other].end < place.end:
            furthest[place.pool] = number
    return found
