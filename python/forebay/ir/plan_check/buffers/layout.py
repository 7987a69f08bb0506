"""Checks that are independent of the program: placements against pools and against each other."""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir

from forebay.dialects.memref_pool import PoolOp
from forebay.ir.machine.pools import pool_ops, pools_in
from forebay.ir.plan_check.buffers.placed import PlacedBuffer, PlacedBuffers, Role
from forebay.ir.plan_check.buffers.pool_addresses import check_addresses
from forebay.ir.refused import RefusedError
from forebay.pools import Pool

WITHOUT_CAPACITY = 1 << 32
"""Bytes that a pool without a declared capacity may use: the range of 32-bit addresses."""


def check_layout(module: ir.Operation, placing: PlacedBuffers) -> None:
    """Raise `RefusedError` at the first misplaced buffer or wrong certificate."""
    pools = pools_in(module)
    for buffer in placing.buffers:
        _check_pin(buffer)
        _check_place(buffer, pools[buffer.pool])
    for one, other in _beside_lasting(placing):
        _check_lasting(placing.buffers[one], placing.buffers[other])
    for pool in pool_ops(module):
        _check_certificate(pool, placing)
    check_addresses(module, placing)


def _beside_lasting(placing: PlacedBuffers) -> Iterator[tuple[int, int]]:
    """Yield the pairs of buffers that have bytes in common in pools with a lasting buffer."""
    lasting = {buffer.pool for buffer in placing.buffers if buffer.role is Role.LASTING}
    own = (n for n, buffer in enumerate(placing.buffers) if buffer.pool in lasting)
    open_: dict[str, list[int]] = {}
    for number in sorted(own, key=lambda n: placing.buffers[n].start):
        buffer = placing.buffers[number]
        here = [n for n in open_.get(buffer.pool, []) if placing.buffers[n].end > buffer.start]
        yield from ((n, number) for n in here if buffer.overlaps(placing.buffers[n]))
        open_[buffer.pool] = [*here, number]


def _check_pin(buffer: PlacedBuffer) -> None:
    if buffer.pinned is not None and buffer.pinned != (buffer.pool, buffer.start):
        pool, offset = buffer.pinned
        raise RefusedError(
            buffer.location,
            f"buffer '{buffer.name}' is pinned to byte {offset:,} of pool @{pool}, but lies at "
            f"{buffer.span} of pool @{buffer.pool}",
        )


def _check_place(buffer: PlacedBuffer, pool: Pool) -> None:
    where = f"buffer '{buffer.name}' at {buffer.span} of pool @{pool.name}"
    if pool.name not in buffer.candidates:
        listed = ", ".join(f"@{name}" for name in buffer.candidates)
        raise RefusedError(buffer.location, f"{where}, which is none of its candidates: {listed}")
    alignment = pool.alignment if buffer.alignment is None else buffer.alignment
    aligned = max(alignment, _power_of_two(buffer.element))
    address = buffer.start + (pool.base or 0) * (pool.unit if pool.local else 1)
    for multiple in (aligned, pool.unit):
        if address % multiple:
            raise RefusedError(
                buffer.location, f"{where} is not at a multiple of its alignment, {multiple}"
            )
    if buffer.start < pool.start:
        raise RefusedError(
            buffer.location, f"{where} begins before the first byte to be used, {pool.start:,}"
        )
    if pool.capacity is not None and buffer.end > pool.capacity:
        raise RefusedError(
            buffer.location,
            f"{where} exceeds the capacity of {pool.capacity:,} by {buffer.end - pool.capacity:,}",
        )
    _check_reachable(buffer, pool, where)
    for start, end in pool.reserved:
        if buffer.start < end and start < buffer.end:
            raise RefusedError(
                buffer.location, f"{where} covers bytes that are reserved, [{start:,}, {end:,})"
            )


def _check_reachable(buffer: PlacedBuffer, pool: Pool, where: str) -> None:
    if pool.capacity is None and buffer.end > WITHOUT_CAPACITY:
        raise RefusedError(
            buffer.location,
            f"{where} ends beyond the first {WITHOUT_CAPACITY:,} bytes, and the pool does not say "
            "that it has more; declare its capacity",
        )


def _power_of_two(size: int) -> int:
    """Return the smallest power of two that is at least the size."""
    power = 1
    while power < size:
        power *= 2
    return power


def _check_lasting(one: PlacedBuffer, other: PlacedBuffer) -> None:
    if Role.LASTING in {one.role, other.role}:
        raise RefusedError(
            other.location,
            f"buffer '{other.name}' at {other.span} of pool @{other.pool} shares bytes with "
            f"'{one.name}' at {one.span}, but constants and state share with no buffer",
            [(one.location, f"'{one.name}' is here")],
        )


def _check_certificate(pool: PoolOp, placing: PlacedBuffers) -> None:
    """Raise `RefusedError` if the certified peak is wrong.

    It must be the bytes that the buffers take and, in a materialised module, the size of the base.
    """
    name = pool.sym_name.value
    unit = pool.capacity if pool.is_register else pool.unit
    row = 1 if unit is None else unit.value
    ends = [-(-buffer.end // row) * row for buffer in placing.buffers if buffer.pool == name]
    sizes = {ir.MemRefType(base.type).shape[0] for base, of in placing.bases.items() if of == name}
    if not ends and not sizes:
        return
    if pool.certificate is None:
        raise RefusedError(
            pool.location,
            f"pool @{name} holds buffers, but has no certificate; run memref-pool-plan first",
        )
    peaks = sizes or {max(ends)}
    if peaks != {pool.certificate.peak}:
        raise RefusedError(
            pool.location,
            f"pool @{name} is certified at a peak of {pool.certificate.peak:,} bytes, but takes "
            f"{max(peaks):,}",
        )
