"""The numbers of the machine: its array and its memories."""

from __future__ import annotations

from dataclasses import dataclass

from forebay.api.target import TargetError

DIM = 16
"""Rows and columns of the array; the numbers in a row of a local memory."""

BORDER_BYTES = 64
"""The bytes of the row that borders are copied from: the widest row of one move."""

SCRATCHPAD, ACCUMULATOR, MEMORY, WEIGHTS = "spad", "acc", "dram", "weights"
"""The pools of the target."""

LOAD, EXECUTE, STORE = "load", "execute", "store"
"""The queues: the classes of instructions that the machine takes at the same time."""

ACCUMULATOR_BASE = 0x8000_0000
_MOST_ROWS = 1 << 16
_ROW_BYTES = {SCRATCHPAD: DIM, ACCUMULATOR: 4 * DIM}


@dataclass(frozen=True)
class MemorySizes:
    """Bytes of the local memories, and the numbers of their banks."""

    spad: int = 256 << 10
    spad_banks: int = 4
    acc: int = 64 << 10
    acc_banks: int = 2

    def __post_init__(self) -> None:
        """Raise `TargetError` for a memory that is not made of whole rows in each bank.

        Moves have 16 bits for the rows from one block of channels to the next.
        """
        for name, size, banks in (
            (SCRATCHPAD, self.spad, self.spad_banks),
            (ACCUMULATOR, self.acc, self.acc_banks),
        ):
            row = _ROW_BYTES[name]
            if banks < 1 or size < 1 or size % (row * banks):
                raise TargetError(
                    f"gemmini with {name}={size} and {name}_banks={banks}: the bytes are a "
                    f"positive multiple of the banks, times {row} bytes per row"
                )
        if self.spad > _MOST_ROWS * DIM:
            raise TargetError(
                f"gemmini with {SCRATCHPAD}={self.spad}: moves have 16 bits for rows of images, "
                f"so the scratchpad has at most {_MOST_ROWS * DIM:,} bytes"
            )
