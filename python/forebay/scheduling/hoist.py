"""Copies that are the same in every iteration, once: loads before the loop, stores behind it."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import func, scf

from forebay.ir.effects import Effect, Memory, conflict
from forebay.ir.nested import ops_nested_in
from forebay.scheduling.moving import (
    Copy,
    allocs_in,
    body_of,
    ends_of,
    in_flight,
    is_copy,
    is_local_to,
    needs_of,
    number_of,
    trips,
)
from forebay.scheduling.room import Room, Wish


def hoist(function: func.FuncOp, memory: Memory, room: Room) -> bool:
    """Take one copy out of a loop of the function, inner loops first; False where none may go."""
    loops = [op for op in ops_nested_in(function) if isinstance(op, scf.ForOp)]
    flying = in_flight(function, memory)
    for loop in reversed(loops):
        for op in body_of(loop):
            if is_copy(op) and not conflict(flying, ends_of(op, memory)):
                mover = _Mover(op, loop, function, memory)
                if mover.hoist(room) or mover.sink():
                    return True
    return False


class _Mover:
    """A copy in a loop, what its operands need in there, and what else is in there."""

    def __init__(self, copy: Copy, loop: scf.ForOp, function: func.FuncOp, memory: Memory) -> None:
        self._copy, self._loop, self._function, self._memory = copy, loop, function, memory
        self._needs = needs_of(copy, loop.body)
        self._read, self._write = ends_of(copy, memory)
        body = body_of(loop)
        place = body.index(copy)
        self._before = list(memory.effects_in(body[:place]))
        self._after = list(memory.effects_in(body[place + 1 :]))

    def hoist(self, room: Room) -> bool:
        """Move a load in front of the loop, with a buffer that each iteration makes for it."""
        needs = self._needs
        if needs is None or _touch(self._read, needs, self._memory):
            return False
        others = [effect for effect in (*self._before, *self._after) if effect.writes]
        if any(effect.may_meet(end) for effect in others for end in (self._read, self._write)):
            return False
        made = allocs_in(needs)
        if not made:
            if any(effect.may_meet(self._write) for effect in self._before):
                return False
            if not trips(self._loop) and self._is_seen_outside():
                return False
        elif not room.fits([Wish(number_of(alloc, self._memory), [self._loop]) for alloc in made]):
            return False
        for op in (*needs, self._copy):
            op.move_before(self._loop)
        return True

    def sink(self) -> bool:
        """Move a store behind the loop, whose last iteration leaves what it stores."""
        needs = self._needs
        if needs is None or allocs_in(needs) or not trips(self._loop):
            return False
        if any(e.may_meet(self._write) for e in (*self._before, *self._after)):
            return False
        if any(effect.writes and effect.may_meet(self._read) for effect in self._after):
            return False
        for op in needs:
            op.move_before(self._loop)
        self._copy.move_after(self._loop)
        return True

    def _is_seen_outside(self) -> bool:
        """Whether somebody else than the loop has to do with what is written."""
        own = is_local_to(self._function, self._write, self._memory)
        inside = set(ops_nested_in(self._loop))
        outside = [op for op in ops_nested_in(self._function) if op not in inside]
        outside.remove(self._loop)
        return not own or any(
            effect.may_share(self._write)
            for op in outside
            for effect in self._memory.own_effects_of(op)
        )


def _touch(effect: Effect, made: Sequence[ir.OpView], memory: Memory) -> bool:
    """Whether the effect is on a buffer that is made by one of the ops."""
    numbers = {number_of(alloc, memory) for alloc in allocs_in(made)}
    return effect.buffers is None or bool(numbers & effect.buffers)
