"""Constant operands of TOSA ops as plain values."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import arith, tosa
from numpy.typing import NDArray

from forebay.errors import Error
from forebay.ir.attributes import integers_of


class UnsupportedFormError(Error):
    """An op of a supported kind in an unsupported form; the message says the way out."""

    def __init__(self, op: ir.OpView, message: str) -> None:
        super().__init__(f"{op.operation.name} {message}")
        self.location = op.operation.location


def elements_of(value: ir.Value) -> NDArray[Any] | None:
    """Return the elements of a constant tensor, or None for a value that is not constant."""
    owner = value.owner
    if isinstance(owner, tosa.ConstOp):
        attribute = owner.operation.attributes["values"]
    elif isinstance(owner, arith.ConstantOp):
        attribute = owner.operation.attributes["value"]
    else:
        return None
    if not isinstance(attribute, ir.DenseElementsAttr):
        return None
    if attribute.is_splat and ir.ShapedType(
        attribute.type
    ).element_type == ir.IntegerType.get_signless(1):
        truth: Any = attribute.get_splat_value()  # the bindings read beyond its one byte
        return np.full(ir.RankedTensorType(attribute.type).shape, truth.value)
    return np.array(attribute)


def required_elements(op: ir.OpView, value: ir.Value, name: str) -> NDArray[Any]:
    """Return the elements of a constant operand.

    Raises `UnsupportedFormError` when the operand is not constant.
    """
    elements = elements_of(value)
    if elements is None:
        raise UnsupportedFormError(op, f"needs a constant {name}; make it a tosa.const")
    return elements


def zero_point(op: ir.OpView, value: ir.Value, name: str, *, unsigned: bool = False) -> int:
    """Return a zero point, which is a constant tensor of one element in TOSA."""
    elements = required_elements(op, value, name)
    if unsigned:
        elements = elements.view(f"u{elements.dtype.itemsize}")
    return int(elements.flat[0])


def is_zero(value: ir.Value) -> bool:
    """Return whether the value is a constant of zeros only."""
    elements = elements_of(value)
    return elements is not None and not elements.any()


def shape_operand(value: ir.Value) -> tuple[int, ...] | None:
    """Return the sizes in an operand of type `!tosa.shape`, or None where they are not constant."""
    owner = value.owner
    if not isinstance(owner, tosa.ConstShapeOp):
        return None
    values = np.array(ir.DenseElementsAttr(owner.operation.attributes["values"]))
    return tuple(int(x) for x in values.reshape(-1))


def i64_array(attribute: ir.Attribute) -> tuple[int, ...]:
    """Return the integers of an `array<i64: ...>` of an attribute of any type."""
    return integers_of(ir.DenseI64ArrayAttr(attribute))


def boolean(attribute: ir.Attribute) -> bool:
    """Return the value of a boolean attribute."""
    return bool(ir.BoolAttr(attribute).value)


def matches(attribute: ir.Attribute, spelling: str) -> bool:
    """Return whether an enumeration attribute equals the attribute of that spelling."""
    return attribute == ir.Attribute.parse(spelling, attribute.context)
