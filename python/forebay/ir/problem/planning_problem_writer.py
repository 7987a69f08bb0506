"""Writer of a `Problem` as IR: `memref_pool.problem`."""

from __future__ import annotations

from collections.abc import Mapping

from mlir import ir

from forebay.dialects.memref_pool import (
    BufferKind,
    BufferOp,
    ConflictOp,
    PoolOp,
    ProblemOp,
    SeparateOp,
)
from forebay.ir.problem.unique_names import unique_names
from forebay.planning import Buffer, Kind, Pool, Problem
from forebay.pools import PoolKind


def build_problem(problem: Problem) -> ProblemOp:
    """Create the op at the current insertion point.

    Pools and buffers share one symbol table: a buffer with the name of a pool gets a number as
    suffix. Reserved ranges are merged, and cut at the capacity.
    """
    op = ProblemOp(problem.name or "problem", steps=list(problem.steps) or None)
    names = _symbols(problem)
    with ir.InsertionPoint(op.body.blocks.append()):
        for pool in problem.pools:
            _build_pool(pool, problem)
        for buffer in problem.buffers:
            _build_buffer(buffer, names[buffer.name])
        for first, second in problem.conflicts:
            ConflictOp(names[first], names[second])
        for separation in problem.separations:
            SeparateOp(
                names[separation.first],
                names[separation.second],
                shared_byte=separation.shared_byte or None,
                same_bank=separation.same_bank,
            )
    return op


def _symbols(problem: Problem) -> Mapping[str, str]:
    """Return the symbol of each buffer by its name."""
    pools = [pool.name for pool in problem.pools]
    wanted = [buffer.name or "buffer" for buffer in problem.buffers]
    symbols = unique_names([*pools, *wanted])[len(pools) :]
    return dict(zip((buffer.name for buffer in problem.buffers), symbols, strict=True))


def _build_pool(pool: Pool, problem: Problem) -> None:
    PoolOp(
        pool.name,
        _kind(pool, problem),
        capacity=pool.capacity,
        alignment=pool.alignment,
        reserved=_reserved(pool) or None,
        start=pool.start or None,
        base=None if pool.base is None else pool.base_bytes,
        unit=None if pool.unit == 1 else pool.unit,
        banks=None if pool.banks == 1 else pool.banks,
        cost=pool.cost,
        weight=None if pool.weight == 1 else pool.weight,
    )


def _kind(pool: Pool, problem: Problem) -> PoolKind:
    """Return the kind of a pool.

    Files of problems other than IR do not state it: there a pool holds constants or state if all
    its buffers are of this kind.
    """
    if pool.kind is not PoolKind.workspace:
        return pool.kind
    kinds = {buffer.kind for buffer in problem.buffers if pool.name in buffer.pools}
    if kinds == {Kind.CONSTANT}:
        return PoolKind.constant
    return PoolKind.state if kinds == {Kind.STATE} else PoolKind.workspace


def _reserved(pool: Pool) -> list[int]:
    merged: list[int] = []
    for start, end in sorted(pool.reserved):
        end = end if pool.capacity is None else min(end, pool.capacity)  # noqa: PLW2901
        if start >= end:
            continue
        if merged and start <= merged[-1]:
            merged[-1] = max(merged[-1], end)
        else:
            merged += [start, end]
    return merged


def _build_buffer(buffer: Buffer, symbol: str) -> None:
    pinned = buffer.pinned_pool
    if pinned is None and buffer.pinned_offset is not None:
        pinned = buffer.pools[0]
    BufferOp(
        symbol,
        BufferKind[buffer.kind.value],
        buffer.size,
        buffer.candidates or buffer.pools,
        lifetime=[tick for interval in buffer.lifetime for tick in interval] or None,
        costs=buffer.costs,
        alignment=buffer.alignment,
        pinned_pool=pinned,
        pinned_offset=buffer.pinned_offset,
        pinned_by=list(buffer.pinned_by) or None,
        alias=buffer.alias,
        block_name=buffer.block,
        block_offset=buffer.block_offset or None,
        origin=buffer.origin or None,
    )
