"""The buffer behind a view, the part of it that the view shows, and its users."""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir
from mlir.dialects import memref
from msgspec import Struct

from forebay.dialects import accel, linalg, memref_pool
from forebay.ir.interfaces import slice_of
from forebay.ir.nested import defining_op, users_of

CopyOp = memref.CopyOp | memref_pool.CopyOp
COPY_OPS = (memref.CopyOp, memref_pool.CopyOp)

_KERNELS = (accel.ReduceOp, linalg.FillOp, linalg.GenericOp, memref.LoadOp, memref.StoreOp)
_RESHAPES = (memref.CollapseShapeOp, memref.ExpandShapeOp)
_VIEWS = (*_RESHAPES, memref.SubViewOp)


class RowRange(Struct, frozen=True):
    """The indices `[first, first + count)` along an axis of `of`, and all others of other axes."""

    of: ir.Value
    axis: int
    first: int
    count: int


def rows_shown_by(value: ir.Value) -> RowRange | None:
    """Return the rows of its source that a view shows along one axis; None for other values."""
    op = defining_op(value)
    part = None if not isinstance(op, memref.SubViewOp) else slice_of(op)
    if part is None or not isinstance(op, memref.SubViewOp):
        return None
    whole, sizes = list(ir.MemRefType(op.source.type).shape), list(part.sizes)
    cut = [axis for axis, size in enumerate(sizes) if size != whole[axis]]
    is_box = list(ir.MemRefType(value.type).shape) == sizes and set(part.strides) <= {1}
    if len(cut) != 1 or not is_box or any(o for n, o in enumerate(part.offsets) if n != cut[0]):
        return None
    first, count = part.offsets[cut[0]], sizes[cut[0]]
    if not (isinstance(first, int) and isinstance(count, int)):
        return None
    return RowRange(op.source, cut[0], first, count)


def buffer_behind(value: ir.Value) -> ir.Value:
    """Return the buffer that a memref is a view of, through views whose layout is in their type."""
    op = defining_op(value)
    return buffer_behind(op.operation.operands[0]) if isinstance(op, _VIEWS) else value


def whole_buffer_behind(value: ir.Value) -> ir.Value | None:
    """Return the buffer that a memref shows all of, in the same order."""
    op = defining_op(value)
    if isinstance(op, memref.SubViewOp):
        return None
    return whole_buffer_behind(op.operation.operands[0]) if isinstance(op, _RESHAPES) else value


def variable_behind(value: ir.Value) -> str | None:
    """Return the name of the global that a memref is a view of, or None for another buffer."""
    op = defining_op(buffer_behind(value))
    return op.name.value if isinstance(op, memref.GetGlobalOp) else None


def views_of(buffer: ir.Value) -> Iterator[ir.Value]:
    """Yield all views of a buffer, each before those of itself."""
    for user in users_of(buffer):
        if isinstance(user, _VIEWS):
            yield user.operation.results[0]
            yield from views_of(user.operation.results[0])


def users_behind(buffer: ir.Value) -> Iterator[ir.OpView]:
    """Yield the ops that use a buffer or a view of it and make no view themselves."""
    for value in (buffer, *views_of(buffer)):
        yield from (user for user in users_of(value) if not isinstance(user, _VIEWS))


def is_used_by_kernels(buffer: ir.Value) -> bool:
    """Return whether only copies and kernels of the host use a buffer, also through views."""
    return all(isinstance(user, (*COPY_OPS, *_KERNELS)) for user in users_behind(buffer))


def is_static(type_: ir.MemRefType) -> bool:
    """Return whether shape, strides and offset of a memref are constants."""
    strides, offset = type_.get_strides_and_offset()
    dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
    return type_.has_static_shape and dynamic not in (offset, *strides)


def has_identity_layout(type_: ir.MemRefType) -> bool:
    """Return whether a memref has all elements of its buffer in row-major order."""
    return type_.layout == ir.AffineMapAttr.get(ir.AffineMap.get_identity(type_.rank))
