"""Checks of types: which elements memory can hold, and how many."""

from __future__ import annotations

import math
from collections.abc import Iterator

from mlir import ir
from mlir.dialects import func, memref, tosa

from forebay.ir.nested import inner_blocks
from forebay.ir.supported.finding import Finding

ELEMENTS = "i1, i8, i16, i32, i64, f32 and f64"
_MAX_ELEMENTS = 2**31
"""The first number of elements that an `int32_t` index cannot reach."""

_WIDTHS = (1, 8, 16, 32, 64)
_DYNAMIC = ir.ShapedType.get_dynamic_size()


def type_findings(op: ir.OpView) -> Iterator[Finding]:
    """Yield the types that the op defines and memory cannot hold, each type once."""
    for type_ in dict.fromkeys(_types_of(op)):
        reason = refusal_of(type_, is_tosa=_takes_signs(op))
        if reason is not None:
            yield Finding(op.location, reason)


def refusal_of(type_: ir.Type, *, is_tosa: bool) -> str | None:
    """Return why no buffer can hold a tensor or memref of the type, or None where one can.

    Types with a sign are allowed only in TOSA (`is_tosa`), whose operations state the sign again.
    """
    if isinstance(type_, ir.UnrankedTensorType | ir.UnrankedMemRefType):
        return f"{type_} has no rank, so it has no size; give it a shape"
    if not isinstance(type_, ir.RankedTensorType | ir.MemRefType):
        return None
    element = type_.element_type
    if not _is_stored(element, is_tosa=is_tosa):
        return f"elements of type {element} have no place in memory here; there are {ELEMENTS}"
    # Empty dimensions count as 1, as they do in the strides of the other dimensions.
    elements = math.prod(max(size, 1) for size in type_.shape if size != _DYNAMIC)
    if elements >= _MAX_ELEMENTS:
        return f"{type_} has {elements:,} elements; an int32_t index reaches {_MAX_ELEMENTS - 1:,}"
    return None


def _is_stored(element: ir.Type, *, is_tosa: bool) -> bool:
    if isinstance(element, ir.IntegerType):
        return element.width in _WIDTHS and (element.is_signless or is_tosa)
    return isinstance(element, ir.F32Type | ir.F64Type)


def _takes_signs(op: ir.OpView) -> bool:
    return isinstance(op, func.FuncOp | func.CallOp) or op.operation.name.startswith("tosa.")


def _types_of(op: ir.OpView) -> Iterator[ir.Type]:
    if isinstance(op, func.FuncOp):
        yield from (*op.type.inputs, *op.type.results)
    if isinstance(op, memref.GlobalOp):
        yield op.type_.value
    if isinstance(op, tosa.VariableOp):
        shape = [_DYNAMIC if size < 0 else size for size in op.var_shape]
        yield ir.RankedTensorType.get(shape, op.type_.value)
    yield from (result.type for result in op.results)
    for block in inner_blocks(op):
        yield from (argument.type for argument in block.arguments)
