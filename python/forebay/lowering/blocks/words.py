"""Words of an `accel.reduce`: neighbouring elements of 8 bits that are loaded as one vector.

vector.load source[x, k : k + 4], weights[c, k : k + 4];  acc += sum of the four products
"""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import arith, vector
from msgspec import Struct

from forebay.dialects.accel import DotOp, ReduceOp
from forebay.ir.memory.linear import linear_of_map
from forebay.ir.rows.layout import rows_of
from forebay.lowering.blocks.product import product_of
from forebay.lowering.kernels import scalar

_REGISTER = 4
"""Bytes of a register for integers."""
_LARGEST_OFFSET = 2**15 - 2**7
"""An element plus an offset is a number of 16 bits."""


class Words(Struct, frozen=True):
    """Vectors of `lanes` elements along one dimension; `offset` is added to the first factors."""

    dim: int
    lanes: int
    offset: int

    @property
    def is_partial(self) -> bool:
        """Whether fewer elements are a vector, too; words of one register are always whole."""
        return self.lanes > _REGISTER

    @property
    def sums_factors(self) -> bool:
        """Whether the offset is multiplied by the sum of the second factors, outside of loops."""
        return self.is_partial and self.offset != 0


def words_of(op: ReduceOp) -> Words | None:
    """Return the words that an op's attribute gives, or None.

    Raises `ValueError` for an op whose operands are not read in words along that dimension.
    """
    along = [d for d, lanes in enumerate(op.words or []) if lanes > 1]
    if not along:
        return None
    (dim,), offset = along, offset_of_words(op)
    if offset is None or dim not in dims_of_words(op):
        raise ValueError(
            f"words along dimension {dim} need a sum of products of signed 8-bit elements that "
            "are neighbours in both operands, with a constant added to the first one at most"
        )
    return Words(dim, list(op.words or [])[dim], offset)


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
    found = [_neighbours(op, number, value) for number, value in enumerate(op.inputs)]
    common = frozenset.intersection(*found) if found else frozenset[int]()
    last = len(op.parallel) + len(op.reduction) - 1
    return tuple(d for d in sorted(common) if d < len(op.parallel) or d == last)


def load_word(memory: ir.Value, index: list[ir.Value], lanes: int) -> ir.Value:
    """Load the elements from an index on."""
    type_ = ir.VectorType.get([lanes], ir.IntegerType.get_signless(8))
    return vector.LoadOp(type_, memory, index).result


def add_products(
    total: ir.Value, one: ir.Value, other: ir.Value, words: Words, lane: int | None = None
) -> ir.Value:
    """Add the products of two words, or of one lane; without the offset for `sums_factors`."""
    offset = ir.IntegerAttr.get(scalar.i32(), 0 if words.sums_factors else words.offset)
    chosen = None if lane is None else ir.IntegerAttr.get(scalar.i32(), lane)
    return DotOp(scalar.i32(), total, one, other, offset=offset, lane=chosen).result


def add_elements(total: ir.Value, word: ir.Value) -> ir.Value:
    """Add the elements of a word, as products with 1."""
    type_ = ir.VectorType(word.type)
    one = ir.IntegerAttr.get(type_.element_type, 1)
    splat: Any = ir.DenseElementsAttr.get_splat(type_, one)
    ones = arith.ConstantOp(type_, splat).result
    return DotOp(scalar.i32(), total, ones, word).result


def with_offset(total: ir.Value, factors: ir.Value, words: Words) -> ir.Value:
    """Add the offset times the sum of the second factors."""
    offset = scalar.scalar_constant(words.offset, scalar.i32())
    return arith.AddIOp(total, arith.MulIOp(factors, offset).result).result


def _is_element(value: ir.Value) -> bool:
    return ir.MemRefType(value.type).element_type == ir.IntegerType.get_signless(8)


def _neighbours(op: ReduceOp, number: int, value: ir.Value) -> frozenset[int]:
    """Return the dimensions along which neighbours of an operand are neighbours in memory."""
    type_, rows = ir.MemRefType(value.type), rows_of(value.type)
    forms = linear_of_map(ir.AffineMapAttr(op.maps[number]).value)
    if rows is not None and rows.dims >= len(forms):
        return frozenset()
    if rows is None and (not forms or type_.get_strides_and_offset()[0][-1] != 1):
        return frozenset()
    others = [form for form in forms[:-1] if form is not None]
    last = forms[-1]
    if last is None or len(others) + 1 != len(forms):
        return frozenset()
    taken = frozenset[int]().union(*(form.terms for form in others))
    return frozenset(d for d, factor in last.terms.items() if factor == 1 and d not in taken)
