"""Count the bytes that ops read and write."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from forebay.emulator.machine.accessed_bytes import AccessedBytes
from forebay.emulator.machine.report import RunReport
from forebay.emulator.memory.footprint import Footprint
from forebay.emulator.memory.memory import EmulatedMemory


class ByteCounter:
    """A counter that adds bytes to the report at once, or once per op inside `one_op`."""

    def __init__(self, report: RunReport) -> None:
        self._report = report
        self._accessed: AccessedBytes | None = None

    def count(self, memory: EmulatedMemory, at: int, footprint: Footprint, *, wrote: bool) -> None:
        """Count the bytes of a footprint whose view begins at byte `at`."""
        accessed = self._accessed
        if accessed is not None:
            found = accessed.bytes_written(memory) if wrote else accessed.bytes_read(memory)
            footprint.put(found, at, True)
            return
        counter = self._report.written if wrote else self._report.read
        counter[memory.name] += footprint.size

    def count_element(self, memory: EmulatedMemory, offset: int, width: int) -> None:
        """Count an element that is read, without a footprint."""
        if self._accessed is None:
            self._report.read[memory.name] += width
        else:
            self._accessed.bytes_read(memory)[offset : offset + width] = True

    @contextmanager
    def one_op(self) -> Generator[None]:
        """Count each byte that is read or written inside the context only once."""
        accessed = self._accessed = AccessedBytes()
        try:
            yield
        finally:
            self._accessed = None
        accessed.add_to(self._report.read, self._report.written)
