"""The end of a tile: sums that the machine shifts and stores, or that the host requantises.

shifted layer    acc ── shift right, add, clip ──> acc ── low bytes ──> result
other layers     acc ── low bytes ──> dram, shift by 8, low bytes ──> dram, ...
                 dram ── joined and requantised by the host ──> result
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import tensor

from forebay.api.operators import element_type, shape_of
from forebay.api.regions import OperandAccess, Span, induction_variables
from forebay.api.target import (
    ScratchStorage,
    Tile,
    TiledOutput,
    TileStorage,
)
from forebay.targets.int32_convolution.geometry import LayerGeometry
from forebay.targets.int32_convolution.host import Factors, OutputRange
from forebay.targets.vta.calls import device_call
from forebay.targets.vta.intrinsics import DRAM
from forebay.targets.vta.references import ADD, AT_LEAST, AT_MOST, SHIFT_RIGHT, VECTOR
from forebay.targets.vta.requantisation import requantised_bytes

_BYTE = 8
_MOST_SHIFT = 15
"""The largest shift of one ALU operation that every build of the machine computes alike."""


@dataclass(frozen=True)
class ShiftedSums:
    """Sums that the machine shifts, clips and stores as a contiguous run of the result."""

    device: str
    scalars: Mapping[str, int]
    scratch: tuple[ScratchStorage, ...] = ()

    def output(self, value: ir.Value) -> TiledOutput:
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
        assert tile.sums is not None
        return [stored(self.device, tile.sums, tile.result(0))]


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

    @property
    def scratch(self) -> tuple[ScratchStorage, ...]:
        """The bytes of a tile of sums outside of the machine, one tensor per byte."""
        y, x, channel = induction_variables(3)
        geometry = LayerGeometry.of(self.scalars)
        shape = (geometry.y_height, geometry.y_width, geometry.y_depth)
        access = OperandAccess(shape, (y, x, channel), bits=_BYTE)
        return (ScratchStorage(access, TileStorage(DRAM, slots=2)),) * self.bytes_each

    def output(self, value: ir.Value) -> TiledOutput:
        """Return the result, which the host writes."""
        return TiledOutput(value, TileStorage(DRAM))

    def complete(self, sums: ir.Value) -> ir.Value:
        """Return the sums as they are."""
        return sums

    def finish(self, tile: Tile) -> Sequence[ir.Value]:
        """Build the stores of all bytes, shifts between them, and the requantisation."""
        sums = tile.sums
        assert sums is not None
        parts: list[ir.Value] = []
        for number in range(self.bytes_each):
            if number:
                sums = combined(self.device, sums, SHIFT_RIGHT, _BYTE)
            parts.append(stored(self.device, sums, tile.scratch(number)))
        channels = tile.box.spans[2]
        factors = Factors(
            _part(self.factors.multipliers, channels), _part(self.factors.shifts, channels)
        )
        scalars = self.scalars
        output = OutputRange(
            scalars["y_zero_point"], scalars["low"], scalars["high"], bool(scalars["double_round"])
        )
        return [requantised_bytes(parts, factors, tile.result(0), output)]


def stored(device: str, sums: ir.Value, into: ir.Value) -> ir.Value:
    """Build a store of the low bytes of all sums of a tile."""
    return device_call(device, "store_bytes", [sums], into, elements=_elements(sums))


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


def _part(values: ir.Value, span: Span) -> ir.Value:
    """Return the values of some channels."""
    if shape_of(values) == (span.size,):
        return values
    type_ = ir.RankedTensorType.get([span.size], element_type(values))
    return tensor.ExtractSliceOp(type_, values, [], [], [], [span.start], [span.size], [1]).result
