"""Loop-invariant copies run once: loads before the loop, stores after it."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import scf

from forebay.ir.liveness.memory_effects import MemoryEffect
from forebay.ir.memory.loop_counters import loop_counted_by
from forebay.ir.nested import ops_of
from forebay.scheduling.accesses import BlockAccesses
from forebay.scheduling.moving import Context, Copy, allocs_in, needs_of, trips
from forebay.scheduling.trial_plan import LifetimeExtension


def hoist(context: Context) -> bool:
    """Move copies out of the loops of the function, inner loops first; return whether any moved."""
    function = context.function.function
    loops = ops_of(function, scf.ForOp)
    changed = False
    for loop in reversed(loops):
        mover = _Mover(loop, context)
        while mover.move_copies():
            changed = True
    return changed


class _Mover:
    """The copies in the body of a loop, and the other accesses in it."""

    def __init__(self, loop: scf.ForOp, context: Context) -> None:
        self._loop, self._context = loop, context
        self._accesses = BlockAccesses(loop.body, context.effects)

    def move_copies(self) -> bool:
        """Try every copy once; return whether any moved."""
        changed = False
        for place, op in enumerate(self._accesses.ops):
            if op is not None and self._context.is_movable(op):
                needs = needs_of(op, self._loop.body)
                if needs is not None and (
                    self._hoist(place, op, needs) or self._sink(place, op, needs)
                ):
                    self._accesses.remove(place)
                    changed = True
        return changed

    def _hoist(self, place: int, copy: Copy, needs: Sequence[ir.OpView]) -> bool:
        """Move a load in front of the loop, with the buffer that the loop allocates for it."""
        read, write = self._context.ends_of(copy)
        if _is_on(read, needs) or self._is_written(read, place) or self._is_written(write, place):
            return False
        if not trips(self._loop) and not (_is_counted(read) and _is_counted(write)):
            return False  # the loop may not run, and the address may be out of bounds
        made = allocs_in(needs)
        if not made:
            if any(access.place < place for access in self._accesses.overlapping_reads(write)):
                return False
            if not trips(self._loop) and self._is_seen_outside(write):
                return False
        elif not self._context.plan.admits(
            [LifetimeExtension(a.memref, [self._loop]) for a in made]
        ):
            return False
        for op in (*needs, copy):
            op.move_before(self._loop)
        return True

    def _sink(self, place: int, copy: Copy, needs: Sequence[ir.OpView]) -> bool:
        """Move a store after the loop, where it stores what the last iteration leaves."""
        read, write = self._context.ends_of(copy)
        if allocs_in(needs) or not trips(self._loop) or self._is_written(write, place):
            return False
        if self._accesses.overlapping_reads(write):
            return False
        if any(access.place > place for access in self._accesses.overlapping_writes(read)):
            return False
        for op in needs:
            op.move_before(self._loop)
        copy.move_after(self._loop)
        return True

    def _is_written(self, effect: MemoryEffect, place: int) -> bool:
        """Return whether another op in the loop may write an element of the effect."""
        return any(access.place != place for access in self._accesses.overlapping_writes(effect))

    def _is_seen_outside(self, write: MemoryEffect) -> bool:
        """Return whether code outside of the loop may access what is written."""
        function = self._context.function
        return not function.is_local(write) or any(
            not _is_within(effect.op, self._loop) for effect in function.users(write)
        )


def _is_counted(effect: MemoryEffect) -> bool:
    """Return whether only constants and induction variables decide which elements it accesses."""
    spans = None if effect.region is None else effect.region.spans
    terms = [value for span in spans or () for value in span.begin.terms]
    return spans is not None and all(loop_counted_by(value) is not None for value in terms)


def _is_within(op: ir.OpView, loop: scf.ForOp) -> bool:
    around = op.operation.parent
    while around is not None:
        if around.operation == loop.operation:
            return True
        around = around.operation.parent
    return False


def _is_on(effect: MemoryEffect, made: Sequence[ir.OpView]) -> bool:
    """Return whether the effect may be on a buffer that one of the ops allocates."""
    allocated = {alloc.memref for alloc in allocs_in(made)}
    return effect.objects is None or bool(allocated & effect.objects)
