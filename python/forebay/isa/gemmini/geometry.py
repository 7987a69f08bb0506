"""Sizes of a Gemmini: its array, its local memories, and what one instruction may move."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class GemminiGeometry:
    """`lanes` x `lanes` elements; a row of a local memory has `lanes` numbers.

    `dma_bytes` is the widest row that one move transfers; `sum_bits` the width of signed sums on
    the way out of the array.
    """

    lanes: int = 16
    scratchpad_kib: int = 256
    scratchpad_banks: int = 4
    accumulator_kib: int = 64
    accumulator_banks: int = 2
    dma_bytes: int = 64
    sum_bits: int = 20

    def __post_init__(self) -> None:
        """Refuse sizes without whole banks of rows."""
        for name, rows, banks in (
            ("scratchpad", self.scratchpad_rows, self.scratchpad_banks),
            ("accumulator", self.accumulator_rows, self.accumulator_banks),
        ):
            if rows < 1 or banks < 1 or rows % banks:
                raise ValueError(f"the {name} has {rows} rows, not a multiple of {banks} banks")

    @property
    def scratchpad_rows(self) -> int:
        """Return the number of rows of int8."""
        return self.scratchpad_kib * 1024 // self.lanes

    @property
    def accumulator_rows(self) -> int:
        """Return the number of rows of int32."""
        return self.accumulator_kib * 1024 // (4 * self.lanes)

    @property
    def sum_limits(self) -> tuple[int, int]:
        """Return the smallest and the largest sum that leaves the array unchanged."""
        return -(1 << (self.sum_bits - 1)), (1 << (self.sum_bits - 1)) - 1
