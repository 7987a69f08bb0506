"""Words of an `accel.reduce`: neighbouring elements of 8 bits that are loaded as one vector.

vector.load source[x, k : k + 4], weights[c, k : k + 4];  acc += sum of the four products
"""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import arith, vector
from msgspec import Struct

from forebay.cpus.costs.weighted_nest import WordDots
from forebay.dialects.accel import AddTotalsOp, DotEachOp, DotOp, DotsOp, ReduceOp
from forebay.ir.memory.linear import linear_of_map
from forebay.ir.rows.layout import rows_of
from forebay.ir.structured.reduce_box import box_of
from forebay.lowering.blocks.cloned import has_vectors
from forebay.lowering.blocks.lanes import dims_of_results
from forebay.lowering.blocks.neighbours import neighbours_in, uses_dim
from forebay.lowering.blocks.product import product_of
from forebay.lowering.kernels import scalar

_FACTORS = 2
_REGISTER = 4
"""Bytes of a register for integers."""
_LARGEST_OFFSET = 2**15 - 2**7
"""An element plus an offset is a number of 16 bits."""


class Words(Struct, frozen=True):
    """Vectors of `lanes` elements along one dimension; `offset` is added to the first factors.

    Each position has `sums` partial sums in the loops over words. If `dot_length` is not 1, the
    positions of a vector have one sum each, to which the products of so many neighbours along the
    last dimension are added at once.
    """

    dim: int
    lanes: int
    offset: int
    sums: int = 1
    dot_length: int = 1

    def along(self, dim: int, last: int) -> int:
        """Return how many elements along a reduction dimension are added at once.

        `last` is the number of the last dimension.
        """
        if self.dot_length > 1:
            return self.dot_length if dim == last else 1
        return self.lanes if dim == self.dim else 1

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
    (dim, *more), offset = along, offset_of_words(op)
    words, lanes = list(op.words or []), list(op.lanes or [])
    if more and (offset is None or dots_of(op) != WordDots(dim, words[dim], words[-1])):
        raise ValueError(
            f"words along dimensions {dim} and {more[0]} need a sum of products of signed 8-bit "
            "elements, with a constant added to the first one at most; the first ones are the same "
            f"for all positions of dimension {dim}, and the second ones are interleaved in words"
        )
    if more and offset is not None:
        return Words(dim, words[dim], offset, dot_length=words[-1])
    if is_float_sum(op) and not more and dim in dims_of_floats(op):
        return Words(dim, words[dim], 0)
    dims = dims_of_sums(op) if lanes and lanes[dim] > 1 else dims_of_words(op)
    if offset is None or dim not in dims:
        raise ValueError(
            f"words along dimension {dim} need a sum of products of signed 8-bit elements that "
            "are neighbours in both operands, with a constant added to the first one at most"
        )
    sums = 1 if op.partial_sums is None else op.partial_sums.value
    return Words(dim, words[dim], offset, sums)


def offset_of_words(op: ReduceOp) -> int | None:
    """Return what is added to the first factor of each product; None where words cannot be."""
    offsets = offsets_of_factors(op)
    if offsets is None or offsets[1] != 0 or abs(offsets[0]) > _LARGEST_OFFSET:
        return None
    return offsets[0]


def offsets_of_factors(op: ReduceOp) -> tuple[int, int] | None:
    """Return the constants that are added to both factors of each product.

    None for an op that adds no products of two signed elements of 8 bits, and constants, to a sum
    of 32 bits.
    """
    factors = product_of(op)
    if factors is None or len(factors) != _FACTORS or not all(map(_is_element, op.inputs)):
        return None
    one, other = factors
    is_32 = op.body.blocks[0].arguments[0].type == scalar.i32()
    if not is_32 or not one.is_signed or not other.is_signed:
        return None
    return None if one.offset is None or other.offset is None else (one.offset, other.offset)


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


def is_float_sum(op: ReduceOp) -> bool:
    """Return whether an op adds products of floats, and its other ops have forms on vectors."""
    is_float = isinstance(op.body.blocks[0].arguments[0].type, ir.FloatType)
    regions = (op.init, op.finish)
    return (
        is_float and product_of(op) is not None and all(has_vectors(r.blocks[0]) for r in regions)
    )


def dims_of_floats(op: ReduceOp) -> frozenset[int]:
    """Return the parallel dimensions along which sums of floats and their results are vectors."""
    return dims_of_sums(op) & dims_of_results(op, range(len(op.params)))


def dots_of(op: ReduceOp) -> WordDots | None:
    """Return the positions to whose sums words may be added at once, or None.

    The second factors of all of them are one vector, in words along the last dimension. The first
    factors are the same for all of them, and neighbours along that dimension.
    """
    if len(op.inputs) != _FACTORS or not op.reduction or rows_of(op.inputs[1].type) is not None:
        return None
    box, last = box_of(op), len(op.parallel) + len(op.reduction) - 1
    form = linear_of_map(ir.AffineMapAttr(op.maps[1]).value)[-1]
    others = [] if form is None else [d for d in form.terms if d != last]
    if form is None or len(others) != 1 or others[0] >= len(op.parallel) or box.cuts_reduction:
        return None
    (dim,), word = others, box.extents[last]
    lanes, start = op.parallel[dim], box.starts[dim]
    is_whole = start == 0 and box.sizes[dim] == lanes
    is_all = ir.MemRefType(op.inputs[1].type).shape[-1] == lanes * word
    is_vector = form.terms == {dim: word, last: 1} and not form.constant
    is_word = last in neighbours_in(op, 0, op.inputs[0]) and not uses_dim(op, 0, dim)
    return WordDots(dim, lanes, word) if is_whole and is_all and is_vector and is_word else None


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


def dot_each(sums: ir.Value, word: ir.Value, factors: ir.Value, offset: int) -> ir.Value:
    """Add the products of a word and of each part of the factors to a sum of its own."""
    number = ir.IntegerAttr.get(scalar.i32(), offset)
    return DotEachOp(sums.type, sums, word, factors, offset=number).result


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
