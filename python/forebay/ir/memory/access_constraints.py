"""Access constraints: the pools that an operand may be in, given its op and device.

This module alone decides this, on tensors and on memrefs alike.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from mlir import ir
from mlir.dialects import func
from msgspec import Struct

from forebay.dialects import accel, memref_pool
from forebay.dialects.memref_pool import SpaceAttr
from forebay.ir.attributes import named_attributes
from forebay.ir.machine.devices import device_of, host_of, intrinsic_of
from forebay.ir.machine.pools import candidates_of
from forebay.ir.machine.transfers import pools_of, transfer_of, transfers_in
from forebay.ir.memory.operand_effects import operand_effects_of
from forebay.ir.module import module_around, symbol_around
from forebay.pools import Pool, PoolKind

CANDIDATES = "memref_pool.candidates"
"""Attribute of an op with one tensor result, or of an argument or result: its candidate pools."""

TO_CALLER = "memref_pool.to_caller"
"""Attribute of a copy of tensors into memory of the caller, which only the host can access."""


_MEMORY = (ir.RankedTensorType, ir.MemRefType)


class AccessConstraint(Struct, frozen=True):
    """An access of `op` itself to the bytes of `value`, and the device that runs it.

    `operand` is None for the storage of a result that the op allocates. `pools`, if given, are the
    only pools that the operand may be in, and the device's rights do not matter. `contiguous`
    operands are passed as a pointer to their first byte, which must be a multiple of `alignment`.
    `what` names the operand in messages.
    """

    op: ir.OpView
    operand: int | None
    value: ir.Value
    device: str
    reads: bool
    writes: bool
    pools: tuple[str, ...] | None
    what: str
    contiguous: bool = False
    alignment: int = 1


class _IntrinsicOperand(Struct, frozen=True):
    """The declaration of one operand by an intrinsic; see `AccessConstraint`."""

    device: str
    reads: bool
    writes: bool
    pools: tuple[str, ...] | None
    what: str
    alignment: int


class AccessConstraints:
    """The access constraints of many ops of a module, whose host and intrinsics are read once."""

    def __init__(self, module: ir.Operation | ir.OpView) -> None:
        self._host = host_of(module)
        self._operands: dict[str, tuple[_IntrinsicOperand, ...]] = {}

    def of(self, op: ir.OpView) -> Iterator[AccessConstraint]:
        """Yield the constraints of an op, as `access_constraints_of` does."""
        if not isinstance(op, (accel.CallOp, accel.LaunchOp)):
            return access_constraints_of(op, self._host)
        name = op.callee.value
        if name not in self._operands:
            self._operands[name] = _operands_of(intrinsic_of(op))
        return _of_intrinsic(op, self._operands[name])


def access_constraints_of(op: ir.OpView, host: str | None = None) -> Iterator[AccessConstraint]:
    """Yield a constraint for every tensor or memref whose bytes the op itself accesses.

    `host` is the name of the module's host, if it is known. `AccessConstraints` saves time for
    callers that examine all ops.

    Views, control flow and calls of functions with a body access no bytes. Ops in the regions of
    `op` have constraints of their own.
    """
    if isinstance(op, (accel.CallOp, accel.LaunchOp)):
        yield from _of_intrinsic(op, _operands_of(intrinsic_of(op)))
        return
    if isinstance(op, (accel.MoveOp, accel.StartOp)):
        yield from _of_transfer(op)
        return
    if isinstance(op, func.CallOp):
        yield from _of_declared(op)
        return
    memory = {number: value for number, value in enumerate(op.operands) if _is_memory(value)}
    results = list(op.results)
    is_made = bool(results) and _is_memory(results[0])
    if not (memory or is_made or any(map(_is_memory, results[1:]))):
        return
    effects = [
        effect
        for effect in operand_effects_of(op)
        if (is_made if effect.operand is None else effect.operand in memory)
    ]
    if not effects:
        return
    device = device_of(op, host)
    for effect in effects:
        yield AccessConstraint(
            op,
            effect.operand,
            results[0] if effect.operand is None else memory[effect.operand],
            device,
            effect.reads,
            effect.writes,
            None,
            f"operand {effect.operand} of '{op.operation.name}'"
            if effect.operand is not None
            else f"the result of '{op.operation.name}'",
        )


class AllowedPools:
    """The pools that constraints allow, found once for all constraints that say the same."""

    def __init__(self, pools: Mapping[str, Pool]) -> None:
        self._pools = pools
        self._known: dict[tuple[str, bool, bool, tuple[str, ...] | None], tuple[str, ...]] = {}

    def of(self, constraint: AccessConstraint) -> tuple[str, ...]:
        """Return the names of the pools that the constraint allows, as `pools_allowed` does."""
        if isinstance(constraint.op, memref_pool.CopyOp):
            return pools_allowed(constraint, self._pools)
        key = (constraint.device, constraint.reads, constraint.writes, constraint.pools)
        if key not in self._known:
            self._known[key] = pools_allowed(constraint, self._pools)
        return self._known[key]


def pools_allowed(constraint: AccessConstraint, pools: Mapping[str, Pool]) -> tuple[str, ...]:
    """Return the names of the pools that the constraint allows, in the module's order."""
    must_be_moved, moved = needs_transfer(constraint, pools), _moved_pools(constraint)
    return tuple(
        pool.name
        for pool in pools.values()
        if _allows(constraint, pool, moved, must_be_moved=must_be_moved)
    )


def may_access(
    device: str,
    pool: Pool,
    pools: Collection[str] | None = None,
    *,
    reads: bool,
    writes: bool,
) -> bool:
    """Return whether an operand of the device may be in the pool.

    `pools`, if given, are the only pools allowed, and the device's rights do not matter. Constants
    are never written.
    """
    if writes and pool.kind is PoolKind.constant:
        return False
    if pools is not None:
        return pool.name in pools
    return (not reads or pool.lets_read(device)) and (not writes or pool.lets_write(device))


def needs_transfer(constraint: AccessConstraint, pools: Mapping[str, Pool]) -> bool:
    """Return whether a copy needs a transfer: the host cannot access the pool of its other side."""
    across = other_side_pools(constraint)
    if not isinstance(constraint.op, memref_pool.CopyOp) or not across:
        return False
    reads, writes = constraint.writes, constraint.reads
    known = [pools[name] for name in across if name in pools]
    return not any(
        may_access(constraint.device, pool, reads=reads, writes=writes) for pool in known
    )


def other_side_pools(constraint: AccessConstraint) -> tuple[str, ...]:
    """Return the pools of a copy's other side, from its type or the attribute at its producer."""
    if not isinstance(constraint.op, memref_pool.CopyOp):
        return ()
    found = candidates_of(constraint.op.operands[1 - (constraint.operand or 0)].type)
    if found or isinstance(constraint.value.type, ir.MemRefType):
        return found
    giver = constraint.op if constraint.reads else constraint.op.source.owner
    if isinstance(giver, ir.Block) or CANDIDATES not in giver.operation.attributes:
        return ()
    listed = giver.operation.attributes[CANDIDATES]
    return listed.pools if isinstance(listed, SpaceAttr) else ()


def _allows(
    constraint: AccessConstraint, pool: Pool, moved: Collection[str], *, must_be_moved: bool
) -> bool:
    if pool.name in moved:
        return not (constraint.writes and pool.kind is PoolKind.constant)
    reads, writes = constraint.reads, constraint.writes
    return not must_be_moved and may_access(
        constraint.device, pool, constraint.pools, reads=reads, writes=writes
    )


def _moved_pools(constraint: AccessConstraint) -> frozenset[str]:
    """Return the pools of this side of a copy for which a transfer can implement the copy."""
    op = constraint.op
    if not isinstance(op, memref_pool.CopyOp) or TO_CALLER in op.operation.attributes:
        return frozenset()
    own, other = ("sources", "targets") if constraint.reads else ("targets", "sources")
    across = other_side_pools(constraint)
    return frozenset(
        pool
        for transfer in transfers_in(module_around(op))
        if not across or set(across) & set(pools_of(getattr(transfer, other)))
        for pool in pools_of(getattr(transfer, own))
    )


def _is_memory(value: ir.Value) -> bool:
    return isinstance(value.type, _MEMORY)


def _of_transfer(op: accel.MoveOp | accel.StartOp) -> Iterator[AccessConstraint]:
    """Yield the constraints of a transfer: its pools, independent of any rights."""
    transfer = transfer_of(op)
    device, name = transfer.device.value, transfer.sym_name.value
    sources, targets = pools_of(transfer.sources), pools_of(transfer.targets)
    yield AccessConstraint(op, 0, op.source, device, True, False, sources, f"the source of @{name}")
    yield AccessConstraint(op, 1, op.target, device, False, True, targets, f"the target of @{name}")


def _of_intrinsic(
    call: accel.CallOp | accel.LaunchOp, operands: Sequence[_IntrinsicOperand]
) -> Iterator[AccessConstraint]:
    for index, (value, operand) in enumerate(zip(call.operands, operands, strict=False)):
        yield AccessConstraint(
            call,
            index,
            value,
            operand.device,
            operand.reads,
            operand.writes,
            operand.pools,
            operand.what,
            contiguous=True,
            alignment=operand.alignment,
        )


def _operands_of(intrinsic: accel.IntrinsicOp) -> tuple[_IntrinsicOperand, ...]:
    """Return what an intrinsic says of its operands, in the order of those of a call."""
    device, name = intrinsic.device.value, intrinsic.sym_name.value
    operands = [accel.OperandAttr(operand) for operand in intrinsic.signature]
    read = [operand for operand in operands if operand.access == "in"]
    written = [operand for operand in operands if operand.access != "in"]
    return tuple(
        _IntrinsicOperand(
            device,
            operand.access != "out",
            operand.access != "in",
            operand.pools or None,
            f'operand "{operand.name}" of @{name}',
            operand.align,
        )
        for operand in (*read, *written)
    )


def _of_declared(call: func.CallOp) -> Iterator[AccessConstraint]:
    """Yield the constraints of a function without a body.

    It reads and writes its arguments, unless their attributes say otherwise.
    """
    callee = symbol_around(call, call.callee.value)
    assert isinstance(callee, func.FuncOp)
    if not callee.is_external:
        return
    has_attributes = "arg_attrs" in callee.attributes
    for index, value in enumerate(call.operands):
        if not _is_memory(value):
            continue
        attributes = named_attributes(callee.arg_attrs[index]) if has_attributes else {}
        access, space = attributes.get("bufferization.access"), attributes.get(CANDIDATES)
        declared = access.value if isinstance(access, ir.StringAttr) else "read-write"
        yield AccessConstraint(
            call,
            index,
            value,
            device_of(callee),
            declared in ("read", "read-write"),
            declared in ("write", "read-write"),
            space.pools if isinstance(space, SpaceAttr) else None,
            f"argument {index} of @{call.callee.value}",
            contiguous=True,
        )
