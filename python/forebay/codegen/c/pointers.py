"""Memrefs as C pointers; each points at the memref's first element, offset included."""

from __future__ import annotations

from itertools import pairwise

from mlir.ir import MemRefType, Value
from msgspec import Struct

from forebay.codegen.c.analysis.layout import PoolLayout
from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.expr import Expr
from forebay.codegen.c.syntax.types import scalar_type
from forebay.ir.views.layouts import DYNAMIC

UNKNOWN = expr.name_expr("", "int32_t")
"""The unknown size of a memref that the reference of an intrinsic receives as a pointer."""


class ByteExtent(Struct, frozen=True):
    """The bytes [start, end) of a memref within its pool or the caller's array, `root`."""

    root: Value
    start: int
    end: int

    def is_apart_from(self, other: ByteExtent) -> bool:
        """Return whether two extents share no byte."""
        return self.root != other.root or self.end <= other.start or other.end <= self.start


class Pointer(Struct, frozen=True):
    """A memref in C: the address of its first element, strides in elements, and sizes."""

    expression: Expr
    ctype: str
    strides: tuple[int, ...]
    sizes: tuple[Expr, ...]
    extent: ByteExtent | None = None
    layout: PoolLayout | None = None

    @property
    def is_contiguous(self) -> bool:
        """Return whether its elements lie without gaps in row-major order."""
        expected = 1
        for size, stride in zip(reversed(self.sizes), reversed(self.strides), strict=True):
            if size.literal == 1:
                continue
            if stride != expected or size.literal is None:
                return False
            expected *= size.literal
        return True


def pointer_to(
    pointer: str | Expr,
    type_: MemRefType,
    extent: ByteExtent | None = None,
    ctype: str | None = None,
) -> Pointer:
    """Return the memref behind a pointer, or behind the variable of that name.

    A dynamic size in its type becomes `UNKNOWN`.
    """
    strides, _ = type_.get_strides_and_offset()
    sizes = tuple(UNKNOWN if size == DYNAMIC else expr.integer_expr(size) for size in type_.shape)
    ctype = ctype or scalar_type(type_.element_type)
    found = expr.name_expr(pointer, f"{ctype} *") if isinstance(pointer, str) else pointer
    return Pointer(found, ctype, tuple(strides), sizes, extent)


def linear_index(indices: tuple[Expr, ...], pointer: Pointer) -> Expr:
    """Return an element's index in the usual form `(y * 32 + x) * 3 + c`."""
    terms = [
        (index, stride)
        for index, stride, size in zip(indices, pointer.strides, pointer.sizes, strict=True)
        if index.literal != 0 and size.literal != 1 and stride != 0
    ]
    if not terms:
        return expr.integer_expr(0)
    strides = [stride for _, stride in terms]
    if all(outer % inner == 0 for outer, inner in pairwise(strides)):
        return _horner(terms)
    return _sum([_scaled(index, stride) for index, stride in terms])


def _horner(terms: list[tuple[Expr, int]]) -> Expr:
    total, stride = terms[0]
    for index, inner in terms[1:]:
        total = expr.add_expr(_scaled(total, stride // inner), index, "int32_t")
        stride = inner
    return _scaled(total, stride)


def _scaled(index: Expr, factor: int) -> Expr:
    if factor == 1:
        return index
    if index.literal is not None:
        return expr.integer_expr(index.literal * factor)
    return expr.binary_expr(index, "*", expr.integer_expr(factor), "int32_t")


def _sum(terms: list[Expr]) -> Expr:
    total = terms[0]
    for term in terms[1:]:
        total = expr.add_expr(total, term, "int32_t")
    return total
