"""Create memories for the pools that a module declares."""

from __future__ import annotations

from mlir import ir

from forebay.dialects.memref_pool import PoolKind, PoolOp
from forebay.emulator.machine.machine import Machine
from forebay.emulator.memory.faults import NotEmulatedError, TooLargeError
from forebay.emulator.memory.memory import MOST_BYTES, MemoryRules
from forebay.ir.machine.pools import DEFAULT_ALIGNMENT, pool_ops

_Pool = tuple[PoolOp, int, MemoryRules]


def add_pools(module: ir.Operation, machine: Machine) -> None:
    """Add a memory per pool, of the size that the plan requires from the application.

    The size is the certificate's peak or, without a certificate, the capacity. A pool inside a
    device gets its whole capacity unless that is huge. Pools at overlapping addresses share their
    bytes. Raises `NotEmulatedError` for a pool that has neither, and for one that is too large for
    this process.
    """
    for group in _by_address([(op, size_of(op), rules_of(op)) for op in pool_ops(module)]):
        parts = [(f"@{op.sym_name.value}", size, rules) for op, size, rules in group]
        try:
            if len(parts) > 1:
                machine.add_shared(parts)
            else:
                machine.add_memory(*parts[0])
        except TooLargeError as error:
            raise NotEmulatedError(group[0][0], f"is too large: {error}") from error


def _by_address(pools: list[_Pool]) -> list[list[_Pool]]:
    """Return groups of pools: those whose host addresses overlap together, all others alone."""
    mapped = [it for it in pools if it[0].base is not None and not it[0].local]
    groups = [[it] for it in pools if it not in mapped]
    end = 0
    for it in sorted(mapped, key=lambda it: it[2].base):
        base = it[2].base
        if base < end:
            groups[-1].append(it)
        else:
            groups.append([it])
        end = max(end, base + it[1])
    return groups


def size_of(op: PoolOp) -> int:
    """Return the bytes of a declared pool; raises `NotEmulatedError` if no size is known."""
    if op.capacity is not None:
        holds_all = op.local and op.capacity.value <= MOST_BYTES // 16
        if op.certificate is None or holds_all:
            return op.capacity.value
    if op.certificate is None:
        raise NotEmulatedError(op, "has no size; plan it or declare a capacity")
    return min(op.certificate.peak, _number(op.capacity, op.certificate.peak))


def rules_of(op: PoolOp) -> MemoryRules:
    """Return the rules of a declared pool."""
    start = _number(op.start, 0)
    bounds = [*((0, start) if start else ()), *(op.reserved or ())]
    return MemoryRules(
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
    """Return the devices with the right; None means all.

    A pool inside a device that lists no devices can be used only by operands that name the pool.
    """
    if names is None:
        return () if op.local else None
    return tuple(ir.FlatSymbolRefAttr(name).value for name in names)
