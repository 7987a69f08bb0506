"""A placed buffer, and all placed buffers of a module."""

from __future__ import annotations

from enum import Enum

from mlir import ir
from msgspec import Struct, field

FIRST_GROUP = -2
"""The number of the first memref of rows; -1 is memory of the caller."""


class Role(Enum):
    """The way in which the caller fills or reads a buffer."""

    TEMPORARY = "temporary"
    INPUT = "input"
    OUTPUT = "output"
    LASTING = "lasting"
    """A constant or a variable: it has contents before the program starts and after it ends."""


class PlacedBuffer(Struct, frozen=True):
    """A buffer at bytes `[start, end)` of a pool.

    `element` is the size of an element in bytes. `entry` names the function whose argument it is.
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
    def address_range(self) -> tuple[str, int, int]:
        """Return pool, first byte and end."""
        return self.pool, self.start, self.end

    @property
    def span(self) -> str:
        """Return the byte range of the buffer, for messages."""
        return f"[{self.start:,}, {self.end:,})"

    @property
    def description(self) -> str:
        """Return the name and the place of the buffer, for messages."""
        return f"buffer '{self.name}' at {self.span} of pool @{self.pool}"

    def overlaps(self, other: PlacedBuffer) -> bool:
        """Return whether the two have a byte in common; a buffer of no bytes shares none."""
        first, end = max(self.start, other.start), min(self.end, other.end)
        return self.pool == other.pool and first < end


def declarations_of(*buffers: PlacedBuffer) -> list[tuple[ir.Location, str]]:
    """Return the notes of an error that is about these buffers."""
    return [(buffer.location, f"'{buffer.name}' is declared here") for buffer in buffers]


class PlacedBuffers(Struct):
    """All placed buffers by number, and their declarations in the IR.

    `values`: allocs and, in a materialised module, views of pool bases; each run of one is a new
    allocation. `arguments`: planned arguments of entry functions. `globals`: constants and
    variables. Each row of a memref of rows is a buffer; `groups` has the buffers of each such
    memref, whose number counts down from `FIRST_GROUP`. `row_bytes` has the bytes of a row of
    contiguous buffers whose rows are marked one by one. `unwritten` are buffers in which nothing is
    before the program writes it. `shows_rows` says that views of pool bases show rows; each becomes
    a buffer when the program shows it for the first time.
    """

    buffers: list[PlacedBuffer] = field(default_factory=list[PlacedBuffer])
    values: dict[ir.Value, int] = field(default_factory=dict[ir.Value, int])
    arguments: dict[ir.Value, int] = field(default_factory=dict[ir.Value, int])
    globals: dict[str, int] = field(default_factory=dict[str, int])
    bases: dict[ir.Value, str] = field(default_factory=dict[ir.Value, str])
    groups: list[range] = field(default_factory=list[range])
    row_bytes: dict[int, int] = field(default_factory=dict[int, int])
    unwritten: set[int] = field(default_factory=set[int])
    shows_rows: bool = False

    def add(self, buffer: PlacedBuffer) -> int:
        """Add a buffer and return its number."""
        self.buffers.append(buffer)
        return len(self.buffers) - 1

    def numbers_of(self, number: int) -> range:
        """Return the buffers that a number stands for: itself, or the rows of a group."""
        return self.groups[FIRST_GROUP - number] if number <= FIRST_GROUP else _one(number)


def _one(number: int) -> range:
    return range(number, number + 1)
