"""The order of simultaneous stores: the parallel-copy problem of register allocation.

At the end of an iteration, every carried buffer gets its next value. That value may still be in
another carried buffer. A buffer may be overwritten when it holds no value that is still to be
stored:

    p <- q, q <- t            store p, then q
    p <- q, q <- p            a cycle: save p's next value, store q, then p from what was saved

Each cycle of values that are in one buffer each costs one saved value, which is the minimum.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet

from msgspec import Struct


class Save(Struct, frozen=True):
    """A step that saves the value of a target elsewhere until it is stored."""

    target: int


class Store(Struct, frozen=True):
    """A step that writes the value of a target, or its saved copy, into the target."""

    target: int


Step = Save | Store


def stores_in_order(sources: Mapping[int, AbstractSet[int]]) -> Iterator[Step]:
    """Yield the steps after which each target has its value.

    `sources[i]` are the targets whose storage may hold the value of target `i` before the first
    store. Storage that is not a target is ignored, and so is the target itself.
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
    """For each target, the others whose values are in it and are neither stored nor saved."""

    def __init__(self, sources: Mapping[int, AbstractSet[int]]) -> None:
        self._sources = {i: [s for s in of if s in sources and s != i] for i, of in sources.items()}
        self._readers: dict[int, dict[int, None]] = {target: {} for target in sources}
        for reader, of in self._sources.items():
            for source in sorted(of):
                self._readers[source][reader] = None

    def of(self, target: int) -> list[int]:
        """Return the targets whose values are still in the target."""
        return list(self._readers[target])

    def release(self, reader: int) -> list[int]:
        """Remove a reader that is stored or saved; return the targets left without readers."""
        freed: list[int] = []
        for source in self._sources.pop(reader, ()):
            del self._readers[source][reader]
            if not self._readers[source]:
                freed.append(source)
        return freed


def _in_a_cycle(start: int, readers: _Readers) -> int:
    """Return a target on a cycle, found by going from each target to one of its readers."""
    seen: set[int] = set()
    while start not in seen:
        seen.add(start)
        start = readers.of(start)[0]
    return start
