"""The ops of a block that access a buffer, in order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from mlir import ir
from msgspec import Struct

from forebay.ir.identity import identity_of
from forebay.ir.liveness.memory_effects import MemoryEffect, MemoryEffects
from forebay.ir.memory.underlying import Base


class PositionedEffect(Struct, frozen=True, eq=False):
    """An effect of the op at a position of the block, or of an op inside it."""

    position: int
    effect: MemoryEffect


class AccessesByObject:
    """The accesses of all ops of a block, by the object.

    `is_complete` is False where an op may access any object.
    """

    def __init__(self, block: ir.Block, effects: MemoryEffects) -> None:
        self.body = list(block.operations)
        self.is_complete = True
        self._positions = {identity_of(op): n for n, op in enumerate(self.body)}
        self._of: dict[Base, list[PositionedEffect]] = defaultdict(list)
        self._at: dict[int, list[MemoryEffect]] = defaultdict(list)
        for position, op in enumerate(self.body):
            for effect in effects.effects_of(op):
                self.is_complete &= effect.objects is not None
                self._at[position].append(effect)
                for object_ in effect.objects or ():
                    self._of[object_].append(PositionedEffect(position, effect))

    def of(self, object_: Base) -> Sequence[PositionedEffect]:
        """Return the accesses of an object, in order."""
        return self._of.get(object_, ())

    def position(self, op: ir.OpView) -> int:
        """Return the place of an op in the block, or that of the op around it."""
        while identity_of(op) not in self._positions:
            parent = op.operation.parent
            assert parent is not None, "the op is not in the block"
            op = parent.opview
        return self._positions[identity_of(op)]

    def written_at(self, position: int) -> MemoryEffect:
        """Return what a copy writes."""
        return next(effect for effect in self._at[position] if effect.writes)

    def is_changed_behind(self, position: int, copy: int) -> bool:
        """Return whether an op behind a position writes what a copy reads."""
        read = next(effect for effect in self._at[copy] if effect.reads)
        return any(
            access.position > position and access.effect.writes
            for object_ in read.objects or ()
            for access in self.of(object_)
        )
