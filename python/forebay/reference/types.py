"""The representation of values: NumPy arrays of signed integers or floats.

Tensors, buffers and scalars are all arrays. An integer of a width that NumPy lacks has the next
wider type and is wrapped to its own width.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from forebay.reference.errors import UnsupportedError

Array = NDArray[Any]

_FLOATS: dict[int, type[Any]] = {16: np.float16, 32: np.float32, 64: np.float64}
_LARGEST = 64


def _element_type(type_: ir.Type) -> ir.Type:
    """Return the type of an element; for a scalar, its own type."""
    if isinstance(type_, ir.ShapedType):
        return type_.element_type
    return type_


def shape_of(type_: ir.Type) -> tuple[int, ...]:
    """Return the static shape of a tensor or buffer; for a scalar, `()`."""
    return tuple(type_.shape) if isinstance(type_, ir.ShapedType) else ()


def dtype_of(type_: ir.Type, op: Any) -> np.dtype[Any]:
    """Return the type that holds an element; raises `UnsupportedError` at `op` if there is none."""
    element = _element_type(type_)
    if isinstance(element, ir.IndexType):
        return np.dtype(np.int64)
    if isinstance(element, ir.IntegerType) and element.width <= _LARGEST:
        if element.width == 1:
            return np.dtype(np.bool_)
        held = next(bits for bits in (8, 16, 32, 64) if bits >= element.width)
        return np.dtype(f"int{held}")
    if isinstance(element, ir.F16Type | ir.F32Type | ir.F64Type):
        return np.dtype(_FLOATS[element.width])
    raise UnsupportedError(op, f"has elements of type {element}, which the interpreter does not")


def width_of(type_: ir.Type) -> int:
    """Return the number of bits of an element."""
    element = _element_type(type_)
    if isinstance(element, ir.IndexType):
        return 64
    if isinstance(element, ir.IntegerType | ir.FloatType):
        return element.width
    raise TypeError(f"{type_} has no width")


def is_float(type_: ir.Type) -> bool:
    """Return whether the elements are floats."""
    return isinstance(_element_type(type_), ir.FloatType)


def limits_of(type_: ir.Type, *, unsigned: bool = False) -> tuple[int, int]:
    """Return the lowest and the highest integer of the type."""
    bits = width_of(type_)
    return (0, (1 << bits) - 1) if unsigned else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)


def wrapped(values: Any, type_: ir.Type, op: Any) -> Array:
    """Return integers modulo two to the width of the type."""
    dtype, bits = dtype_of(type_, op), width_of(type_)
    if bits == 1:
        return np.not_equal(np.bitwise_and(values, 1), 0)
    held = np.asarray(values).astype(dtype)
    spare = dtype.itemsize * 8 - bits
    return held if spare == 0 else (held << spare) >> spare


def unsigned(values: Array) -> Array:
    """Return the same bits as unsigned integers."""
    values = np.asarray(values)
    return values if values.dtype.kind == "b" else values.view(f"u{values.dtype.itemsize}")


def zeros(type_: ir.Type, op: Any) -> Array:
    """Return a tensor or buffer of zeros, for contents that are unspecified."""
    return np.zeros(shape_of(type_), dtype_of(type_, op))
