"""Words of an `accel.reduce`: neighbouring elements of 8 bits that are loaded as one vector.

vector.load source[x, k : k + 4], weights[c, k : k + 4];  acc += sum of the four products
"""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import arith, vector
from msgspec import Struct

from forebay.dialects.accel import AddTotalsOp, DotOp, DotsOp, ReduceOp
from forebay.lowering.blocks.neighbours import neighbours_in, uses_dim
from forebay.lowering.blocks.product import product_of
from forebay.lowering.kernels import scalar

_REGISTER = 4
"""Bytes of a register for integers."""
_LARGEST_OFFSET = 2**15 - 2**7
"""An element plus an offset is a number of 16 bits."""


class Words(Struct, frozen=True):
    """Vectors of `lanes` elements along one dimension; `offset` is added to the first factors.

    Each position has `sums` partial sums in the loops over words.
    """

    dim: int
    lanes: int
    offset: int
    sums: int = 1

    @property
    def fewest(self) -> int:
        """The least number of elements of a vector; words of one register are always whole."""
        if self.sums > 1:
            return 1
        return 2 if self.lanes > _REGISTER else self.lanes

    @property
    def sums_factors(self) -> bool:
        """Return whether the sum of second factors is computed, for the offset outside of loops."""
        return self.lanes > _REGISTER and self.offset != 0 and self.sums == 1


def words_of(op: ReduceOp) -> Words | None:
    """Return the words that an op's attribute gives, or None.

    Raises `ValueError` for an op whose operands are not read in words along that dimension.
    """
    along = [d for d, lanes in enumerate(op.words or []) if lanes > 1]
    if not along:
        return None
    (dim,), offset = along, offset_of_words(op)
    lanes = list(op.lanes or [])
    dims = dims_of_sums(op) if lanes and lanes[dim] > 1 else dims_of_words(op)
    if offset is None or dim not in dims:
        raise ValueError(
            f"words along dimension {dim} need a sum of products of signed 8-bit elements that "
            "are neighbours in both operands, with a constant added to the first one at most"
        )
    sums = 1 if op.partial_sums is None else op.partial_sums.value
    return Words(dim, list(op.words or [])[dim], offset, sums)


def offset_of_words(op: ReduceOp) -> int | None:
    """Return what is added to the first factor of each product; None where words cannot be."""
    factors = product_of(op)
    if factors is None or len(factors) != 2 or not all(map(_is_element, op.inputs)):
        return None
    if not all(factor.is_signed for factor in factors) or factors[1].offset != 0:
        return None
    offset = factors[0].offset
    is_32 = op.body.blocks[0].arguments[0].type == scalar.i32()
    return offset if is_32 and offset is not None and abs(offset) <= _LARGEST_OFFSET else None


def dims_of_words(op: ReduceOp) -> tuple[int, ...]:
    """Return the dimensions along which the elements of both operands are neighbours.

    These are parallel dimensions, and the last one.
    """
    found = [neighbours_in(op, number, value) for number, value in enumerate(op.inputs)]
    common = frozenset.intersection(*found) if found else frozenset[int]()
    last = len(op.parallel) + len(op.reduction) - 1
    return tuple(d for d in sorted(common) if d < len(op.parallel) or d == last)


def dims_of_sums(op: ReduceOp) -> frozenset[int]:
    """Return the parallel dimensions along which sums of products are vectors.

    The second factors are neighbours, and the first ones are, too, or are the same.
    """
    one, other = op.inputs
    first = neighbours_in(op, 0, one)
    return frozenset(
        d
        for d in neighbours_in(op, 1, other)
        if d < len(op.parallel) and (d in first or not uses_dim(op, 0, d))
    )


def load_word(memory: ir.Value, index: list[ir.Value], lanes: int) -> ir.Value:
    """Load the elements from an index on."""
    type_ = ir.VectorType.get([lanes], ir.IntegerType.get_signless(8))
    return vector.LoadOp(type_, memory, index).result


def add_products(
    total: ir.Value, one: ir.Value, other: ir.Value, words: Words, lane: int | None = None
) -> ir.Value:
    """Add the products of two words, or of one lane; without the offset for `sums_factors`."""
    offset = ir.IntegerAttr.get(scalar.i32(), 0 if words.sums_factors else words.offset)
    if words.sums > 1:
        return DotsOp(total.type, total, one, other, offset=offset).result
    chosen = None if lane is None else ir.IntegerAttr.get(scalar.i32(), lane)
    return DotOp(scalar.i32(), total, one, other, offset=offset, lane=chosen).result


def no_sums(words: Words) -> ir.Value:
    """Return partial sums that are all 0."""
    type_ = ir.VectorType.get([words.sums], scalar.i32())
    zeros: Any = ir.DenseElementsAttr.get_splat(type_, ir.IntegerAttr.get(scalar.i32(), 0))
    return arith.ConstantOp(type_, zeros).result


def total_of(sums: ir.Value, start: ir.Value) -> ir.Value:
    """Add partial sums to a sum."""
    kind = ir.Attribute.parse("#vector.kind<add>")
    return vector.ReductionOp(scalar.i32(), kind, sums, acc=start).result


def totals_of(sums: list[ir.Value], start: ir.Value) -> ir.Value:
    """Add the partial sums of each lane to its sum."""
    return AddTotalsOp(start.type, start, sums).result


def add_elements(total: ir.Value, word: ir.Value) -> ir.Value:
    """Add the elements of a word, as products with 1, to a sum or to partial sums."""
    type_ = ir.VectorType(word.type)
    one = ir.IntegerAttr.get(type_.element_type, 1)
    splat: Any = ir.DenseElementsAttr.get_splat(type_, one)
    ones = arith.ConstantOp(type_, splat).result
    if isinstance(total.type, ir.VectorType):
        none = ir.IntegerAttr.get(scalar.i32(), 0)
        return DotsOp(total.type, total, ones, word, offset=none).result
    return DotOp(scalar.i32(), total, ones, word).result


def with_offset(total: ir.Value, factors: ir.Value, offset: int) -> ir.Value:
    """Add the offset times the sum of the second factors."""
    number = scalar.scalar_constant(offset, scalar.i32())
    return arith.AddIOp(total, arith.MulIOp(factors, number).result).result


def _is_element(value: ir.Value) -> bool:
    return ir.MemRefType(value.type).element_type == ir.IntegerType.get_signless(8)
