"""Constants and shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir.dialects import tosa

from forebay.reference.attributes import elements_of
from forebay.reference.integers import divide_to_zero
from forebay.reference.registry import Compute, Function, function
from forebay.reference.types import Array


@function(tosa.ConstOp)
def constant(op: tosa.ConstOp) -> Function:
    """Return the elements of the attribute."""
    elements = elements_of(op.operation.attributes["values"], op.results[0].type, op)
    return lambda: elements


@function(tosa.ConstShapeOp)
def constant_shape(op: tosa.ConstShapeOp) -> Function:
    """Return a shape as an array of its sizes."""
    sizes = np.array(op.operation.attributes["values"], np.int64).reshape(-1)
    return lambda: sizes


def _ceil_divide(a: Array, b: Array) -> Array:
    return -np.floor_divide(-a, b)


def _joined(*shapes: Array) -> Array:
    return np.concatenate(shapes)


def _of_sizes(class_: type[Any], compute: Compute) -> None:
    @function(class_)
    def arithmetic(op: Any) -> Function:
        return compute


_of_sizes(tosa.AddShapeOp, np.add)
_of_sizes(tosa.SubShapeOp, np.subtract)
_of_sizes(tosa.MulShapeOp, np.multiply)
_of_sizes(tosa.MaxShapeOp, np.maximum)
_of_sizes(tosa.MinShapeOp, np.minimum)
_of_sizes(tosa.ModShapeOp, np.remainder)
_of_sizes(tosa.DivFloorShapeOp, divide_to_zero)
_of_sizes(tosa.DivCeilShapeOp, _ceil_divide)
_of_sizes(tosa.ConcatShapeOp, _joined)
