"""Who accesses the same memory, found without looking at every op.

Tiles of one buffer are boxes: those that may meet a box are looked up dimension by dimension, so a
thousand tiles of a buffer are not compared with each other.
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

Box = tuple[tuple[int, int], ...]
"""Begin and extent by dimension."""


@dataclass(eq=False)
class BlockAccess:
    """An effect of the op at this place of a block, or of one inside of that; or a former one."""

    place: int
    effect: MemoryEffect
    is_over: bool = False


class BoxIndex:
    """Accesses to one object, by where in it they are."""

    def __init__(self) -> None:
        self._by_base: dict[Base, dict[Any, Any]] = {}
        self._others: list[BlockAccess] = []

    def add(self, access: BlockAccess) -> None:
        """Keep an access."""
        region = access.effect.region
        box = None if region is None else region.box
        if region is None or not box:
            self._others.append(access)
            return
        level = self._by_base.setdefault(region.base, {})
        for span in box[:-1]:
            level = level.setdefault(span, {})
        level.setdefault(box[-1], []).append(access)

    def meeting(self, effect: MemoryEffect) -> Iterator[BlockAccess]:
        """The accesses that may be about an element of the effect's, this object being its too."""
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


def _inside(level: dict[Any, Any], box: Box) -> Iterator[BlockAccess]:
    (begin, extent), rest = box[0], box[1:]
    for (other, size), inner in level.items():
        if other < begin + extent and begin < other + size:
            yield from _inside(inner, rest) if rest else inner


def _all(level: dict[Any, Any]) -> Iterator[BlockAccess]:
    for inner in level.values():
        yield from _all(inner) if isinstance(inner, dict) else inner


class BlockAccesses:
    """What the ops of a block do to memory, in their order; kept up to date by who rewrites it."""

    def __init__(self, block: ir.Block, effects: MemoryEffects) -> None:
        self._effects = effects
        self.ops: list[ir.OpView | None] = list(block.operations)
        self._reads: dict[Base | None, BoxIndex] = defaultdict(BoxIndex)
        self._writes: dict[Base | None, BoxIndex] = defaultdict(BoxIndex)
        self._at: dict[int, list[BlockAccess]] = {}
        for place, op in enumerate(block.operations):
            self._add(place, op)

    def reads_meeting(self, effect: MemoryEffect) -> list[BlockAccess]:
        """What may read an element of the effect's, by place."""
        return _meeting(self._reads, effect)

    def writes_meeting(self, effect: MemoryEffect) -> list[BlockAccess]:
        """What may write an element of the effect's, by place."""
        return _meeting(self._writes, effect)

    def remove(self, place: int) -> None:
        """The op there is gone."""
        for access in self._at.pop(place, ()):
            access.is_over = True
        self.ops[place] = None

    def replace(self, place: int, op: ir.OpView) -> None:
        """Another op is there now."""
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


def _meeting(index: dict[Base | None, BoxIndex], effect: MemoryEffect) -> list[BlockAccess]:
    """Under None: what may be about any object."""
    bases: Iterable[Base | None]
    bases = list(index) if effect.objects is None else (None, *effect.objects)
    found = {
        access: None
        for base in bases
        if base in index
        for access in index[base].meeting(effect)
        if not access.is_over
    }
    return sorted(found, key=lambda access: access.place)


class FunctionAccesses:
    """Who in a function accesses each object."""

    def __init__(self, function: func.FuncOp, effects: MemoryEffects) -> None:
        self.function, self.effects = function, effects
        self._by_object: dict[Base | None, dict[MemoryEffect, None]] = defaultdict(dict)
        for op in ops_nested_in(function):
            self.add(op)

    def users(
        self, effect: MemoryEffect, *, but: Sequence[ir.OpView] = ()
    ) -> Iterator[MemoryEffect]:
        """What other ops than some do to the objects of an effect, wherever in them."""
        bases: Iterable[Base | None]
        bases = list(self._by_object) if effect.objects is None else (None, *effect.objects)
        for base in bases:
            for other in self._by_object.get(base, ()):
                if other.op not in but:
                    yield other

    def is_local(self, effect: MemoryEffect) -> bool:
        """Whether the effect is on what the function allocates, which nobody else reads."""
        return self.effects.is_local_to(self.function, effect)

    def add(self, op: ir.OpView) -> None:
        """The op is in the function now."""
        for effect in self.effects.own_effects_of(op):
            for base in (None,) if effect.objects is None else effect.objects:
                self._by_object[base][effect] = None

    def remove(self, op: ir.OpView) -> None:
        """The op is about to be erased."""
        for effect in self.effects.own_effects_of(op):
            for base in (None,) if effect.objects is None else effect.objects:
                del self._by_object[base][effect]
        self.effects.forget(op)
