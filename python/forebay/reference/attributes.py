"""Read the arrays of constants from the attributes that hold their elements."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir

from forebay.reference.errors import UnsupportedError
from forebay.reference.types import Array, dtype_of, shape_of


def elements_of(attribute: ir.Attribute, type_: ir.Type, op: Any) -> Array:
    """Return the elements of a constant of the given type.

    Raises `UnsupportedError` when the elements are in a resource or cannot be read.
    """
    if isinstance(attribute, ir.IntegerAttr | ir.FloatAttr | ir.BoolAttr):
        return np.array(attribute.value).astype(dtype_of(type_, op))
    if isinstance(attribute, ir.DenseElementsAttr):
        if attribute.is_splat and dtype_of(type_, op) == np.bool_:
            return _splat(attribute, type_, op)  # the bindings read beyond its one byte
        try:
            return np.array(attribute).astype(dtype_of(type_, op), copy=False)
        except (TypeError, ValueError):  # the bindings reject elements of unusual widths
            if attribute.is_splat:
                return _splat(attribute, type_, op)
    if isinstance(attribute, ir.DenseResourceElementsAttr):
        raise UnsupportedError(op, "has its elements in a resource")
    raise UnsupportedError(op, f"has elements of type {type_}, which cannot be read")


def _splat(attribute: ir.DenseElementsAttr, type_: ir.Type, op: Any) -> Array:
    """Return an array of one value, for element widths that the bindings cannot convert."""
    value: Any = attribute.get_splat_value()
    return np.full(shape_of(type_), value.value, dtype_of(type_, op))
