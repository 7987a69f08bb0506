"""The C types of MLIR types, and the reasons why other types have none."""

from __future__ import annotations

import math

from mlir.ir import F32Type, F64Type, IndexType, IntegerType, MemRefType, Type, VectorType

from forebay.ir.machine.devices import is_handle
from forebay.ir.machine.tokens import is_token
from forebay.ir.views.layouts import DYNAMIC

WIDTHS = (8, 16, 32, 64)
SUMS = ("vector<4xi32>", "vector<8xi32>")
"""The vectors of partial sums, of sums made of single ones, and of elements in 32 bits."""
PRODUCTS = ("vector<8xi32>", "vector<16xi32>")
"""The vectors of sums to which products are added."""
_MAX_ELEMENTS = 2**31
_WORDS = (4, 16, 32)
"""The lengths of vectors of 8-bit integers that have a C form, as those of their first elements."""
_WHOLE = 64
"""The length of vectors of 8-bit integers that are always whole."""
_LANES = ("4xi32", "8xi32", "16xi32", "8xi16", "16xi16", "8xf32", "16xf32")
"""Vectors of sums, and of factors of their products."""


def integer_width(type_: Type) -> int | None:
    """Return the width of an integer in C, 32 for `index`; None for any other type."""
    if isinstance(type_, IndexType):
        return 32
    return type_.width if isinstance(type_, IntegerType) else None


def scalar_type(type_: Type) -> str:
    """Return the C type of an MLIR scalar for which `refusal` returns None."""
    width = integer_width(type_)
    if width is not None:
        return "bool" if width == 1 else f"int{width}_t"
    if isinstance(type_, VectorType):
        return f"forebay_{vector_suffix(type_)}"
    if isinstance(type_, F32Type):
        return "float"
    return "uint32_t" if is_token(type_) else "double"


def vector_suffix(type_: VectorType) -> str:
    """Return what the names of a vector's type and functions end with, such as `i8x4`.

    A vector of 8-bit integers of another length than 4, 16, 32 and 64 is the first part of one of
    16 or 32.
    """
    if is_lanes(type_):
        return f"{type_.element_type}x{type_.shape[0]}"
    lanes = type_.shape[0]
    if lanes == _WHOLE:
        return f"i8x{_WHOLE}"
    return "i8x4" if lanes == _WORDS[0] else f"i8x{_WORDS[1] if lanes <= _WORDS[1] else _WORDS[2]}"


def is_lanes(type_: VectorType) -> bool:
    """Return whether a type is one of vectors of sums, or of factors of their products."""
    return type_.rank == 1 and f"{type_.shape[0]}x{type_.element_type}" in _LANES


def is_elements(type_: VectorType) -> bool:
    """Return whether a type is one of up to 16 elements of 8 bits, which can be stored."""
    is_i8 = type_.element_type == IntegerType.get_signless(8, type_.context)
    return is_i8 and type_.rank == 1 and _WORDS[0] <= type_.shape[0] <= _WORDS[1]


def signed_ctype(width: int) -> str:
    """Return the signed type of a width, such as `int8_t`."""
    return f"int{width}_t"


def unsigned_ctype(width: int) -> str:
    """Return the unsigned type of a width, such as `uint8_t`."""
    return f"uint{width}_t"


def refusal(type_: Type) -> str | None:
    """Return why a type has no C form, or None if it has one."""
    if isinstance(type_, MemRefType):
        return _refuse_memref(type_)
    if isinstance(type_, IndexType | F32Type | F64Type):
        return None
    if isinstance(type_, IntegerType) and type_.is_signless and type_.width in (1, *WIDTHS):
        return None
    if is_token(type_) or is_handle(type_):
        return None
    if isinstance(type_, VectorType):
        return _refuse_vector(type_)
    return f"type {type_} has no C form; known: i1, i8, i16, i32, i64, index, f32, f64, memref"


def _refuse_vector(type_: VectorType) -> str | None:
    is_known = type_.rank == 1 and not any(type_.scalable_dims)
    if is_known and is_lanes(type_):
        return None
    is_known = is_known and (1 <= type_.shape[0] <= _WORDS[-1] or type_.shape[0] == _WHOLE)
    if is_known and type_.element_type == IntegerType.get_signless(8, type_.context):
        return None
    known = ", ".join(f"vector<{lanes}>" for lanes in _LANES)
    words = f"vector<1xi8> to vector<{_WORDS[-1]}xi8>, vector<{_WHOLE}xi8>"
    return f"type {type_} has no C form; known: {words}, {known}"


class Refusals(dict[Type, str | None]):
    """The answers of `refusal` for the types of a module, of which there are few."""

    def __missing__(self, type_: Type) -> str | None:
        self[type_] = refusal(type_)
        return self[type_]


def _refuse_memref(type_: MemRefType) -> str | None:
    reason = refusal(type_.element_type)
    if reason is not None or isinstance(type_.element_type, MemRefType | IndexType):
        return reason or f"a memref of {type_.element_type} has no size that C and MLIR agree on"
    static = [size for size in type_.shape if size != DYNAMIC]
    if math.prod(static) >= _MAX_ELEMENTS:
        return f"{type_} has {math.prod(static):,} elements; an int32_t index reaches 2,147,483,647"
    try:
        strides, _ = type_.get_strides_and_offset()
    except (RuntimeError, ValueError):
        return f"the layout of {type_} is not strided"
    if DYNAMIC in strides:
        return f"{type_} has a stride that is known at run time only"
    return None


def is_pointer_like(type_: Type) -> bool:
    """Return whether values of the type are pointers in C."""
    return isinstance(type_, MemRefType)
