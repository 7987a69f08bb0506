"""A check that rejects numbers so large that a sum of them would exceed 64 bits.

The compiled core adds offsets, sizes and padding in signed 64-bit integers and uses 2^61 as the
value for "never". Therefore every offset that a planner can produce must be at most `MOST`. The
check adds, for each pool:

highest fixed byte | every buffer, in whole rows | padding: one alignment per buffer and gap
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from forebay.planning.model.buffer import Buffer
from forebay.planning.model.errors import ProblemError
from forebay.planning.model.separation import Separation
from forebay.pools import Pool

MOST = 2**60


def check_magnitudes(
    pools: Sequence[Pool], buffers: Sequence[Buffer], separations: Iterable[Separation]
) -> None:
    """Raise `ProblemError` ("too large") when a number or the byte sum of a pool exceeds `MOST`."""
    for pool in pools:
        check = partial(_check, partial(_pool_error, pool.name))
        check("base", pool.base_bytes)
        check("alignment", pool.alignment)
        check("row", pool.unit)
        check("start", pool.start)
        check("end of reserved bytes", *(end for _, end in pool.reserved))
        check("weight or cost", pool.weight, pool.cost or 0)
    for buffer in buffers:
        check = partial(_check, partial(_buffer_error, buffer.name))
        check("size", buffer.size)
        check("alignment", buffer.alignment or 0)
        check("pinned offset", buffer.pinned_offset or 0)
        check("offset in its block", buffer.block_offset)
        check("tick", *(abs(tick) for interval in buffer.lifetime for tick in interval))
        check("cost", *(buffer.costs or ()))
    for pair in separations:
        check = partial(_check, partial(_separation_error, pair))
        check("penalty", pair.shared_byte, pair.same_bank)
    for pool in pools:
        _check_sums(pool, [buffer for buffer in buffers if pool.name in buffer.pools])


def _check_sums(pool: Pool, buffers: Sequence[Buffer]) -> None:
    alignments = (pool.alignment_of(buffer.alignment) for buffer in buffers)
    alignment = max([pool.alignment_of(None), *alignments])
    pins = (buffer.pinned_offset or 0 for buffer in buffers)
    places = (buffer.block_offset for buffer in buffers)
    fixed = max([pool.start, *(end for _, end in pool.reserved), *pins, *places])
    padding = alignment * (len(buffers) + len(pool.reserved) + 2)
    size = sum(pool.rounded(buffer.size) for buffer in buffers)
    if fixed + size + padding > MOST:
        raise ProblemError(
            f"pool '{pool.name}' is asked for too much: {len(buffers):,} buffers of {size:,} bytes "
            f"above {fixed:,}, aligned to {alignment:,}, are too large together; at most 2^60 "
            f"bytes can be planned",
            pools=[pool.name],
        )
    cost = sum(max((pool.cost or len(b.pools)) * b.size, *(b.costs or (0,))) for b in buffers)
    if cost > MOST:
        raise ProblemError(
            f"pool '{pool.name}': the costs of its buffers, together {cost:,}, are too large; "
            f"at most 2^60",
            pools=[pool.name],
        )


def _check(error: Callable[[str], ProblemError], what: str, *values: int) -> None:
    for value in values:
        if value > MOST:
            raise error(f"has {what} {value:,}, which is too large: at most 2^60")


def _pool_error(name: str, text: str) -> ProblemError:
    return ProblemError(f"pool '{name}' {text}", pools=[name])


def _buffer_error(name: str, text: str) -> ProblemError:
    return ProblemError(f"buffer '{name}' {text}", buffers=[name])


def _separation_error(pair: Separation, text: str) -> ProblemError:
    names = pair.first, pair.second
    return ProblemError(f"separation ({', '.join(names)}) {text}", buffers=names)
