"""The items of a sequence that must have ended before another may begin.

An index of the accesses to each object finds the earlier ones that conflict. Accesses are looked up
by the span of elements between their first and last one, in row-major order, so tiles of one tensor
are not compared with each other. An access that a later write covers is dropped: what conflicts
with it is behind that write, too.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from mlir import ir

from forebay.ir.identity import identity_of
from forebay.ir.liveness.memory_effects import MemoryEffect
from forebay.ir.memory.underlying import Base
from forebay.ir.nested import ops_in
from forebay.scheduling.straight.items import SchedulingRegion


def dependences_of(region: SchedulingRegion) -> list[set[int]]:
    """Return, for each item, the numbers of the earlier items that it is behind."""
    found = _behind_producers(region)
    index = _Index()
    for number, item in enumerate(region.items):
        for effect in item.effects:
            found[number] |= index.conflicting(effect)
        for effect in item.effects:
            index.add(number, effect)
    return found


_ANYWHERE = (0, -1)
"""The span of an access to unknown elements."""


@dataclass(frozen=True, order=True)
class _Access:
    """An access of an item to the elements `[low, high)` of a base."""

    low: int
    high: int
    item: int
    effect: MemoryEffect = field(compare=False)


@dataclass
class _Accesses:
    """The accesses to one base of one object, sorted; those of unknown elements apart."""

    sorted: list[_Access] = field(default_factory=list[_Access])
    longest: int = 0
    anywhere: list[_Access] = field(default_factory=list[_Access])

    def add(self, access: _Access) -> None:
        if access.high < 0:
            self.anywhere.append(access)
        else:
            insort(self.sorted, access)
            self.longest = max(self.longest, access.high - access.low)

    def near(self, low: int, high: int) -> Iterable[_Access]:
        """Return the accesses that may share an element with `[low, high)`; all if unknown."""
        if high < 0:
            return (*self.anywhere, *self.sorted)
        first = bisect_left(self.sorted, low - self.longest, key=lambda access: access.low)
        end = bisect_left(self.sorted, high, key=lambda access: access.low)
        return (*self.anywhere, *self.sorted[first:end])

    def drop_covered(self, access: _Access) -> None:
        """Drop earlier accesses to elements that an access overwrites."""
        region = access.effect.region
        if region is None or access.high < 0 or not region.is_exact:
            return
        first = bisect_left(self.sorted, access.low, key=lambda other: other.low)
        end = bisect_left(self.sorted, access.high, key=lambda other: other.low)
        self.sorted[first:end] = [
            other
            for other in self.sorted[first:end]
            if other.effect.region is None or not region.covers(other.effect.region)
        ]


class _Index:
    """The accesses of the items so far: reads and writes, by object and by base of the region."""

    def __init__(self) -> None:
        self._reads, self._writes = _ByObject(), _ByObject()

    def conflicting(self, effect: MemoryEffect) -> set[int]:
        """Return the items whose accesses conflict with an effect."""
        found = self._writes.conflicting(effect)
        return found | self._reads.conflicting(effect) if effect.writes else found

    def add(self, item: int, effect: MemoryEffect) -> None:
        """Add an effect of an item."""
        access = _Access(*_span(effect), item, effect)
        if effect.writes:
            self._reads.drop_covered(access)
            self._writes.drop_covered(access)
            self._writes.add(access)
        else:
            self._reads.add(access)


class _ByObject:
    """Accesses by object, "" for any object, and by the base of the region, "" if unknown."""

    def __init__(self) -> None:
        self._of: dict[Base, dict[Base, _Accesses]] = defaultdict(lambda: defaultdict(_Accesses))

    def conflicting(self, effect: MemoryEffect) -> set[int]:
        """Return the items whose accesses conflict with an effect."""
        span = _span(effect)
        objects = list(self._of) if effect.objects is None else ["", *effect.objects]
        return {
            access.item
            for object_ in objects
            if object_ in self._of
            for base, accesses in self._of[object_].items()
            for access in accesses.near(*(span if _is_same(base, _base(effect)) else _ANYWHERE))
            if access.effect.conflicts(effect)
        }

    def drop_covered(self, access: _Access) -> None:
        """Drop earlier accesses that an access to one known object covers."""
        objects = access.effect.objects
        if objects is not None and len(objects) == 1:
            (object_,) = objects
            if object_ in self._of:
                self._of[object_][_base(access.effect)].drop_covered(access)

    def add(self, access: _Access) -> None:
        """Add an access."""
        effect = access.effect
        objects: Iterable[Base] = ("",) if effect.objects is None else effect.objects
        for object_ in objects:
            self._of[object_][_base(effect)].add(access)


def _base(effect: MemoryEffect) -> Base:
    return "" if effect.region is None else effect.region.base


def _is_same(one: Base, other: Base) -> bool:
    return isinstance(one, str) == isinstance(other, str) and one == other


def _span(effect: MemoryEffect) -> tuple[int, int]:
    """Return the first element of the box and the one behind its last, or `_ANYWHERE`.

    The elements of a global are counted in its outermost dimension only.
    """
    region = effect.region
    box = None if region is None else region.box
    if region is None or not box:
        return _ANYWHERE
    if isinstance(region.base, str):
        begin, extent = box[0]
        return begin, begin + extent
    low = high = 0
    for (begin, extent), size in zip(box, ir.MemRefType(region.base.type).shape, strict=True):
        low, high = low * size + begin, high * size + begin + extent - 1
    return low, high + 1


def _behind_producers(region: SchedulingRegion) -> list[set[int]]:
    """Return, for each item, the items whose results it uses, directly or through pure ops."""
    numbers = {identity_of(item.op): number for number, item in enumerate(region.items)}
    found: list[set[int]] = [set() for _ in region.items]
    known: dict[ir.Value, frozenset[int]] = {}
    for op in region.ops:
        behind = frozenset[int]().union(
            *(known[value] for inner in ops_in(op) for value in inner.operands if value in known)
        )
        number = numbers.get(identity_of(op))
        if number is not None:
            found[number] |= behind
            behind = frozenset((number,))
        if behind:
            known.update(dict.fromkeys(op.results, behind))
    return found
