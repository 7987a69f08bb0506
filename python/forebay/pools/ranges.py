"""Half-open ranges of bytes in a pool."""

from __future__ import annotations

from typing import NamedTuple


class ByteRange(NamedTuple):
    """A half-open range of pool-relative bytes, `[start, end)`."""

    start: int
    end: int

    def overlaps(self, other: ByteRange) -> bool:
        """Return whether the two ranges share a byte."""
        return self.start < other.end and other.start < self.end

    def __str__(self) -> str:
        return f"[{self.start:,}, {self.end:,})"
