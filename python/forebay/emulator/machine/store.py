"""Memories, and the allocation and the lifetime of buffers in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebay.emulator.machine import refusals
from forebay.emulator.memory.buffers import BufferTable, EmulatedBuffer
from forebay.emulator.memory.faults import Fault, TooLargeError
from forebay.emulator.memory.memory import (
    MOST_BYTES,
    EmulatedMemory,
    MemoryRules,
    ShadowedBytes,
)
from forebay.emulator.memory.program_point import ProgramPoint, ProgramPoints
from forebay.emulator.memory.rows_view import RowsView
from forebay.emulator.memory.view import MemoryView


class MemoryStore:
    """Memories by number and by name.

    `poison` is the value of bytes that are unwritten or whose lifetime has ended. A store that is
    not `strict` raises nothing: it computes with the bytes as they are, like a machine without
    checks, and stores in `noted` the first fault that it would have raised.
    Before buffers are `assigned` to pools, every device reaches all of them.
    """

    def __init__(
        self, host: str, poison: int, *, strict: bool = True, assigned: bool = True
    ) -> None:
        self.poison = poison
        self._assigned = assigned
        self.strict = strict
        self.first_fault: Fault | None = None
        self.points = ProgramPoints(host)
        self.buffers = BufferTable()
        self.memories: list[EmulatedMemory] = []
        self.named: dict[str, EmulatedMemory] = {}
        self.live_bytes: Counter[int] = Counter()
        self._taken = 0
        self._spare: dict[tuple[str, int, MemoryRules], list[EmulatedMemory]] = {}
        self._unreached: dict[tuple[int, str], NDArray[np.uint8]] = {}

    def refuse(self, fault: Fault) -> None:
        """Raise the fault if the store is strict, else note it."""
        if self.strict:
            raise fault
        self.first_fault = self.first_fault or fault

    def add_memory(
        self, name: str, size: int, rules: MemoryRules, data: NDArray[np.uint8] | None = None
    ) -> EmulatedMemory:
        """Return a new memory with no byte written; `data` are its bytes if these exist already.

        Raises `TooLargeError` before anything is allocated.
        """
        if data is not None:
            return self._add(name, size, rules, ShadowedBytes.of(data))
        self._reserve_bytes(name, size)
        return self._add(
            name, size, rules, ShadowedBytes.of_poison(size, rules.alignment, self.poison)
        )

    def add_shared(self, parts: Sequence[tuple[str, int, MemoryRules]]) -> None:
        """Add memories with overlapping addresses: name, size and rules of each, by address."""
        begin = parts[0][2].base
        end = max(rules.base + size for _, size, rules in parts)
        self._reserve_bytes(" and ".join(name for name, *_ in parts), end - begin)
        alignment = max(rules.alignment for *_, rules in parts)
        bytes_ = ShadowedBytes.of_poison(end - begin, alignment, self.poison)
        for name, size, rules in parts:
            self._add(name, size, rules, bytes_, rules.base - begin)

    def _add(
        self, name: str, size: int, rules: MemoryRules, bytes_: ShadowedBytes, first: int = 0
    ) -> EmulatedMemory:
        memory = EmulatedMemory(len(self.memories), name, size, rules, bytes_, first=first)
        self.memories.append(memory)
        self.named[name] = memory
        return memory

    def memory_of_one_buffer(self, name: str, size: int, rules: MemoryRules) -> EmulatedMemory:
        """Return unwritten memory for one buffer: new, or left by a buffer that has ended."""
        left = self._spare.get((name, size, rules))
        if left:
            return left.pop()
        self._reserve_bytes(name, size)
        bytes_ = ShadowedBytes.of_poison(size, rules.alignment, self.poison)
        memory = EmulatedMemory(len(self.memories), name, size, rules, bytes_)
        self.memories.append(memory)
        return memory

    def _reserve_bytes(self, name: str, size: int) -> None:
        if self._taken + size > MOST_BYTES:
            raise TooLargeError(
                f"{name} takes {size:,} bytes and what else there is {self._taken:,}, but the "
                f"emulator has {MOST_BYTES:,} for all memories together"
            )
        self._taken += size

    def data_of(self, view: MemoryView, point: ProgramPoint | None = None) -> Any:
        """Return the elements of a view as an array, as the device at `point` sees them."""
        at, data = view.at, self.memories[view.buffer.memory].data
        if self._unreached and point is not None:
            missed = self._unreached.get((view.buffer.number, point.device))
            at, data = (at, data) if missed is None else (view.at - view.buffer.start, missed)
        return np.ndarray(view.shape, view.dtype, data.data, at, view.strides)

    def pointer_to(self, view: MemoryView, point: ProgramPoint) -> int:
        """Return the address of a view's first element in this process, as the device sees it."""
        if self._unreached:
            missed = self._unreached.get((view.buffer.number, point.device))
            if missed is not None:
                return missed.ctypes.data + view.at - view.buffer.start
        return self.memories[view.buffer.memory].pointer + view.at

    def refuse_inaccessible(self, view: MemoryView, point: ProgramPoint, fault: Fault) -> None:
        """Refuse an access to memory out of the device's reach.

        A store that is not strict gives the device other bytes for this buffer, filled with poison.
        """
        if not self._assigned:
            return
        self.refuse(fault)
        key, buffer = (view.buffer.number, point.device), view.buffer
        if key not in self._unreached:
            self._unreached[key] = np.full(buffer.end - buffer.start, self.poison, np.uint8)

    # ---- Lifetimes -------------------------------------------------------------------------------

    def add_buffer(
        self,
        memory: EmulatedMemory,
        name: str,
        span: tuple[int, int],
        point: ProgramPoint,
        *,
        alignment: int,
        lasting: bool = False,
        by_rows: bool = False,
    ) -> EmulatedBuffer:
        """Return a new buffer in the bytes `span` of a memory.

        Refuses a span outside the memory, a misaligned one, and one that overlaps a reserved range.
        """
        start, end = span
        if start < 0 or end > memory.size:
            fault = refusals.beyond_the_pool(memory, name, span, point)
            self.refuse(fault)
            self.grow(memory, end, fault)
        if not memory.rules.is_aligned(start, alignment):
            self.refuse(refusals.misplaced(memory, name, span, alignment, point))
        for reserved in memory.rules.reserved:
            if start < reserved[1] and reserved[0] < end:
                self.refuse(refusals.on_reserved(memory, name, span, reserved, point))
        buffer = self.buffers.allocate(
            name, memory.number, start, end, lasting=lasting, by_rows=by_rows
        )
        if lasting:
            self._count_live(buffer, end - start)
        return buffer

    def grow(self, memory: EmulatedMemory, end: int, fault: Fault) -> None:
        """Grow a memory after an ignored fault; raises the fault if it would be too large."""
        if end > MOST_BYTES:
            raise fault
        memory.grow(end, self.poison)

    def add_reference(self, view: MemoryView | RowsView) -> None:
        """Count one more value that refers to the view's buffer."""
        if self.buffers.add_reference(view.buffer):
            self._count_live(view.buffer, view.buffer.end - view.buffer.start)

    def drop_reference(self, view: MemoryView | RowsView) -> None:
        """Count one value less; after the last one the lifetime ends and the bytes are poisoned."""
        if self.buffers.drop_reference(view.buffer):
            self._poison(view.buffer)

    def end_operation(self, buffer: EmulatedBuffer) -> None:
        """Record that an in-flight operation no longer uses the buffer."""
        if self.buffers.end_operation(buffer):
            self._poison(buffer)

    def end(self, buffer: EmulatedBuffer) -> None:
        """End the lifetime of the buffer, even if values still refer to it."""
        if self.buffers.end(buffer):
            self._poison(buffer)

    def live_bytes_changed(self, memory: EmulatedMemory, bytes_: int) -> None:
        """Do what a subclass does when the live bytes of a memory have become `bytes_`."""

    def _count_live(self, buffer: EmulatedBuffer, bytes_: int) -> None:
        self.live_bytes[buffer.memory] += bytes_
        memory = self.memories[buffer.memory]
        self.live_bytes_changed(memory, self.live_bytes[buffer.memory])

    def _poison(self, buffer: EmulatedBuffer) -> None:
        self._count_live(buffer, buffer.start - buffer.end)
        memory = self.memories[buffer.memory]
        memory.poison(buffer.start, buffer.end, buffer.number, self.poison)
        if memory.rules.is_unplaced:
            memory.clear(self.poison)
            self._spare.setdefault((memory.name, memory.size, memory.rules), []).append(memory)

    def fill(self, view: MemoryView, point: ProgramPoint) -> None:
        """Record that an agent outside the program has written all of the view."""
        memory = self.memories[view.buffer.memory]
        view.whole.put(memory.owner, view.at, view.buffer.number)
        view.whole.put(memory.writer, view.at, point.number)
