"""Sums of products of vectors, in the form that LLVM's code generators know as dot products."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mlir import ir
from mlir.dialects import arith, vector

from forebay.dialects.accel import AddTotalsOp, DotEachOp, DotsOp
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.vector_features import VectorFeatures

_VNNI_SUMS = 8
"""Sums in a register of 256 bits."""
_VNNI_WORD = 4
"""Products that are added to each sum at once."""
_NEON_SUMS = 4
"""Sums in a register of 128 bits."""
NO_SIGN = 128
"""What makes an element of 8 bits a number without sign."""


def dots_added(
    op: DotsOp, features: VectorFeatures, padded: Mapping[ir.Value, ir.Value]
) -> ir.Value:
    """Add the products of two vectors to partial sums.

    `padded` has for some vectors a longer one, with zeros after the same elements. The products of
    neighbours are added to each other first: on x86-64 that is one `vpmaddwd`, or with the sum one
    `vpdpwssd`. Vectors of more than two elements per sum are added in parts.
    """
    factors = [padded.get(factor, factor) for factor in (op.lhs, op.rhs)]
    count = max(ir.VectorType(factor.type).shape[0] for factor in factors)
    (sums,) = ir.VectorType(op.sum.type).shape
    is_unsigned = features.byte_products == "vpdpbusd" and op.offset.value == NO_SIGN
    if is_unsigned and sums == _VNNI_SUMS and count <= 4 * sums:
        return _bytes_added(op.sum, factors)
    if features.byte_products == "sdot" and sums == _NEON_SUMS and count <= 4 * sums:
        return _signed_bytes_added(op.sum, factors, op.offset.value)
    total = op.sum
    for start in range(0, count, 2 * sums):
        one, other = (_part(factor, start, 2 * sums) for factor in factors)
        total = arith.AddIOp(total, _pairs_added(one, other, op.offset.value)).result
    return total


def each_added(op: DotEachOp, features: VectorFeatures) -> ir.Value:
    """Add the products of a word and of each part of a vector to a sum of its own."""
    (sums,), (word,) = (ir.VectorType(value.type).shape for value in (op.sum, op.lhs))
    repeated = _shuffled(op.lhs, op.lhs, list(range(word)) * sums)
    is_known = word == _VNNI_WORD and sums in {_VNNI_SUMS, 2 * _VNNI_SUMS}
    if features.byte_products == "vpdpbusd" and is_known and op.offset.value == NO_SIGN:
        return _unsigned_dots(op.sum, repeated, op.rhs)
    type_ = ir.VectorType.get([word * sums], scalar.i32())
    wide, factor = (arith.ExtSIOp(type_, value).result for value in (repeated, op.rhs))
    if op.offset.value:
        wide = arith.AddIOp(wide, splat_of(type_, op.offset.value)).result
    products = arith.MulIOp(wide, factor).result
    total = op.sum
    for element in range(word):
        part = _shuffled(products, products, range(element, word * sums, word))
        total = arith.AddIOp(total, part).result
    return total


def totals_added(op: AddTotalsOp) -> ir.Value:
    """Add the total of each of several vectors to one element of a vector.

    In each step two vectors become one of the sums of their halves, without a sum that is not
    needed.
    """
    sums = list(op.sums)
    (lanes,) = ir.VectorType(sums[0].type).shape
    if len(sums) != lanes or lanes & (lanes - 1):
        return arith.AddIOp(op.start, _totals(op)).result
    while len(sums) > 1:
        half = len(sums) // 2
        sums = [_halves_added(*pair, half) for pair in zip(sums[:half], sums[half:], strict=True)]
    return arith.AddIOp(op.start, sums[0]).result


def splat_of(type_: ir.Type, value: int) -> ir.Value:
    """Build a constant vector of equal elements."""
    number = ir.IntegerAttr.get(ir.VectorType(type_).element_type, value)
    splat: Any = ir.DenseElementsAttr.get_splat(type_, number)
    return arith.ConstantOp(type_, splat).result


def _bytes_added(total: ir.Value, factors: Sequence[ir.Value]) -> ir.Value:
    """Add the products of bytes with an offset of 128 and bytes."""
    one, other = (_part(factor, 0, _VNNI_WORD * _VNNI_SUMS) for factor in factors)
    return _unsigned_dots(total, one, other)


def _unsigned_dots(total: ir.Value, one: ir.Value, other: ir.Value) -> ir.Value:
    """Add the products of bytes without sign and bytes: those of four neighbours to one sum."""
    from mlir.dialects import llvm  # noqa: PLC0415  (loads in 11 ms)

    (sums,) = ir.VectorType(total.type).shape
    factor = arith.XOrIOp(one, splat_of(one.type, -NO_SIGN)).result
    name = ir.StringAttr.get(f"llvm.x86.avx512.vpdpbusd.{32 * sums}")
    return llvm.CallIntrinsicOp(total.type, name, [total, factor, other], [], []).results[0]


def _signed_bytes_added(total: ir.Value, factors: Sequence[ir.Value], offset: int) -> ir.Value:
    """Add the products of signed bytes, and the offset times the sums of the second factors."""
    from mlir.dialects import llvm  # noqa: PLC0415  (loads in 11 ms)

    one, other = (_part(factor, 0, 4 * _NEON_SUMS) for factor in factors)
    name = ir.StringAttr.get("llvm.aarch64.neon.sdot.v4i32.v16i8")

    def dot(sums: ir.Value, factor: ir.Value) -> ir.Value:
        return llvm.CallIntrinsicOp(total.type, name, [sums, factor, other], [], []).results[0]

    products = dot(total, one)
    if not offset:
        return products
    added = dot(splat_of(total.type, 0), splat_of(one.type, 1))
    scaled = arith.MulIOp(added, splat_of(total.type, offset)).result
    return arith.AddIOp(products, scaled).result


def _pairs_added(one: ir.Value, other: ir.Value, offset: int) -> ir.Value:
    type_ = ir.VectorType.get(ir.VectorType(one.type).shape, scalar.i32())
    wide, factor = (arith.ExtSIOp(type_, value).result for value in (one, other))
    if offset:
        wide = arith.AddIOp(wide, splat_of(type_, offset)).result
    products = arith.MulIOp(wide, factor).result
    lanes = range(type_.shape[0])
    even, odd = (_shuffled(products, products, lanes[first::2]) for first in (0, 1))
    return arith.AddIOp(even, odd).result


def _part(word: ir.Value, start: int, length: int) -> ir.Value:
    """Return so many elements of a vector, and zeros after its last one."""
    type_ = ir.VectorType(word.type)
    (count,) = type_.shape
    if start == 0 and count == length:
        return word
    chosen = [min(start + lane, count) for lane in range(length)]
    return _shuffled(word, splat_of(type_, 0), chosen)


def _halves_added(one: ir.Value, other: ir.Value, half: int) -> ir.Value:
    """Add elements at a distance: lanes whose number has the bit `half` are those of `other`."""
    (count,) = ir.VectorType(one.type).shape
    own = [lane + count * bool(lane & half) for lane in range(count)]
    opposite = [lane ^ half for lane in range(count)]
    moved = [far + count * bool(lane & half) for lane, far in enumerate(opposite)]
    return arith.AddIOp(_shuffled(one, other, own), _shuffled(one, other, moved)).result


def _totals(op: AddTotalsOp) -> ir.Value:
    kind = ir.Attribute.parse("#vector.kind<add>")
    totals = [
        vector.ReductionOp(scalar.i32(), kind, vector_of_sums).result for vector_of_sums in op.sums
    ]
    return vector.FromElementsOp(op.start.type, totals).result


def _shuffled(one: ir.Value, other: ir.Value, lanes: Sequence[int]) -> ir.Value:
    return vector.ShuffleOp(one, other, list(lanes)).result
