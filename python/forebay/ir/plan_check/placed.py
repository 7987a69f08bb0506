"""A placed buffer, and all of a module's."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from mlir import ir


class Role(Enum):
    """Who fills a buffer and who looks at it, beside the program."""

    TEMPORARY = "temporary"
    INPUT = "input"
    OUTPUT = "output"
    LASTING = "lasting"
    """A constant or a variable: full before the program starts and after it ends."""


@dataclass(frozen=True)
class PlacedBuffer:
    """A buffer at bytes `[start, end)` of a pool.

    `element` is the size of an element; `entry` names the function whose argument it is.
    """

    name: str
    role: Role
    pool: str
    start: int
    end: int
    location: ir.Location
    candidates: tuple[str, ...]
    element: int
    alignment: int | None = None
    pinned: tuple[str, int] | None = None
    entry: str = ""

    @property
    def place(self) -> tuple[str, int, int]:
        """Pool, first byte and end."""
        return self.pool, self.start, self.end

    @property
    def span(self) -> str:
        """Its bytes, for messages."""
        return f"[{self.start:,}, {self.end:,})"

    def overlaps(self, other: PlacedBuffer) -> bool:
        """Return whether the two have a byte in common; what has no bytes shares none."""
        first, end = max(self.start, other.start), min(self.end, other.end)
        return self.pool == other.pool and first < end


@dataclass
class PlacedBuffers:
    """All placed buffers by number, and what in the IR they are.

    `values`: allocs and, once materialised, views of pool bases; each run of them is a birth.
    `arguments`: planned arguments of entry functions. `globals`: constants and variables.
    """

    buffers: list[PlacedBuffer] = field(default_factory=list[PlacedBuffer])
    values: dict[ir.Value, int] = field(default_factory=dict[ir.Value, int])
    arguments: dict[ir.Value, int] = field(default_factory=dict[ir.Value, int])
    globals: dict[str, int] = field(default_factory=dict[str, int])
    bases: dict[ir.Value, str] = field(default_factory=dict[ir.Value, str])

    def add(self, buffer: PlacedBuffer) -> int:
        """Return the number of a new buffer."""
        self.buffers.append(buffer)
        return len(self.buffers) - 1
