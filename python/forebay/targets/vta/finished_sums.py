"""The end of a tile: sums that the machine shifts and stores, or that the host requantises.

shifted layer    acc ── shift right, add, clip ──> acc ── low bytes ──> result
other layers     acc ── low bytes ──> dram, shift by 8, low bytes ──> dram, ... (one call)
                 dram ── joined and requantised by the host ──> result
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mlir import ir

from forebay.api.dialects import accel
from forebay.api.operators import shape_of
from forebay.api.target import (
    OperandTile,
    Tile,
    TiledOutput,
    TileStorage,
    TransferCost,
    slice_at,
)
from forebay.targets.int32_convolution.host import Factors, OutputRange
from forebay.targets.vta.calls import device_call, undefined
from forebay.targets.vta.intrinsics import DRAM, STORE
from forebay.targets.vta.references import ADD, AT_LEAST, AT_MOST, SHIFT_RIGHT, VECTOR
from forebay.targets.vta.requantisation import requantised_bytes
from forebay.targets.vta.times import BUS_BYTES, CoreTimes

_BYTE = 8
_CHANNEL = 2
_MOST_SHIFT = 15
"""The largest shift of one ALU operation that every build of the machine computes alike."""


@dataclass(frozen=True)
class ShiftedSums:
    """Sums that the machine shifts, clips and stores as a contiguous run of the result."""

    device: str
    scalars: Mapping[str, int]

    @property
    def bytes_each(self) -> int:
        """The bytes of a sum that are stored."""
        return 1

    def output(self, value: ir.Value, _: CoreTimes) -> TiledOutput:
        """Return the result, which the machine writes."""
        return TiledOutput(value, TileStorage(DRAM, contiguous=True))

    def complete(self, sums: ir.Value) -> ir.Value:
        """Build the operations of the ALU."""
        left = self.scalars["shift"]
        while left:
            amount = min(left, _MOST_SHIFT)
            sums = combined(self.device, sums, SHIFT_RIGHT, amount)
            left -= amount
        if self.scalars["y_zero_point"]:
            sums = combined(self.device, sums, ADD, self.scalars["y_zero_point"])
        sums = combined(self.device, sums, AT_MOST, self.scalars["high"])
        return combined(self.device, sums, AT_LEAST, self.scalars["low"])

    def finish(self, tile: Tile) -> Sequence[ir.Value]:
        """Build the store of a run."""
        sums = tile.sums
        assert sums is not None
        name, into = "store_bytes", tile.result(0)
        return [device_call(self.device, name, [sums], into, elements=_elements(sums))]


@dataclass(frozen=True)
class HostRequantisation:
    """Sums that are stored byte by byte, and requantised by the host.

    `bytes_each` bytes hold every sum of the layer.
    """

    device: str
    scalars: Mapping[str, int]
    factors: Factors

    @property
    def bytes_each(self) -> int:
        """The bytes of a sum that are stored."""
        return -(-self.scalars["sum_bits"] // _BYTE)

    def output(self, value: ir.Value, times: CoreTimes) -> TiledOutput:
        """Return the result, which the host writes from the stored bytes of a tile."""
        stored = TransferCost(STORE, times.latency * self.bytes_each, BUS_BYTES)
        return TiledOutput(value, TileStorage(DRAM, stored, slots=2), self._requantise)

    def complete(self, sums: ir.Value) -> ir.Value:
        """Return the sums as they are."""
        return sums

    def finish(self, tile: Tile) -> Sequence[ir.Value]:
        """Build the store of all bytes of a tile, one after the other."""
        assert tile.sums is not None
        into = undefined((self.bytes_each, *shape_of(tile.sums)), _BYTE)
        return [stored_sums(self.device, tile.sums, into)]

    def _requantise(self, stored: ir.Value, part: OperandTile) -> ir.Value:
        """Let the host requantise the bytes of a tile into the result."""
        channel, channels = part.offsets[_CHANNEL], part.sizes[_CHANNEL]
        multipliers, shifts = (
            slice_at(table, (channel,), (channels,))
            for table in (self.factors.multipliers, self.factors.shifts)
        )
        given = self.scalars
        output = OutputRange(
            given["y_zero_point"], given["low"], given["high"], bool(given["double_round"])
        )
        factors = Factors(multipliers, shifts)
        return part.replaced(requantised_bytes(stored, factors, part.slice(), output))


def stored_sums(device: str, sums: ir.Value, into: ir.Value) -> ir.Value:
    """Build a store of all bytes of all sums of a tile, which are the first dimension of `into`."""
    word = ir.IntegerType.get_signless(64)
    scalars = {"elements": _elements(sums), "bytes": shape_of(into)[0]}
    call = accel.CallOp(
        [sums.type, into.type],
        f"{device}.store_sums",
        [],
        [sums, into],
        accumulate=[0],
        config={name: ir.IntegerAttr.get(word, value) for name, value in scalars.items()},
    )
    return call.result_tensors[1]


def combined(device: str, sums: ir.Value, op: int, immediate: int) -> ir.Value:
    """Build an operation of the ALU on all sums of a tile."""
    return device_call(
        device,
        "combine",
        [],
        sums,
        is_changed=True,
        op=op,
        immediate=immediate,
        elements=_elements(sums),
    )


def _elements(sums: ir.Value) -> int:
    return math.prod(shape_of(sums)) // VECTOR
