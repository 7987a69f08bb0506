"""The parts of a loop that queues of devices can run in parallel: loads, the rest, and slots."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import func, scf
from msgspec import Struct

from forebay.dialects import accel
from forebay.dialects.memref_pool import AllocOp
from forebay.errors import Error
from forebay.ir.liveness.memory_effects import MemoryEffect, MemoryEffects
from forebay.ir.locations import describe_location
from forebay.ir.machine.devices import intrinsic_of
from forebay.ir.machine.transfers import queue_of, transfer_of
from forebay.ir.memory.regions import is_inside
from forebay.ir.nested import defining_op, ops_nested_in
from forebay.scheduling.moving import body_of, is_definition
from forebay.scheduling.queue_users import QueueUsers


class NotPipelinedError(Error):
    """The reason why a loop is not pipelined, with the op and its location."""


class Part(Struct, frozen=True):
    """An op of a loop's body that accesses memory, with its queue if it can run asynchronously."""

    op: ir.OpView
    effects: tuple[MemoryEffect, ...]
    queue: accel.QueueOp | None

    @property
    def queue_name(self) -> str | None:
        """Name of the queue, or None."""
        return None if self.queue is None else self.queue.sym_name.value

    def accesses(self, alloc: AllocOp) -> bool:
        """Return whether the op may access the buffer."""
        return any(e.objects is None or alloc.memref in e.objects for e in self.effects)


class LoopParts(Struct, frozen=True):
    """The parts of a loop's body: `loads`, which fill `slots` first, and the `rest`, in order.

    `slots` are the buffers that belong to one iteration and that queues use.
    """

    loop: scf.ForOp
    loads: tuple[Part, ...]
    rest: tuple[Part, ...]
    slots: tuple[AllocOp, ...]

    @property
    def parts(self) -> tuple[Part, ...]:
        """All ops that access memory."""
        return (*self.loads, *self.rest)


def parts_of(loop: scf.ForOp, effects: MemoryEffects, users: QueueUsers) -> LoopParts | None:
    """Return the parts of a loop.

    Returns None if no queue runs a transfer of the loop, or if the loop starts asynchronous
    commands itself. Raises `NotPipelinedError` when the loop has such a transfer but cannot be
    pipelined.
    """
    if users.starts_in(loop):
        return None
    body = body_of(loop)
    parts = [part for part in (_part(op, effects) for op in body) if part is not None]
    if not any(part.queue is not None and isinstance(part.op, accel.MoveOp) for part in parts):
        return None
    if any(isinstance(argument.type, ir.MemRefType) for argument in loop.inner_iter_args):
        raise NotPipelinedError("it hands memory from one iteration to the next")
    slots = [alloc for alloc in _allocs(parts) if _is_slot(alloc, loop, parts)]
    _refuse_others(parts, slots, loop)
    loads: list[Part] = []
    for part in parts:
        if _is_load(part, slots, parts, loads) and _is_known_ahead(part, parts, loop):
            loads.append(part)
    rest = tuple(part for part in parts if part not in loads)
    if not rest:
        return None
    return LoopParts(loop, tuple(loads), rest, tuple(slots))


def _part(op: ir.OpView, effects: MemoryEffects) -> Part | None:
    """Return the part of an op, or None for an op that only computes numbers or views."""
    if is_pure(op):
        return None
    return Part(op, tuple(effects.effects_of(op)), _queue(op))


def is_pure(op: ir.OpView) -> bool:
    """Return whether the op may be computed anywhere and any number of times."""
    if is_definition(op):
        return True
    values = [*op.operands, *op.results]
    is_number = all(
        isinstance(v.type, ir.IntegerType | ir.IndexType | ir.FloatType) for v in values
    )
    is_call = isinstance(op, (func.CallOp, func.CallIndirectOp))
    return is_number and bool(op.results) and not len(op.regions) and not is_call


def _queue(op: ir.OpView) -> accel.QueueOp | None:
    if isinstance(op, accel.MoveOp):
        return queue_of(transfer_of(op))
    return queue_of(intrinsic_of(op)) if isinstance(op, accel.CallOp) else None


def _allocs(parts: Sequence[Part]) -> list[AllocOp]:
    """Return the buffers that queues use."""
    found: dict[AllocOp, None] = {}
    for part in parts:
        for effect in part.effects:
            base = None if effect.region is None else effect.region.base
            if part.queue is None or base is None or isinstance(base, str):
                continue
            op = defining_op(base)
            if isinstance(op, AllocOp):
                found[op] = None
    return list(found)


def _refuse_others(parts: Sequence[Part], slots: Sequence[AllocOp], loop: scf.ForOp) -> None:
    """Refuse a part in a queue that may use a buffer of its iteration which is no slot.

    Such a part may still be in flight when the next iteration begins.
    """
    known = {slot.memref for slot in slots}
    for part in parts:
        objects = [base for e in part.effects for base in e.objects or ()]
        inside = [b for b in objects if not isinstance(b, str) and is_inside(b, loop)]
        if part.queue is not None and any(base not in known for base in inside):
            raise NotPipelinedError(
                f"{where(part)} uses one of several buffers, some of them the iteration's own"
            )


def _is_slot(alloc: AllocOp, loop: scf.ForOp, parts: Sequence[Part]) -> bool:
    """Return whether each iteration may have a buffer of its own for this one.

    It may if the iteration allocates it, or if the iteration first overwrites all of it and only
    the loop uses it. Raises `NotPipelinedError` for a pinned buffer.
    """
    if alloc.pinned is not None:
        raise NotPipelinedError(
            f"its buffer at {describe_location(alloc.location)} is pinned to one place"
        )
    if is_inside(alloc.memref, loop):
        return True
    inside = set(ops_nested_in(loop))
    if not all(use.owner.operation.opview in inside for use in alloc.memref.uses):
        return False
    first = next(part for part in parts if part.accesses(alloc))
    if not isinstance(first.op, (accel.MoveOp, accel.CallOp)):
        return False
    effects = [e for e in first.effects if e.objects is None or alloc.memref in e.objects]
    return all(
        e.writes
        and not e.reads
        and e.region is not None
        and e.region.is_exact
        and e.region.is_aligned
        and _is_whole(e)
        for e in effects
    )


def _is_whole(effect: MemoryEffect) -> bool:
    assert effect.region is not None and not isinstance(effect.region.base, str)
    shape = list(ir.MemRefType(effect.region.base.type).shape)
    spans = effect.region.spans or ()
    return [span.extent for span in spans] == shape


def _is_load(
    part: Part,
    slots: Sequence[AllocOp],
    parts: Sequence[Part],
    loads: Sequence[Part],
) -> bool:
    """Return whether it only fills a slot, before any other part accesses the slot."""
    if part.queue is None or not isinstance(part.op, (accel.MoveOp, accel.CallOp)):
        return False
    filled = [slot for slot in slots if part.accesses(slot)]
    if len(filled) != 1:
        return False
    own = filled[0].memref
    if any(effect.is_in_register for effect in part.effects):
        return False
    if not all(_fills(e, own) if e.writes else _is_elsewhere(e, own) for e in part.effects):
        return False
    before = parts[: parts.index(part)]
    return all(known in loads for known in before if known.accesses(filled[0]))


def _is_known_ahead(load: Part, parts: Sequence[Part], loop: scf.ForOp) -> bool:
    """Return whether a load can start an iteration ahead.

    A transfer that cannot is a reason not to pipeline the loop. A call that loads then keeps its
    place among the other calls.
    """
    if isinstance(load.op, accel.MoveOp):
        _check_operands(load, loop)
        return True
    reads = [effect for effect in load.effects if effect.reads]
    writes = [effect for part in parts for effect in part.effects if effect.writes]
    if any(read.may_alias(write) for read in reads for write in writes):
        return False
    try:
        _check_operands(load, loop)
    except NotPipelinedError:
        return False
    return True


def _fills(effect: MemoryEffect, slot: ir.Value) -> bool:
    return not effect.reads and effect.objects is not None and set(effect.objects) == {slot}


def _is_elsewhere(effect: MemoryEffect, slot: ir.Value) -> bool:
    return effect.objects is not None and slot not in effect.objects


def _check_operands(load: Part, loop: scf.ForOp) -> None:
    """Check that the operands of a load are known an iteration ahead."""
    pending = list(load.op.operands)
    while pending:
        value = pending.pop()
        if isinstance(value.owner, ir.Block):
            if value in list(loop.inner_iter_args):
                raise NotPipelinedError(
                    f"where {where(load)} moves from is known only when the iteration before is "
                    "over"
                )
            continue
        giver = value.owner.opview
        if not is_inside(value, loop):
            continue
        if not is_pure(giver):
            raise NotPipelinedError(
                f"where {where(load)} moves from is computed by the iteration itself, at "
                f"{describe_location(giver.location)}"
            )
        pending += list(giver.operands)


def where(part: Part) -> str:
    """Return the op and its location as text for a reason."""
    return f"'{part.op.operation.name}' at {describe_location(part.op.location)}"
