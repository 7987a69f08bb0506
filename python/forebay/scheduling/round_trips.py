"""Copies whose bytes are there already, come from elsewhere more directly, or are read by nobody.

::

    move %a into %b                                 move %a into %b
    move %b into %c     ->  move %a into %c         move %x into %b     ->  move %x into %b

Nothing in between writes what is moved. The rewrites are of straight code, and of copies of which
one at least is a device's transfer: what the host copies was decided when pools were assigned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mlir import ir
from mlir.dialects import func

from forebay.dialects import accel
from forebay.ir.devices import module_around
from forebay.ir.effects import Effect, Memory, conflict
from forebay.ir.fitting import misfit
from forebay.ir.nested import ops_nested_in
from forebay.ir.pools import pools_in
from forebay.ir.transfers import transfers_in
from forebay.scheduling.moving import (
    Copy,
    drop_unused,
    ends_of,
    in_flight,
    is_copy,
    is_local_to,
)
from forebay.scheduling.room import Room, Wish


def shorten(function: func.FuncOp, memory: Memory, room: Room) -> bool:
    """Remove or redirect one copy of the function; False where all are needed as they are."""
    flying = in_flight(function, memory)
    for block in blocks_in(function):
        ops = list(block.operations)
        for place, op in enumerate(ops):
            if is_copy(op) and not conflict(flying, ends_of(op, memory)):
                behind = ops[place + 1 :]
                if _is_dead(op, behind, function, memory):
                    _erase(op)
                    return True
                if _shorten_after(op, behind, function, memory, room):
                    return True
    return False


def _is_dead(
    copy: Copy, behind: Sequence[ir.OpView], function: func.FuncOp, memory: Memory
) -> bool:
    """Whether what it writes is overwritten, or over, before anybody reads it."""
    if not isinstance(copy, accel.MoveOp):
        return False
    _, write = ends_of(copy, memory)
    assert write.region is not None
    for op in behind:
        effects = memory.effects_of(op)
        if any(effect.reads and effect.may_meet(write) for effect in effects):
            return False
        if any(_overwrites(effect, write) for effect in effects if effect.op == op):
            return True
    return not any(
        effect.reads and effect.may_share(write)
        for op in ops_nested_in(function)
        for effect in memory.own_effects_of(op)
    ) and is_local_to(function, write, memory)


def _overwrites(effect: Effect, write: Effect) -> bool:
    """Whether every element that was written is written again, and none is read."""
    if effect.reads or not effect.writes or effect.region is None or write.region is None:
        return False
    is_whole = is_copy(effect.op) or isinstance(effect.op, accel.CallOp)
    return is_whole and effect.region.covers(write.region)


def _shorten_after(
    copy: Copy, behind: Sequence[ir.OpView], function: func.FuncOp, memory: Memory, room: Room
) -> bool:
    """Look for the copy that goes on with what the first one has copied."""
    ends = ends_of(copy, memory)
    for place, op in enumerate(behind):
        if is_copy(op) and any(isinstance(each, accel.MoveOp) for each in (copy, op)):
            read, write = ends_of(op, memory)
            if is_same(read, op.operands[0], ends[1], copy.operands[1]):
                span = [copy, *behind[: place + 1]]
                if is_same(write, op.operands[1], ends[0], copy.operands[0]):
                    return _drop(op, ends[0], span, memory, room)
                if _is_private(ends[1], (copy, op), function, memory):
                    return _redirect(copy, op, span, memory, room)
            if is_same(read, op.operands[0], ends[0], copy.operands[0]) and is_same(
                write, op.operands[1], ends[1], copy.operands[1]
            ):
                _erase(op)
                return True
        effects = memory.effects_of(op)
        if any(effect.writes and effect.may_meet(end) for effect in effects for end in ends):
            return False
    return False


def _drop(
    back: Copy, source: Effect, span: Sequence[ir.OpView], memory: Memory, room: Room
) -> bool:
    """Remove the way back to where the bytes come from."""
    if not room.fits(_wishes(source, span)):
        return False
    _erase(back)
    return True


def _redirect(
    first: Copy, second: Copy, span: Sequence[ir.OpView], memory: Memory, room: Room
) -> bool:
    """Let the second copy read what the first one reads; the first is dead then."""
    source, _ = ends_of(first, memory)
    transfer = _transfer_between(first, second)
    if transfer is None or not room.fits(_wishes(source, span)):
        return False
    with ir.InsertionPoint(second), second.location:
        accel.MoveOp(transfer.sym_name.value, first.operands[0], second.operands[1])
    _erase(second)
    _erase(first)
    return True


def _transfer_between(first: Copy, second: Copy) -> accel.TransferOp | None:
    source, target = (ir.MemRefType(v.type) for v in (first.operands[0], second.operands[1]))
    module = module_around(first)
    pools = pools_in(module)
    fitting = (t for t in transfers_in(module) if misfit(t, source, target, pools) is None)
    return next(fitting, None)


def is_same(effect: Effect, value: ir.Value, other: Effect, second: ir.Value) -> bool:
    """Whether two memrefs show the same elements in the same order."""
    if value == second:
        return True
    one, two = effect.region, other.region
    shapes = [list(ir.MemRefType(v.type).shape) for v in (value, second)]
    return (
        one is not None
        and two is not None
        and shapes[0] == shapes[1]
        and one.is_aligned
        and two.is_aligned
        and one.covers(two)
        and two.covers(one)
    )


def _is_private(
    effect: Effect, copies: Sequence[Copy], function: func.FuncOp, memory: Memory
) -> bool:
    """Whether only these copies have to do with the buffer, which is the function's own."""
    return is_local_to(function, effect, memory) and not any(
        other.may_share(effect)
        for op in ops_nested_in(function)
        if op not in copies
        for other in memory.own_effects_of(op)
    )


def _wishes(effect: Effect, span: Sequence[ir.OpView]) -> list[Wish]:
    return [Wish(b, span) for b in effect.buffers or () if isinstance(b, int)]


def _erase(copy: Copy) -> None:
    givers = [v.owner for v in copy.operands if not isinstance(v.owner, ir.Block)]
    copy.operation.erase()
    for giver in dict.fromkeys(givers):
        drop_unused(giver.opview)


def blocks_in(function: func.FuncOp) -> Iterator[ir.Block]:
    """Its body, and all blocks inside."""
    for op in (function, *ops_nested_in(function)):
        for region in op.operation.regions:
            yield from region.blocks
