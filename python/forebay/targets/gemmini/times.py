"""The cycles of the driver's functions.

Facts of the machine, from the sources of its load, store and execute controllers: a move requests
each row of at most 64 bytes alone, 16 bytes arrive per cycle, and 16 requests are in flight. The
array takes a row of pixels per cycle, and a block of weights in 16 cycles, while the block before
is multiplied.

    load    16 pixels, 64 channels: 16 requests of 4 beats      latency + 64
    array   weights 0 | weights 1 | weights 2 |                 16 cycles each, or one per pixel
                      | pixels 0  | pixels 1  | pixels 2 |
"""

from __future__ import annotations

from dataclasses import dataclass

from forebay.api.target import Int64, TargetError, TransferCost, ceil_div, maximum, select
from forebay.targets.gemmini.machine import DIM, EXECUTE, LOAD

_IN_FLIGHT = 16
"""Requests of moves that the memory has at a time."""

_MOVE_BYTES = 64
"""The bytes of the widest row of one move, which is one request."""

_LEAST_ROWS = 4
"""The cycles of a product with fewer pixels."""

FILL_CYCLES = 2 * DIM + 6
"""The cycles from the first row of pixels into the array to its sums in the accumulator, twice."""


@dataclass(frozen=True)
class MoveTimes:
    """The parts of the machine that are not Gemmini's.

    `latency` is the cycles from a request to its first byte, and `bandwidth` the bytes per cycle of
    the bus. The latency belongs to the system around the machine; its default is illustrative.
    """

    latency: int = 64
    bandwidth: int = 16

    def __post_init__(self) -> None:
        """Raise `TargetError` for a bandwidth below 1 or a negative latency."""
        if self.bandwidth < 1 or self.latency < 0:
            raise TargetError(
                f"gemmini with latency={self.latency} and bandwidth={self.bandwidth}: the first is "
                "at least 0, the second at least 1"
            )

    @property
    def block_bandwidth(self) -> int:
        """The bytes per cycle of moves whose rows have 16 bytes, as those of weights."""
        beats = -(-DIM // self.bandwidth)
        return max(1, DIM // max(beats, -(-self.latency // _IN_FLIGHT)))

    def transfer_costs(self) -> tuple[TransferCost, TransferCost, TransferCost]:
        """Return the costs of moves of images, weights and sums: a request per row of each."""
        request = max(-(-_MOVE_BYTES // self.bandwidth), -(-self.latency // _IN_FLIGHT))
        bandwidth = max(1, _MOVE_BYTES // request)
        return (
            TransferCost(LOAD, self.latency, bandwidth, run_bytes=_MOVE_BYTES),
            TransferCost(LOAD, self.latency, self.block_bandwidth),
            TransferCost(EXECUTE, self.latency, bandwidth, run_bytes=_MOVE_BYTES),
        )

    def of_image(self, rows: Int64, columns: Int64, channels: Int64) -> Int64:
        """Return the cycles of a window's moves; a request per pixel and 64 channels."""
        return self._moved(rows * columns, channels)

    def of_bias(self, pixels: Int64, channels: Int64) -> Int64:
        """Return the cycles of a bias, one request per 16 pixels and the rows that it fills."""
        return self.latency + pixels * ceil_div(channels, DIM)

    def of_sums(self, pixels: Int64, channels: Int64) -> Int64:
        """Return the cycles of sums on their way out, in rows of 16; moves wait for each other."""
        blocks = ceil_div(channels, DIM)
        waits = ceil_div(pixels, DIM) * blocks * ceil_div(self.latency, _IN_FLIGHT)
        return self.latency + pixels * blocks * ceil_div(4 * DIM, self.bandwidth) + waits

    def of_requantised(self, pixels: Int64, channels: Int64) -> Int64:
        """Return the cycles of sums that leave as int8; moves wait for each other."""
        blocks = ceil_div(channels, DIM)
        waits = ceil_div(pixels, DIM) * blocks * ceil_div(self.latency, _IN_FLIGHT)
        return self.latency + pixels * blocks + waits

    def _moved(self, rows: Int64, bytes_: Int64) -> Int64:
        beats = rows * ceil_div(bytes_, self.bandwidth)
        requests = rows * ceil_div(bytes_, _MOVE_BYTES)
        return self.latency + maximum(beats, ceil_div(requests * self.latency, _IN_FLIGHT))


def convolution_cycles(
    *,
    width: Int64,
    rows: Int64,
    columns: Int64,
    channels: Int64,
    depth: Int64,
    kernel_height: Int64,
    kernel_width: Int64,
    stride_y: Int64,
    stride_x: Int64,
    depthwise: Int64,
    steps: Int64,
) -> Int64:
    """Return the cycles of the array, with its filling and draining once.

    Weights that stay are loaded once per block, after the products before them; where sums stay,
    each product has weights of its own.
    """
    inputs = select(depthwise != 0, 1, ceil_div(depth, DIM))
    blocks = ceil_div(channels, DIM) * inputs * kernel_height * kernel_width
    joined = stride_y * width == columns * stride_x
    line = select(joined, rows * columns, columns)
    lines = select(joined, 1, rows)
    # Groups of 16 pixels; a smaller one after them takes its pixels, but at least 4 cycles.
    rest = line % DIM
    short = select(rest == 0, 0, maximum(rest, _LEAST_ROWS))
    kept_weights = maximum(lines * (line // DIM * DIM + short), DIM)
    kept_sums = lines * ceil_div(line, DIM) * DIM
    return FILL_CYCLES + blocks * select(steps != 0, kept_sums, kept_weights)
