"""The layout of a memref's elements in its buffer."""

from __future__ import annotations

from mlir import ir

DYNAMIC = ir.ShapedType.get_dynamic_size()
DYNAMIC_OFFSET = ir.ShapedType.get_dynamic_stride_or_offset()


def is_contiguous(type_: ir.MemRefType) -> bool:
    """Return whether the elements are in row-major order without gaps, from any offset."""
    expected = 1
    strides, _ = type_.get_strides_and_offset()
    for size, stride in zip(reversed(type_.shape), reversed(strides), strict=True):
        if size == DYNAMIC or (size != 1 and stride != expected):
            return False
        expected *= size
    return True


def has_static_layout(type_: ir.MemRefType) -> bool:
    """Return whether shape, strides and offset are known."""
    strides, offset = type_.get_strides_and_offset()
    return DYNAMIC not in type_.shape and DYNAMIC_OFFSET not in (*strides, offset)


def offset_of(type_: ir.MemRefType) -> int | None:
    """Return the offset of the first element in the buffer, in elements; None if it is dynamic."""
    _, offset = type_.get_strides_and_offset()
    return None if offset == DYNAMIC_OFFSET else offset
