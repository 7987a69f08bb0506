"""Memories for the pools that a module declares."""

from __future__ import annotations

from mlir import ir

from forebay.dialects.memref_pool import PoolKind, PoolOp
from forebay.emulator.faults import NotEmulatedError
from forebay.emulator.machine import Machine
from forebay.emulator.memory import Rules
from forebay.ir.pools import DEFAULT_ALIGNMENT, pool_ops


def add_pools(module: ir.Operation, machine: Machine) -> None:
    """A memory per pool, of the size that the plan tells the application to provide.

    That is the certificate's peak; without a certificate, the capacity; and all the capacity of a
    pool inside a device. Raises `NotEmulatedError` for a pool that has neither.
    """
    for op in pool_ops(module):
        machine.add_memory(f"@{op.sym_name.value}", size_of(op), rules_of(op))


def size_of(op: PoolOp) -> int:
    """Bytes of a declared pool; `NotEmulatedError` where nothing says how many."""
    if op.capacity is not None and (op.local or op.certificate is None):
        return op.capacity.value
    if op.certificate is None:
        raise NotEmulatedError(op, "has no size; plan it or declare a capacity")
    return min(op.certificate.peak, _number(op.capacity, op.certificate.peak))


def rules_of(op: PoolOp) -> Rules:
    """What a declared pool demands."""
    start = _number(op.start, 0)
    bounds = [*((0, start) if start else ()), *(op.reserved or ())]
    return Rules(
        alignment=max(_number(op.alignment, DEFAULT_ALIGNMENT), _number(op.unit, 1)),
        base=_number(op.base, 0),
        unit=_number(op.unit, 1),
        reserved=tuple(zip(bounds[::2], bounds[1::2], strict=True)),
        readers=_devices(op.readers, op),
        writers=_devices(op.writers, op),
        is_read_only=op.kind.value == PoolKind.constant,
        is_pool=True,
        is_local=op.local,
    )


def _number(attribute: ir.IntegerAttr | None, otherwise: int) -> int:
    return otherwise if attribute is None else attribute.value


def _devices(names: ir.ArrayAttr | None, op: PoolOp) -> tuple[str, ...] | None:
    """Who may; a pool inside a device that lists nobody is for operands that name it alone."""
    if names is None:
        return () if op.local else None
    return tuple(ir.FlatSymbolRefAttr(name).value for name in names)
