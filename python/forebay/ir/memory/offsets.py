"""The known values of a memref's offset that depends on loops."""

from __future__ import annotations

import math

from mlir import ir
from mlir.dialects import memref

from forebay.ir.memory.linear import Linear, linear_of_value
from forebay.ir.nested import defining_op
from forebay.ir.views.layouts import DYNAMIC_OFFSET, offset_of


def offset_multiple(value: ir.Value) -> int:
    """Return a number of which the offset of a memref in its buffer, in elements, is a multiple.

    It is 0 for an offset of 0, and 1 if nothing is known.
    """
    offset = offset_of(ir.MemRefType(value.type))
    if offset is not None:
        return offset
    op = defining_op(value)
    match op:
        case memref.SubViewOp():
            return math.gcd(offset_multiple(op.source), _multiple_of_part(op))
        case memref.CollapseShapeOp() | memref.ExpandShapeOp():
            return offset_multiple(op.src)
        case memref.CastOp():
            return offset_multiple(op.source)
        case _:
            return 1


def _multiple_of_part(op: memref.SubViewOp) -> int:
    """Return a number of which the offset of a part in its source is a multiple."""
    strides, _ = ir.MemRefType(op.source.type).get_strides_and_offset()
    dynamic = iter(op.offsets)
    found = 0
    for offset, stride in zip(op.static_offsets, strides, strict=True):
        form = linear_of_value(next(dynamic)) if offset == DYNAMIC_OFFSET else Linear({}, offset)
        divisor = math.gcd(form.constant, *form.terms.values())
        found = math.gcd(found, divisor if stride == DYNAMIC_OFFSET else divisor * stride)
    return found
