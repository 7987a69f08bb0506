"""Constants: arrays from the attributes that hold their elements."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir

from forebay.reference.errors import UnsupportedError
from forebay.reference.types import Array, dtype_of, shape_of


def elements_of(attribute: ir.Attribute, type_: ir.Type, op: Any) -> Array:
    """The elements of a constant of that type."""
    if isinstance(attribute, ir.IntegerAttr | ir.FloatAttr | ir.BoolAttr):
        return np.array(attribute.value).astype(dtype_of(type_, op))
    if isinstance(attribute, ir.DenseElementsAttr):
        try:
            return np.array(attribute).astype(dtype_of(type_, op), copy=False)
        except (TypeError, ValueError):  # as the bindings refuse elements of odd widths
            if attribute.is_splat:
                return _splat(attribute, type_, op)
    if isinstance(attribute, ir.DenseResourceElementsAttr):
        raise UnsupportedError(op, "has its elements in a resource")
    raise UnsupportedError(op, f"has elements of type {type_}, which cannot be read")


def _splat(attribute: ir.DenseElementsAttr, type_: ir.Type, op: Any) -> Array:
    """One value everywhere, of a width that the bindings make no array of."""
    value: Any = attribute.get_splat_value()
    return np.full(shape_of(type_), value.value, dtype_of(type_, op))
