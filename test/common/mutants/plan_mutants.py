"""Every way to make a plan wrong by moving one buffer or two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from common.programs.planned_modules import Planned
from forebay.planning import Placement

Change = Mapping[str, Placement]


def onto_another(planned: Planned) -> Iterator[Change]:
    """A buffer over one that is live at the same time, as if a lifetime were too short."""
    for one, other in planned.conflicts():
        yield {one.name: planned.places[other.name]}


def into_the_last_byte(planned: Planned) -> Iterator[Change]:
    """A buffer that begins in the last bytes of one that lives with it: a size cut short."""
    for one, other in planned.conflicts():
        pool, start = planned.places[other.name]
        offset = (planned.end(other) - 1) // planned.alignment(one) * planned.alignment(one)
        if offset >= start:
            yield {one.name: Placement(pool, offset)}


def misaligned(planned: Planned) -> Iterator[Change]:
    """A buffer one byte further."""
    for buffer in planned.buffers:
        pool, offset = planned.places[buffer.name]
        yield {buffer.name: Placement(pool, offset + 1)}


def in_a_wrong_pool(planned: Planned) -> Iterator[Change]:
    """A buffer in a pool that is none of its candidates."""
    for buffer in planned.buffers:
        for pool in planned.problem.pools:
            if pool.name not in buffer.candidates:
                yield {buffer.name: Placement(pool.name, 1024)}


def shifted(planned: Planned) -> Iterator[Change]:
    """A buffer one alignment lower or higher, or by half its size: right or wrong."""
    for buffer in planned.buffers:
        pool, offset = planned.places[buffer.name]
        step = planned.alignment(buffer)
        half = buffer.size // 2 // step * step
        for shift in sorted({-half, -step, step, half} - {0}):
            if offset + shift >= 0:
                yield {buffer.name: Placement(pool, offset + shift)}


def swapped(planned: Planned) -> Iterator[Change]:
    """Two buffers at each other's places: right or wrong."""
    for index, one in enumerate(planned.buffers):
        for other in planned.buffers[:index]:
            here, there = planned.places[one.name], planned.places[other.name]
            if here.pool == there.pool and here != there:
                yield {one.name: there, other.name: here}


def overflowing(planned: Planned) -> Iterator[Change]:
    """A buffer whose last bytes lie beyond the pool, for pools as large as the peak."""
    for buffer in planned.buffers:
        pool = planned.places[buffer.name].pool
        step = planned.alignment(buffer)
        first_wrong = planned.peak(pool) - buffer.size + 1
        yield {buffer.name: Placement(pool, -(-first_wrong // step) * step)}
