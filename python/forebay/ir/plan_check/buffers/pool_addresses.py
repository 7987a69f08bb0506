"""Check of pool addresses: an overlap of two pools would be an undetected overlap of buffers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from mlir import ir

from forebay.dialects.accel import IntrinsicOp, OperandAttr, TransferOp
from forebay.dialects.memref_pool import PoolOp
from forebay.ir.machine.pools import pool_ops, pools_in
from forebay.ir.plan_check.buffers.placed import PlacedBuffers
from forebay.ir.refused import RefusedError
from forebay.pools import Pool

_Range = tuple[int, int]


class _Taken(NamedTuple):
    """The addresses of a pool, without its reserved ones."""

    op: PoolOp
    pool: Pool
    ranges: tuple[_Range, ...]


def check_addresses(module: ir.Operation, placing: PlacedBuffers) -> None:
    """Raise `RefusedError` for two used pools with a common address.

    A pool takes its capacity or, if it declares none, the bytes that the plan takes of it. Pools
    inside devices have separate address spaces. Two of them are checked only if an operand of one
    instruction may be in either.
    """
    used = {buffer.pool for buffer in placing.buffers} | set(placing.bases.values())
    taken = list(_taken(module, used, placing))
    alternatives = _alternatives(module)
    for one, other in combinations(taken, 2):
        if one.pool.local != other.pool.local:
            continue
        names = {one.pool.name, other.pool.name}
        if one.pool.local and not any(names <= pools for pools in alternatives):
            continue
        common = _common(one.ranges, other.ranges)
        if common is not None:
            raise RefusedError(
                other.op.location,
                f"pools @{one.pool.name} and @{other.pool.name} both take the addresses "
                f"[{common[0]:#x}, {common[1]:#x}); give one of them another base or start, or "
                "reserve these bytes in one of them",
                [(one.op.location, f"@{one.pool.name} is declared here")],
            )


def _taken(module: ir.Operation, used: set[str], placing: PlacedBuffers) -> Iterator[_Taken]:
    pools = pools_in(module)
    for op in pool_ops(module):
        pool = pools[op.sym_name.value]
        if pool.base is None or pool.name not in used:
            continue
        ends = [buffer.end for buffer in placing.buffers if buffer.pool == pool.name]
        peak = op.certificate.peak if op.certificate is not None else 0
        end = max([peak, *ends]) if pool.capacity is None else pool.capacity
        free = _without((pool.start, end), pool.reserved)
        rows = pool.unit - 1
        yield _Taken(op, pool, tuple((pool.address(a), pool.address(b + rows)) for a, b in free))


def _without(span: _Range, reserved: Sequence[_Range]) -> list[_Range]:
    """Return the parts of a range that are not in the reserved ranges."""
    left: list[_Range] = []
    begin, end = span
    for start, stop in sorted(reserved):
        if begin < min(start, end):
            left.append((begin, min(start, end)))
        begin = max(begin, stop)
    return [*left, (begin, end)] if begin < end else left


def _common(ranges: Sequence[_Range], others: Sequence[_Range]) -> _Range | None:
    for start, end in ranges:
        for other_start, other_end in others:
            if max(start, other_start) < min(end, other_end):
                return max(start, other_start), min(end, other_end)
    return None


def _alternatives(module: ir.Operation) -> list[set[str]]:
    """Return sets of pools of which an operand may be in any, identified by address alone."""
    found: list[set[str]] = []
    for op in module.regions[0].blocks[0].operations:
        if isinstance(op, TransferOp):
            found += [{ir.FlatSymbolRefAttr(p).value for p in s} for s in (op.sources, op.targets)]
        elif isinstance(op, IntrinsicOp):
            found += [set(OperandAttr(attribute).pools or ()) for attribute in op.signature]
    return found
