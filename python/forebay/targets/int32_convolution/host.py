"""The host's part of a layer: TFLite's requantisation of a tile of int32 sums, on tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import arith, linalg, tosa
from msgspec import Struct

from forebay.api.operators import element_type, shape_of


class OutputRange(Struct, frozen=True):
    """The zero point and the bounds of requantised numbers."""

    zero_point: int
    low: int = -128
    high: int = 127
    double_round: bool = True


class Factors(Struct, frozen=True, eq=False):
    """The factors of channels as tensors: multipliers (i32) and shifts (i8)."""

    multipliers: ir.Value
    shifts: ir.Value


def requantised(
    sums: ir.Value,
    factors: Factors,
    into: ir.Value,
    output: OutputRange,
    channel: Sequence[int] = (-1,),
) -> ir.Value:
    """Return `into` with the requantised sums, of the same shape, as its elements.

    `channel` says which dimensions of the sums the factors have. With `double_round`, sums are
    rounded as TFLite rounds them; without it, halves up, once. Builds one
    `linalg.generic`, whose loops the host runs.
    """
    return requantised_parts(
        PartsOfSums([sums], lambda parts: parts[0]), factors, into, output, channel
    )


class PartsOfSums(Struct, frozen=True, eq=False):
    """Sums whose parts are in tensors of one shape; `total` builds an int32 sum from its parts."""

    tensors: Sequence[ir.Value]
    total: Callable[[Sequence[ir.Value]], ir.Value]


def requantised_parts(
    sums: PartsOfSums,
    factors: Factors,
    into: ir.Value,
    output: OutputRange,
    channel: Sequence[int] = (-1,),
) -> ir.Value:
    """As `requantised`, for sums that are in parts."""
    rank = len(shape_of(into))
    table = [d % rank for d in channel]
    dimensions = [ir.AffineExpr.get_dim(d) for d in range(rank)]
    per_element = ir.AffineMap.get(rank, 0, dimensions)
    per_channel = ir.AffineMap.get(rank, 0, [dimensions[d] for d in table])
    maps = [*[per_element] * len(sums.tensors), per_channel, per_channel, per_element]
    parallel = ir.Attribute.parse("#linalg.iterator_type<parallel>")
    op = linalg.GenericOp(
        [into.type],
        [*sums.tensors, factors.multipliers, factors.shifts],
        [into],
        ir.ArrayAttr.get([ir.AffineMapAttr.get(it) for it in maps]),
        ir.ArrayAttr.get([parallel] * rank),
    )
    operands = (*sums.tensors, factors.multipliers, factors.shifts, into)
    types = [element_type(value) for value in operands]
    location = ir.Location.current
    body = op.regions[0].blocks.append(*types, arg_locs=[location] * len(types))
    with ir.InsertionPoint(body):
        *given, multiplier, shift, _ = body.arguments
        total = sums.total(given)
        linalg.YieldOp([_requantise(total, multiplier, shift, types[-1], output)])
    return op.results[0]


def _requantise(
    total: ir.Value, multiplier: ir.Value, shift: ir.Value, to: ir.Type, output: OutputRange
) -> ir.Value:
    word = total.type
    mode = "DOUBLE_ROUND" if output.double_round else "SINGLE_ROUND"
    rounding = ir.Attribute.parse(f"#tosa.rounding_mode<{mode}>")
    value = tosa.ApplyScaleOp(word, total, multiplier, shift, rounding).result
    if output.zero_point:
        offset = arith.ConstantOp(word, output.zero_point).result
        value = arith.AddIOp(value, offset, overflowFlags=arith.IntegerOverflowFlags.nsw).result
    value = arith.MaxSIOp(value, arith.ConstantOp(word, output.low).result).result
    value = arith.MinSIOp(value, arith.ConstantOp(word, output.high).result).result
    return arith.TruncIOp(to, value).result
