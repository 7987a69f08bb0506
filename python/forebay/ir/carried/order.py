"""Stores that happen at once, one after the other: the parallel copy of register allocation.

At the end of an iteration, every carried buffer gets its next value, and a value may still be in
another carried buffer. A buffer may be overwritten when no value that is to be stored is in it:

    p <- q, q <- t            store p, then q
    p <- q, q <- p            a cycle: save p's next value, store q, then p from what was saved

Each cycle of values that are in one buffer each costs one saved value, which is the least possible.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass


@dataclass(frozen=True)
class Save:
    """Keep the value of a target elsewhere until it is stored."""

    target: int


@dataclass(frozen=True)
class Store:
    """Write the value of a target, or what was saved of it, into the target."""

    target: int


Step = Save | Store


def stores_in_order(sources: Mapping[int, AbstractSet[int]]) -> Iterator[Step]:
    """Yield the steps after which each target has its value.

    `sources[i]` are the targets in whose storage the value of target `i` may be before the first
    store; storage that is no target is nobody's concern, and neither is a target's own.
    """
    readers = _Readers(sources)
    waiting = dict.fromkeys(sources)
    free = [target for target in sources if not readers.of(target)]
    while waiting:
        if not free:
            saved = _in_a_cycle(next(iter(waiting)), readers)
            yield Save(saved)
            free += readers.release(saved)
            continue
        target = free.pop(0)
        del waiting[target]
        yield Store(target)
        free += readers.release(target)


class _Readers:
    """Of each target, the other targets whose values are in it and are neither stored nor saved."""

    def __init__(self, sources: Mapping[int, AbstractSet[int]]) -> None:
        self._sources = {i: [s for s in of if s in sources and s != i] for i, of in sources.items()}
        self._readers: dict[int, dict[int, None]] = {target: {} for target in sources}
        for reader, of in self._sources.items():
            for source in sorted(of):
                self._readers[source][reader] = None

    def of(self, target: int) -> list[int]:
        """The targets that still read the target."""
        return list(self._readers[target])

    def release(self, reader: int) -> list[int]:
        """The reader has what it needs; the targets that nobody else reads any more."""
        freed: list[int] = []
        for source in self._sources.pop(reader, ()):
            del self._readers[source][reader]
            if not self._readers[source]:
                freed.append(source)
        return freed


def _in_a_cycle(start: int, readers: _Readers) -> int:
    """A target on a cycle, reached from `start` by going from each target to a reader of it."""
    seen: set[int] = set()
    while start not in seen:
        seen.add(start)
        start = readers.of(start)[0]
    return start
