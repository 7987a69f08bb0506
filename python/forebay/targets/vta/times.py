"""Cycles of the three cores: published properties of the default hardware.

GEMM makes one product of a vector and a 16 x 16 matrix per cycle. The bus moves 64 bits per cycle:
an element of an image takes 2 cycles, of sums 8, of weights 32. A core runs one instruction at a
time. `latency` counts the cycles before the first element of a load or a store.
"""

from __future__ import annotations

from dataclasses import dataclass

from forebay.api.target import Int64, TargetError, select

BUS_BYTES = 8


@dataclass(frozen=True)
class CoreTimes:
    """The parameters of the timing model.

    `latency` is that of main memory, which the machine does not define; `alu` the cycles of an ALU
    operation with an immediate on one element (1 in the Chisel core, 2 in HLS).
    """

    latency: int = 16
    alu: int = 1

    def __post_init__(self) -> None:
        """Raise `TargetError` for a number of cycles below 0, or an ALU without cycles."""
        if self.latency < 0 or self.alu < 1:
            raise TargetError(
                f"vta with latency={self.latency} and alu={self.alu}: the first is at least 0, the "
                "second at least 1"
            )

    def of_image(
        self,
        *,
        rows: Int64,
        columns: Int64,
        blocks: Int64,
        top: Int64,
        bottom: Int64,
        left: Int64,
        right: Int64,
        pads: Int64,
    ) -> Int64:
        """Return the cycles of loading an image: one LOAD, or one per row and gap of the border."""
        elements = (top + rows + bottom) * (left + columns + right) * blocks
        above_and_below = select(top != 0, 1, 0) + select(bottom != 0, 1, 0)
        parts = select(left + right != 0, 2 * rows + 1, 1 + above_and_below)
        loads = select(pads != 0, 1, parts)
        return self.latency * loads + elements * (16 // BUS_BYTES)

    def of_sums(self, elements: Int64) -> Int64:
        """Return the cycles of loading sums."""
        return self.latency + elements * (64 // BUS_BYTES)

    def of_stored(self, elements: Int64) -> Int64:
        """Return the cycles of storing the low bytes of sums."""
        return self.latency + elements * (16 // BUS_BYTES)

    def of_stored_sums(self, elements: Int64, bytes: Int64) -> Int64:
        """Return the cycles of storing bytes of sums, with the shifts between them."""
        return bytes * self.of_stored(elements) + (bytes - 1) * self.of_combination(elements)

    def of_products(self, outputs: Int64, in_blocks: Int64, depthwise: Int64) -> Int64:
        """Return the cycles of GEMM: one per product of a vector and a matrix."""
        return outputs * select(depthwise != 0, 1, in_blocks)

    def of_combination(self, elements: Int64) -> Int64:
        """Return the cycles of an ALU operation."""
        return elements * self.alu
