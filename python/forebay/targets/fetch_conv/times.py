"""Cycle counts of the machine's intrinsics."""

from __future__ import annotations

from dataclasses import dataclass

from forebay.api.target import Int64, TargetError, ceil_div, select

_LANES = 16
"""The bytes of a point in a block of channels."""


@dataclass(frozen=True)
class Times:
    """The parameters of the timing model; the defaults are illustrative, except for the array.

    The array of 16x16 multipliers is that of DIANA's digital core, 256 MACs of 8 bits per cycle
    (Ueyoshi et al., "DIANA: An End-to-End Energy-Efficient Digital and Analog Hybrid Neural Network
    SoC", ISSCC 2022): a block of inputs times a block of outputs. A depthwise channel reads only
    one input channel, so 16 of the 256 multipliers work. `bandwidth` is the bytes that the fetcher
    and the weight loader move per cycle, `latency` the cycles before their first byte, `setup` the
    cycles before the first product of a convolution.
    """

    bandwidth: int = 16
    latency: int = 32
    setup: int = 64

    def __post_init__(self) -> None:
        """Raise `TargetError` for a bandwidth below 1 or a negative latency or setup."""
        if self.bandwidth < 1 or self.latency < 0 or self.setup < 0:
            raise TargetError(
                f"fetch_conv with bandwidth={self.bandwidth}, latency={self.latency} and "
                f"setup={self.setup}: the first is at least 1, the others at least 0"
            )

    def of_fetcher(self, blocks: Int64, rows: Int64, columns: Int64) -> Int64:
        """Return the cycles of the fetcher."""
        return self.latency + ceil_div(blocks * rows * columns * _LANES, self.bandwidth)

    def of_conv2d(
        self,
        *,
        x_blocks: Int64,
        y_blocks: Int64,
        y_height: Int64,
        y_width: Int64,
        kernel_height: Int64,
        kernel_width: Int64,
        depthwise: Int64,
    ) -> Int64:
        """Return the cycles of the engine: `setup`, and one per product of two blocks."""
        products = kernel_height * kernel_width * select(depthwise != 0, 1, x_blocks)
        return self.setup + y_blocks * y_height * y_width * products

    def of_tile(self, points: int, products: int) -> int:
        """Return the cycles of the engine for points of blocks, of some products each."""
        return self.setup + points * products
