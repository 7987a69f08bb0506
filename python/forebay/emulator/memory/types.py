"""Convert MLIR types to NumPy types and to plain memrefs."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir

from forebay.emulator.memory.faults import NotEmulatedError
from forebay.emulator.memory.view import Sizes, row_major
from forebay.ir.rows.layout import is_rows

_FLOATS: dict[type[ir.Type], str] = {
    ir.F16Type: "float16",
    ir.F32Type: "float32",
    ir.F64Type: "float64",
}


def dtype_of(element: ir.Type, op: ir.OpView) -> np.dtype[Any]:
    """Return the layout of an element in memory: integers are signed, booleans take a byte.

    Raises `NotEmulatedError` for other element types.
    """
    if isinstance(element, ir.IntegerType) and element.width in (1, 8, 16, 32, 64):
        return np.dtype(f"int{max(8, element.width)}")
    if isinstance(element, ir.IndexType):
        return np.dtype(np.int64)
    if type(element) in _FLOATS:
        return np.dtype(_FLOATS[type(element)])
    raise NotEmulatedError(op, f"has memory of {element}, which the emulator does not know")


def byte_strides(type_: ir.MemRefType, op: ir.OpView) -> Sizes:
    """Return the strides in bytes; raises `NotEmulatedError` if the type does not say them.

    Those of rows are the strides of the packed copy.
    """
    itemsize = dtype_of(type_.element_type, op).itemsize
    if not type_.has_static_shape:
        raise NotEmulatedError(op, f"has a memref of unknown shape, {type_}; plan it at a bound")
    if is_rows(type_) or type_.layout == ir.AffineMapAttr.get(
        ir.AffineMap.get_identity(type_.rank)
    ):
        return row_major(tuple(type_.shape), itemsize)
    strides, _ = type_.get_strides_and_offset()
    if any(ir.ShapedType.is_dynamic_size(stride) for stride in strides):
        raise NotEmulatedError(op, f"has a memref of unknown strides, {type_}")
    return tuple(stride * itemsize for stride in strides)


def plain(type_: ir.MemRefType, op: ir.OpView) -> ir.MemRefType:
    """Return the type that a kernel gets a pointer to: offset 0, no memory space."""
    element = type_.element_type
    itemsize = dtype_of(element, op).itemsize
    strides = byte_strides(type_, op)
    if strides == row_major(tuple(type_.shape), itemsize):
        return ir.MemRefType.get(type_.shape, element)
    layout = ir.StridedLayoutAttr.get(0, [stride // itemsize for stride in strides])
    return ir.MemRefType.get(type_.shape, element, layout)
