"""The buffers of a region, and the limits of the bytes that are live during it.

A pool with a capacity is a limit for the buffers that can be in no other pool. So is the grant of
the function that a device's stage made, for the buffers that the function allocates.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from mlir import ir
from msgspec import Struct
from numpy.typing import NDArray

from forebay.device_stages.grants import granted
from forebay.ir.identity import identity_of
from forebay.ir.module import function_around
from forebay.ir.nested import ops_in
from forebay.ir.problem.problem import ProblemExtraction
from forebay.planning import Interval
from forebay.pools import Pool
from forebay.scheduling.straight.items import ScheduledOp, SchedulingRegion
from forebay.scheduling.straight.tasks import ByteLimit, TaskBuffer


class _Ticks(Struct, frozen=True):
    """The program points of each item in one call of the function around them."""

    spans: tuple[Interval, ...]


class MemoryLimits:
    """The live bytes of a module at each program point, under each limit."""

    def __init__(self, extraction: ProblemExtraction, share: float) -> None:
        self._extraction = extraction
        self._ticks: dict[int, list[int]] = defaultdict(list)
        for tick, op in enumerate(extraction.liveness.ops):
            self._ticks[identity_of(op)].append(tick)
        self._limits: dict[tuple[str, str], int] = {}
        """By function and pool; "" and a pool is the pool's capacity."""
        self._of = [self._limits_of(number) for number in range(len(extraction.problem.buffers))]
        self._sizes = [self._size(number) for number in range(len(extraction.problem.buffers))]
        self._live = {key: self._live_under(key) for key in self._limits}
        self._share = share

    def of(self, region: SchedulingRegion) -> tuple[tuple[TaskBuffer, ...], tuple[ByteLimit, ...]]:
        """Return the buffers that the items use, and the limits of these buffers."""
        users = self._users(region.items)
        keys = list(dict.fromkeys(key for number in users for key in self._of[number]))
        calls = self._spans(region)
        if not keys or not calls:
            return (), ()
        held = {
            number: self._held(number, tuple(tasks), calls[0], keys)
            for number, tasks in users.items()
            if self._of[number]
        }
        limits = tuple(self._limit(key, n, calls, held) for n, key in enumerate(keys))
        return tuple(held.values()), limits

    # ---- Limits ----------------------------------------------------------------------------------

    def _limits_of(self, number: int) -> list[tuple[str, str]]:
        """Return the limits that hold for a buffer, and add new ones."""
        buffer = self._extraction.problem.buffers[number]
        if len(buffer.pools) != 1 or buffer.always_live:
            return []
        pool = self._extraction.problem.pool_by_name[buffer.pools[0]]
        found: list[tuple[str, str]] = []
        if pool.capacity is not None:
            self._limits[("", pool.name)] = _usable(pool)
            found.append(("", pool.name))
        root = self._extraction.liveness.buffers[number].op
        function = None if root is None else function_around(root)
        free = None if function is None else granted(function)
        if function is not None and free is not None and pool.name in free:
            key = (function.sym_name.value, pool.name)
            self._limits[key] = free[pool.name]
            found.append(key)
        return found

    def _size(self, number: int) -> int:
        """Return the bytes that a buffer takes in its only pool, with those of its alignment."""
        problem = self._extraction.problem
        buffer = problem.buffers[number]
        pool = problem.pool_by_name[buffer.pools[0]]
        alignment = problem.alignment_in(buffer, pool)
        return -(-problem.taken_in(buffer, pool) // alignment) * alignment

    def _live_under(self, key: tuple[str, str]) -> NDArray[np.int64]:
        buffers = self._extraction.problem.buffers
        end = max((span.end for buffer in buffers for span in buffer.lifetime), default=0)
        changes = np.zeros(max(end, len(self._extraction.liveness.program)) + 1, np.int64)
        for number, buffer in enumerate(buffers):
            if key in self._of[number]:
                for start, end in buffer.lifetime:
                    changes[start] += self._sizes[number]
                    changes[end] -= self._sizes[number]
        return np.cumsum(changes)

    # ---- A region -------------------------------------------------------------------------------

    def _users(self, items: Sequence[ScheduledOp]) -> dict[int, list[int]]:
        """Return the items that use each buffer, by the number of the buffer."""
        aliases = self._extraction.liveness.aliases
        found: dict[int, list[int]] = {}
        for number, item in enumerate(items):
            used = {
                buffer
                for inner in ops_in(item.op)
                for value in inner.operands
                for buffer in aliases.get(value, ())
            }
            for buffer in sorted(used):
                found.setdefault(buffer, []).append(number)
        return found

    def _spans(self, region: SchedulingRegion) -> list[_Ticks]:
        """Return the program points of the items, once for each call of their function."""
        ticks = [self._ticks_in(item.op) for item in region.items]
        calls = max((len(each) for each in ticks), default=0)
        if any(each and len(each) != calls for each in ticks):
            return []
        found: list[_Ticks] = []
        for call in range(calls):
            known = [each[call] if each else None for each in ticks]
            end = next(span.start for span in known if span is not None)
            spans: list[Interval] = []
            for span in known:
                spans.append(Interval(end, end) if span is None else span)
                end = spans[-1].end
            found.append(_Ticks(tuple(spans)))
        return found

    def _ticks_in(self, op: ir.OpView) -> list[Interval]:
        """Return the program points of an op and the ops inside it, for each call around it."""
        ticks = [known for inner in ops_in(op) if (known := self._ticks.get(identity_of(inner)))]
        if not ticks or any(len(known) != len(ticks[0]) for known in ticks):
            return []
        return [Interval(min(at), max(at) + 1) for at in zip(*ticks, strict=True)]

    def _held(
        self, number: int, users: tuple[int, ...], ticks: _Ticks, keys: Sequence[tuple[str, str]]
    ) -> TaskBuffer:
        lifetime = self._extraction.problem.buffers[number].lifetime
        spans = ticks.spans
        begin, end = spans[users[0]].start, spans[users[-1]].end
        sizes = {n: self._sizes[number] for n, key in enumerate(keys) if key in self._of[number]}
        begins = not any(start < begin < stop for start, stop in lifetime)
        ends = not any(start < end < stop for start, stop in lifetime)
        return TaskBuffer(
            sizes,
            users,
            first=users[0] if begins else 0,
            last=users[-1] if ends else len(spans) - 1,
            begins=begins,
            ends=ends,
        )

    def _limit(
        self,
        key: tuple[str, str],
        number: int,
        calls: Sequence[_Ticks],
        held: dict[int, TaskBuffer],
    ) -> ByteLimit:
        live = self._live[key]
        at = [
            max(int(live[span.start : max(span.end, span.start + 1)].max()) for span in spans)
            for spans in zip(*(call.spans for call in calls), strict=True)
        ]
        changes = [0] * (len(at) + 1)
        for buffer in held.values():
            changes[buffer.first] += buffer.sizes.get(number, 0)
            changes[buffer.last + 1] -= buffer.sizes.get(number, 0)
        rest = [
            max(0, all_ - scheduled)
            for all_, scheduled in zip(at, accumulate(changes), strict=False)
        ]
        others = min(rest)
        most = self._limits[key]
        # A smaller share leaves more of the bytes that the program in order does not need.
        needed = max(at)
        return ByteLimit(
            key[1],
            needed + int((most - needed) * self._share) if most > needed else most,
            at,
            others,
            [bytes_ - others for bytes_ in rest],
        )


def _usable(pool: Pool) -> int:
    assert pool.capacity is not None
    return pool.capacity - pool.start - sum(end - start for start, end in pool.reserved)
