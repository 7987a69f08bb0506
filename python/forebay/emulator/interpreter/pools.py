"""Create memories for the pools that a module declares."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from forebay.dialects.memref_pool import PoolOp
from forebay.emulator.machine.machine import Machine
from forebay.emulator.memory.faults import NotEmulatedError, TooLargeError
from forebay.emulator.memory.memory import MOST_BYTES, MemoryRules
from forebay.ir.machine.pools import pool_of, pool_ops
from forebay.pools import ByteRange, Pool, PoolKind


@dataclass(frozen=True)
class _Sized:
    """A pool, its op and the bytes of its memory."""

    op: PoolOp
    pool: Pool
    size: int


def add_pools(module: ir.Operation, machine: Machine) -> None:
    """Add a memory per pool, of the size that the plan requires from the application.

    The size is the certificate's peak or, without a certificate, the capacity. A pool inside a
    device gets its whole capacity unless that is huge. Pools at overlapping addresses share their
    bytes. Raises `NotEmulatedError` for a pool that has neither, and for one that is too large for
    this process.
    """
    for group in _by_address(
        [_Sized(op, pool_of(op), pool_size_of(op)) for op in pool_ops(module)]
    ):
        parts = [(f"@{it.pool.name}", it.size, rules_of(it.pool)) for it in group]
        try:
            if len(parts) > 1:
                machine.add_shared(parts)
            else:
                machine.add_memory(*parts[0])
        except TooLargeError as error:
            raise NotEmulatedError(group[0].op, f"is too large: {error}") from error


def _by_address(pools: list[_Sized]) -> list[list[_Sized]]:
    """Return groups of pools: those whose host addresses overlap together, all others alone."""
    mapped = [it for it in pools if it.pool.is_mapped]
    groups = [[it] for it in pools if it not in mapped]
    end = 0
    for it in sorted(mapped, key=lambda it: it.pool.address(0)):
        base = it.pool.address(0)
        if base < end:
            groups[-1].append(it)
        else:
            groups.append([it])
        end = max(end, base + it.size)
    return groups


def pool_size_of(op: PoolOp) -> int:
    """Return the bytes of a declared pool; raises `NotEmulatedError` if no size is known."""
    if op.capacity is not None:
        holds_all = op.local and op.capacity.value <= MOST_BYTES // 16
        if op.certificate is None or holds_all:
            return op.capacity.value
    if op.certificate is None:
        raise NotEmulatedError(op, "has no size; plan it or declare a capacity")
    peak = op.certificate.peak
    return peak if op.capacity is None else min(peak, op.capacity.value)


def rules_of(pool: Pool) -> MemoryRules:
    """Return the rules of a pool's memory.

    A pool inside a device that lists no devices can be used only by operands that name the pool.
    """
    default = () if pool.local else None
    return MemoryRules(
        alignment=pool.alignment_of(None),
        base=pool.base or 0,
        unit=pool.unit,
        reserved=((ByteRange(0, pool.start),) if pool.start else ()) + pool.reserved,
        readers=default if pool.readers is None else pool.readers,
        writers=default if pool.writers is None else pool.writers,
        is_read_only=pool.kind is PoolKind.constant,
        is_pool=True,
        is_local=pool.local,
        bank_size=_bank_size(pool),
        is_register=pool.is_register,
    )


def _bank_size(pool: Pool) -> int | None:
    return None if pool.banks == 1 or pool.capacity is None else pool.capacity // pool.banks
