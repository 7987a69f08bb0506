"""The host's part of a layer: sums from their bytes, requantised."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, tensor

from forebay.api.operators import element_type, shape_of
from forebay.targets.int32_convolution.host import (
    Factors,
    OutputRange,
    PartsOfSums,
    requantised_parts,
)

_BYTE, _WORD = 8, 32


def requantised_bytes(
    stored: ir.Value, factors: Factors, into: ir.Value, output: OutputRange
) -> ir.Value:
    """Return `into` with the requantised sums whose bytes are stored, the lowest first.

    `stored` has the bytes as its first dimension; the last byte has the sign.
    """
    count, *_ = shape_of(stored)
    parts = [_byte(stored, number) for number in range(count)]
    return requantised_parts(PartsOfSums(parts, _joined), factors, into, output)


def _byte(stored: ir.Value, number: int) -> ir.Value:
    _, *sizes = shape_of(stored)
    type_ = ir.RankedTensorType.get(sizes, element_type(stored))
    offsets = [number, *[0] * len(sizes)]
    ones = [1] * len(offsets)
    return tensor.ExtractSliceOp(type_, stored, [], [], [], offsets, [1, *sizes], ones).result


def _joined(parts: Sequence[ir.Value]) -> ir.Value:
    word = ir.IntegerType.get_signless(_WORD)
    total = arith.ExtSIOp(word, parts[-1]).result
    for part in reversed(parts[:-1]):
        byte = arith.ConstantOp(word, _BYTE).result
        shifted = arith.ShLIOp(total, byte).result
        total = arith.OrIOp(shifted, arith.ExtUIOp(word, part).result).result
    return total
