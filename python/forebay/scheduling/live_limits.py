"""Limits of the bytes that are live at once, checked without a plan.

A pool has a capacity, and the function that a device's stage made has a grant in some pools. No
plan exists if the live bytes exceed a limit at any program point.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from forebay.device_stages.grants import granted
from forebay.ir.memory.underlying_buffers import UnderlyingBuffer
from forebay.ir.module import function_around
from forebay.ir.problem.problem import ProblemExtraction
from forebay.planning import Buffer

_Limit = tuple[str, str]
"""A function and a pool for a grant; "" and a pool for the pool's capacity."""


class LiveLimits:
    """The limits of a module, and the bytes that are live under each."""

    def __init__(self, extraction: ProblemExtraction) -> None:
        problem = extraction.problem
        self._buffers = list(problem.buffers)
        self._live: dict[_Limit, _LiveBytes] = defaultdict(_LiveBytes)
        self._free = {("", p.name): p.capacity for p in problem.pools if p.capacity is not None}
        self._of: dict[int, list[_Limit]] = {}
        for number, root in enumerate(extraction.liveness.buffers):
            self._of[number] = [*self._add_grants(number, root), *self._capacity_of(number)]
            for limit in self._of[number]:
                self._live[limit].add(self._buffers[number], 1)

    def admit(self, longer: Mapping[int, Buffer], more: Mapping[int, int]) -> bool:
        """Return whether no limit is exceeded with these lifetimes and copies."""
        limits = {limit for number in longer for limit in self._of[number]}
        self._change(longer, more, 1)
        fits = all(self._live[limit].peak <= self._free[limit] for limit in limits)
        self._change(longer, more, -1)
        return fits

    def take(self, longer: Mapping[int, Buffer], more: Mapping[int, int]) -> None:
        """Use these lifetimes and copies from now on."""
        self._change(longer, more, 1)
        for number, buffer in longer.items():
            self._buffers[number] = buffer

    def _add_grants(self, number: int, root: UnderlyingBuffer) -> list[_Limit]:
        """Add the grants of the function around a buffer, and return those that hold for it.

        A buffer with several candidate pools counts in the grant of each: the final plan may choose
        any of them, and must then stay within the grant.
        """
        function = None if root.op is None else function_around(root.op)
        free = None if function is None else granted(function)
        if function is None or free is None:
            return []
        name, pools = function.sym_name.value, self._buffers[number].pools
        self._free |= {(name, pool): free[pool] for pool in pools if pool in free}
        return [(name, pool) for pool in pools if pool in free]

    def _capacity_of(self, number: int) -> list[_Limit]:
        """Return the capacity that holds for a buffer: if it has only one pool, and a lifetime.

        A buffer that is always live leaves less of the capacity to the others.
        """
        buffer = self._buffers[number]
        limits = [("", pool) for pool in buffer.pools]
        if len(limits) != 1 or limits[0] not in self._free:
            return []
        if buffer.always_live:
            self._free[limits[0]] -= buffer.size
            return []
        return limits

    def _change(self, longer: Mapping[int, Buffer], more: Mapping[int, int], sign: int) -> None:
        for number, buffer in longer.items():
            for limit in self._of[number]:
                self._live[limit].add(self._buffers[number], -sign)
                self._live[limit].add(buffer, sign * (1 + more[number]))


class _LiveBytes:
    """The number of live bytes at each program point of a range."""

    def __init__(self) -> None:
        self._start = 0
        self._bytes: NDArray[np.int64] = np.zeros(0, np.int64)

    @property
    def peak(self) -> int:
        """The largest number of live bytes at one program point."""
        return int(self._bytes.max(initial=0))

    def add(self, buffer: Buffer, times: int) -> None:
        """Add the buffer `times` times over its lifetime."""
        for start, end in buffer.lifetime:
            self._cover(start, end)
            self._bytes[start - self._start : end - self._start] += times * buffer.size

    def _cover(self, start: int, end: int) -> None:
        if not len(self._bytes):
            self._start = start
        before = max(0, self._start - start)
        behind = max(0, end - self._start - len(self._bytes))
        if before or behind:
            self._bytes = np.pad(self._bytes, (before, behind))
            self._start -= before
