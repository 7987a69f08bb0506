"""An index of memory accesses: finds the accesses that may overlap without a look at every op.

Tiles of one buffer are boxes. The index looks up the boxes that may overlap a box dimension by
dimension, so a thousand tiles of a buffer are not compared with each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mlir import ir
from mlir.dialects import func

from forebay.ir.liveness.memory_effects import MemoryEffect, MemoryEffects
from forebay.ir.memory.underlying import Base
from forebay.ir.nested import ops_nested_in

_Box = tuple[tuple[int, int], ...]
"""Begin and extent of each dimension."""


@dataclass(eq=False)
class BlockAccess:
    """A memory effect of the op at position `place` of a block, or of an op inside that op.

    `is_over` marks an access whose op was removed.
    """

    place: int
    effect: MemoryEffect
    is_over: bool = False


class BoxIndex:
    """The accesses to one object, by their position in it."""

    def __init__(self) -> None:
        self._by_base: dict[Base, dict[Any, Any]] = {}
        self._others: list[BlockAccess] = []

    def add(self, access: BlockAccess) -> None:
        """Add an access."""
        region = access.effect.region
        box = None if region is None else region.box
        if region is None or not box:
            self._others.append(access)
            return
        level = self._by_base.setdefault(region.base, {})
        for span in box[:-1]:
            level = level.setdefault(span, {})
        level.setdefault(box[-1], []).append(access)

    def overlapping(self, effect: MemoryEffect) -> Iterator[BlockAccess]:
        """Yield the accesses that may overlap the effect, which must be on this object, too."""
        region = effect.region
        box = None if region is None else region.box
        for access in self._others:
            if access.effect.may_overlap(effect):
                yield access
        for base, boxes in self._by_base.items():
            if region is not None and box and base == region.base:
                yield from _inside(boxes, box)
            else:
                yield from (a for a in _all(boxes) if a.effect.may_overlap(effect))


def _inside(level: dict[Any, Any], box: _Box) -> Iterator[BlockAccess]:
    (begin, extent), rest = box[0], box[1:]
    for (other, size), inner in level.items():
        if other < begin + extent and begin < other + size:
            yield from _inside(inner, rest) if rest else inner


def _all(level: dict[Any, Any]) -> Iterator[BlockAccess]:
    for inner in level.values():
        yield from _all(inner) if isinstance(inner, dict) else inner


class BlockAccesses:
    """The memory accesses of the ops of a block, in order; a rewrite of the block updates it."""

    def __init__(self, block: ir.Block, effects: MemoryEffects) -> None:
        self._effects = effects
        self.ops: list[ir.OpView | None] = list(block.operations)
        self._reads: dict[Base | None, BoxIndex] = defaultdict(BoxIndex)
        self._writes: dict[Base | None, BoxIndex] = defaultdict(BoxIndex)
        self._at: dict[int, list[BlockAccess]] = {}
        for place, op in enumerate(block.operations):
            self._add(place, op)

    def overlapping_reads(self, effect: MemoryEffect) -> list[BlockAccess]:
        """Return the accesses that may read an element of the effect, by position."""
        return _overlapping(self._reads, effect)

    def overlapping_writes(self, effect: MemoryEffect) -> list[BlockAccess]:
        """Return the accesses that may write an element of the effect, by position."""
        return _overlapping(self._writes, effect)

    def remove(self, place: int) -> None:
        """Record that the op at this position was removed."""
        for access in self._at.pop(place, ()):
            access.is_over = True
        self.ops[place] = None

    def replace(self, place: int, op: ir.OpView) -> None:
        """Record that another op is at this position now."""
        self.remove(place)
        self.ops[place] = op
        self._add(place, op)

    def _add(self, place: int, op: ir.OpView) -> None:
        found = [BlockAccess(place, effect) for effect in self._effects.effects_of(op)]
        if found:
            self._at[place] = found
        for access in found:
            effect = access.effect
            for base in (None,) if effect.objects is None else effect.objects:
                if effect.reads:
                    self._reads[base].add(access)
                if effect.writes:
                    self._writes[base].add(access)


def _overlapping(index: dict[Base | None, BoxIndex], effect: MemoryEffect) -> list[BlockAccess]:
    """Return the accesses of the index that may overlap the effect, by position.

    The key None holds the accesses to unknown objects, which may be any.
    """
    bases: Iterable[Base | None]
    bases = list(index) if effect.objects is None else (None, *effect.objects)
    found = {
        access: None
        for base in bases
        if base in index
        for access in index[base].overlapping(effect)
        if not access.is_over
    }
    return sorted(found, key=lambda access: access.place)


class FunctionAccesses:
    """The accesses of a function by object."""

    def __init__(self, function: func.FuncOp, effects: MemoryEffects) -> None:
        self.function, self.effects = function, effects
        self._by_object: dict[Base | None, dict[MemoryEffect, None]] = defaultdict(dict)
        for op in ops_nested_in(function):
            self.add(op)

    def users(
        self, effect: MemoryEffect, *, but: Sequence[ir.OpView] = ()
    ) -> Iterator[MemoryEffect]:
        """Yield all effects on the objects of `effect`, except those of the ops `but`."""
        bases: Iterable[Base | None]
        bases = list(self._by_object) if effect.objects is None else (None, *effect.objects)
        for base in bases:
            for other in self._by_object.get(base, ()):
                if other.op not in but:
                    yield other

    def is_local(self, effect: MemoryEffect) -> bool:
        """Return whether the effect is only on the function's own allocations."""
        return self.effects.is_local_to(self.function, effect)

    def add(self, op: ir.OpView) -> None:
        """Record that the op is in the function now."""
        for effect in self.effects.own_effects_of(op):
            for base in (None,) if effect.objects is None else effect.objects:
                self._by_object[base][effect] = None

    def remove(self, op: ir.OpView) -> None:
        """Record that the op is about to be erased."""
        for effect in self.effects.own_effects_of(op):
            for base in (None,) if effect.objects is None else effect.objects:
                del self._by_object[base][effect]
        self.effects.forget(op)
