"""Removal of redundant copies: repeated, reversed, indirect or never read.

::

    move %a into %b                                 move %a into %b
    move %b into %c     ->  move %a into %c         move %x into %b     ->  move %x into %b

No op in between writes what is moved. The rewrites apply to straight-line code. At least one of the
two copies must be a device's transfer, because the assignment of pools has decided about copies of
the host.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from forebay.dialects import accel
from forebay.ir.liveness.memory_effects import MemoryEffect
from forebay.ir.memory.fitting import transfer_mismatch
from forebay.scheduling.accesses import BlockAccess, BlockAccesses
from forebay.scheduling.moving import Context, Copy, blocks_in, is_copy
from forebay.scheduling.trial_plan import LifetimeExtension


def shorten(context: Context) -> bool:
    """Remove and redirect copies of the function; return whether any changed."""
    changed = False
    for block in list(blocks_in(context.function.function)):
        rewriter = _Block(block, context)
        while rewriter.shorten():
            changed = True
    return changed


class _Block:
    """The copies of a block, in order."""

    def __init__(self, block: ir.Block, context: Context) -> None:
        self._context = context
        self._accesses = BlockAccesses(block, context.effects)
        self._copies = [n for n, op in enumerate(self._accesses.ops) if op and is_copy(op)]

    def shorten(self) -> bool:
        """Try every copy once; return whether any changed."""
        changed = False
        for place in self._copies:
            op = self._accesses.ops[place]
            if op is None or not self._context.is_movable(op):
                continue
            if self._is_dead(place, op):
                self._erase(place, op)
                changed = True
            else:
                changed = self._shorten_after(place, op) or changed
        return changed

    def _is_dead(self, place: int, copy: Copy) -> bool:
        """Return whether its target is overwritten, or its lifetime ends, before an op reads it."""
        if not isinstance(copy, accel.MoveOp):
            return False
        _, write = self._context.ends_of(copy)
        reads = [a for a in self._accesses.overlapping_reads(write) if a.place > place]
        end = reads[0].place if reads else len(self._accesses.ops)
        if any(
            place < access.place < end and _overwrites(access.effect, write)
            for access in self._accesses.overlapping_writes(write)
            if access.effect.op == self._accesses.ops[access.place]
        ):
            return True
        function = self._context.function
        return function.is_local(write) and not any(e.reads for e in function.users(write))

    def _shorten_after(self, place: int, copy: Copy) -> bool:
        """Rewrite later copies that copy the result of this one; return whether any changed."""
        ends = self._context.ends_of(copy)
        written = [a for end in ends for a in self._accesses.overlapping_writes(end)]
        end = min((a.place for a in written if a.place > place), default=None)
        changed = False
        for second in self._followers(place, ends[1], end):
            op = self._accesses.ops[second]
            assert op is not None and is_copy(op)
            if any(isinstance(each, accel.MoveOp) for each in (copy, op)):
                done = self._shorten_pair(place, copy, second, op)
                if done is not None:
                    return done or changed
        return changed

    def _followers(self, place: int, write: MemoryEffect, end: int | None) -> list[int]:
        """Return the copies that access what was written, up to the next write of either end."""
        met: list[BlockAccess] = self._accesses.overlapping_reads(write)
        met += self._accesses.overlapping_writes(write)
        places = {a.place for a in met if place < a.place and (end is None or a.place <= end)}
        return [n for n in sorted(places) if (op := self._accesses.ops[n]) and is_copy(op)]

    def _shorten_pair(self, place: int, copy: Copy, second: int, op: Copy) -> bool | None:
        """Return whether the pair was rewritten, or None if a later copy may still be."""
        context = self._context
        (from_, to), (read, write) = context.ends_of(copy), context.ends_of(op)
        source, target = copy.operands
        if is_same(read, op.operands[0], to, target):
            if is_same(write, op.operands[1], from_, source):
                if not context.plan.admits(_extensions(from_, (copy, op))):
                    return False
                self._erase(second, op)
                return True
            if self._is_private(to, (copy, op)) and not write.may_overlap(from_):
                return self._redirect(place, copy, second, op)
        if is_same(read, op.operands[0], from_, source) and is_same(
            write, op.operands[1], to, target
        ):
            self._erase(second, op)
            return True
        return None

    def _redirect(self, place: int, copy: Copy, second: int, op: Copy) -> bool:
        """Let the second copy read the source of the first one, and erase the first copy."""
        context = self._context
        source, _ = context.ends_of(copy)
        transfer = self._transfer_between(copy, op)
        if transfer is None or not context.plan.admits(_extensions(source, (copy, op))):
            return False
        with ir.InsertionPoint(op), op.location:
            move = accel.MoveOp(transfer.sym_name.value, copy.operands[0], op.operands[1])
        context.plan.stands_for(move, op)
        context.function.add(move)
        context.erase(op)
        self._accesses.replace(second, move)
        self._erase(place, copy)
        return True

    def _erase(self, place: int, copy: Copy) -> None:
        self._accesses.remove(place)
        self._context.erase(copy)

    def _transfer_between(self, first: Copy, second: Copy) -> accel.TransferOp | None:
        source, target = (ir.MemRefType(v.type) for v in (first.operands[0], second.operands[1]))
        fitting = (
            transfer
            for transfer in self._context.transfers
            if transfer_mismatch(transfer, source, target, self._context.pools) is None
        )
        return next(fitting, None)

    def _is_private(self, effect: MemoryEffect, copies: Sequence[Copy]) -> bool:
        """Return whether the function allocates the buffer and only these copies access it."""
        function = self._context.function
        return function.is_local(effect) and not any(
            other.reads or other.writes for other in function.users(effect, but=copies)
        )


def _overwrites(effect: MemoryEffect, write: MemoryEffect) -> bool:
    """Return whether the effect overwrites every element that `write` wrote, and reads none."""
    if effect.reads or effect.region is None or write.region is None:
        return False
    is_whole = is_copy(effect.op) or isinstance(effect.op, accel.CallOp)
    return is_whole and effect.region.covers(write.region)


def is_same(effect: MemoryEffect, value: ir.Value, other: MemoryEffect, second: ir.Value) -> bool:
    """Return whether two memrefs show the same elements in the same order."""
    if value == second:
        return True
    one, two = effect.region, other.region
    identity = None if one is None else one.identity
    return identity is not None and two is not None and identity == two.identity


def _extensions(effect: MemoryEffect, ops: Sequence[ir.OpView]) -> list[LifetimeExtension]:
    return [LifetimeExtension(base, ops) for base in effect.objects or ()]
