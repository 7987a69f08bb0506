"""The host's part of a layer: sums from their bytes, requantised."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, linalg

from forebay.api.operators import shape_of
from forebay.targets.int32_convolution.host import Factors, OutputRange, requantised
from forebay.targets.vta.calls import undefined

_WORD = 32


def sums_of_bytes(parts: Sequence[ir.Value]) -> ir.Value:
    """Return int32 sums from tensors of their bytes, the lowest first; the last has the sign."""
    shape = shape_of(parts[0])
    into = undefined(shape, _WORD)
    rank = len(shape)
    same = ir.AffineMapAttr.get(ir.AffineMap.get_identity(rank))
    parallel = ir.Attribute.parse("#linalg.iterator_type<parallel>")
    op = linalg.GenericOp(
        [into.type],
        list(parts),
        [into],
        ir.ArrayAttr.get([same] * (len(parts) + 1)),
        ir.ArrayAttr.get([parallel] * rank),
    )
    byte, word = ir.IntegerType.get_signless(8), ir.IntegerType.get_signless(_WORD)
    types = [*[byte] * len(parts), word]
    body = op.regions[0].blocks.append(*types, arg_locs=[ir.Location.current] * len(types))
    with ir.InsertionPoint(body):
        linalg.YieldOp([_joined(list(body.arguments)[:-1], word)])
    return op.results[0]


def requantised_bytes(
    parts: Sequence[ir.Value], factors: Factors, into: ir.Value, output: OutputRange
) -> ir.Value:
    """Return `into` with the requantised sums whose bytes these are."""
    return requantised(sums_of_bytes(parts), factors, into, output)


def _joined(parts: Sequence[ir.Value], word: ir.Type) -> ir.Value:
    total = arith.ExtSIOp(word, parts[-1]).result
    for part in reversed(parts[:-1]):
        eight = arith.ConstantOp(word, 8).result
        shifted = arith.ShLIOp(total, eight).result
        total = arith.OrIOp(shifted, arith.ExtUIOp(word, part).result).result
    return total
