"""Cycle counts of the machine, as `func.func` text for its intrinsics."""

from __future__ import annotations

from dataclasses import dataclass

from forebay.api.target import TargetError


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

    def of_fetcher(self) -> str:
        """Return the cycles of the fetcher, as text.

        They are `latency + blocks * rows * columns * 16 / bandwidth`, rounded up.
        """
        return f"""
func.func @cycles(
    %blocks: i32, %height: i32, %width: i32, %row: i32, %rows: i32, %column: i32, %columns: i32,
    %top: i32, %bottom: i32, %left: i32, %right: i32, %zero_point: i32) -> i64 {{
  %latency = arith.constant {self.latency} : i64
  %bandwidth = arith.constant {self.bandwidth} : i64
  %lanes = arith.constant 16 : i64
  %b = arith.extui %blocks : i32 to i64
  %r = arith.extui %rows : i32 to i64
  %c = arith.extui %columns : i32 to i64
  %lines = arith.muli %b, %r : i64
  %points = arith.muli %lines, %c : i64
  %bytes = arith.muli %points, %lanes : i64
  %moving = arith.ceildivui %bytes, %bandwidth : i64
  %cycles = arith.addi %latency, %moving : i64
  return %cycles : i64
}}
"""

    def of_conv2d(self) -> str:
        """Return the cycles of the engine, as text.

        They are `setup`, plus one per output position, output block, kernel element and input
        block.
        """
        return f"""
func.func @cycles(
    %x_blocks: i32, %x_height: i32, %x_width: i32, %y_blocks: i32, %y_height: i32, %y_width: i32,
    %kernel_height: i32, %kernel_width: i32, %stride_y: i32, %stride_x: i32,
    %top: i32, %left: i32, %depthwise: i32,
    %x_zero_point: i32, %y_zero_point: i32, %low: i32, %high: i32) -> i64 {{
  %setup = arith.constant {self.setup} : i64
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i32
  %is_depthwise = arith.cmpi ne, %depthwise, %zero : i32
  %x = arith.extui %x_blocks : i32 to i64
  %depth = arith.select %is_depthwise, %one, %x : i64
  %y = arith.extui %y_blocks : i32 to i64
  %rows = arith.extui %y_height : i32 to i64
  %columns = arith.extui %y_width : i32 to i64
  %k_rows = arith.extui %kernel_height : i32 to i64
  %k_columns = arith.extui %kernel_width : i32 to i64
  %lines = arith.muli %y, %rows : i64
  %points = arith.muli %lines, %columns : i64
  %area = arith.muli %k_rows, %k_columns : i64
  %products = arith.muli %area, %depth : i64
  %moving = arith.muli %points, %products : i64
  %cycles = arith.addi %setup, %moving : i64
  return %cycles : i64
}}
"""
