"""Pooling: the largest element, or the mean, of each window."""

from __future__ import annotations

from typing import Any, ClassVar

from forebay.computations.computation import Computation, ComputedOperator
from forebay.computations.condition import Condition
from forebay.computations.requantised import (
    HIGH,
    LOW,
    ONE_IMAGE,
    Scalar,
    activation,
    conditions_on_types,
    window_scalars,
)
from forebay.computations.windows import COLUMNS, ROWS, window_inside
from forebay.ir.fused import AveragePool, MaxPool, shape_of
from forebay.tracing.control import LocalVariable, loop
from forebay.tracing.functions import clip, maximum, select
from forebay.tracing.integers import Int8, Int32
from forebay.tracing.pointers import TypedPointer


def int8_max_pool(
    x: TypedPointer[Int8],
    y: TypedPointer[Int8],
    *,
    height: Scalar,
    width: Scalar,
    y_height: Scalar,
    y_width: Scalar,
    channels: Scalar,
    kernel_height: Scalar,
    kernel_width: Scalar,
    stride_y: Scalar = 1,
    stride_x: Scalar = 1,
    top: Scalar = 0,
    left: Scalar = 0,
    low: Scalar = LOW,
    high: Scalar = HIGH,
) -> None:
    """Compute the largest element of each window of `x[height][width][channels]`.

    The result is `y[y_height][y_width][channels]`; padding does not count.
    """
    image, result = x.shaped(height, width, channels), y.shaped(y_height, y_width, channels)
    for row in loop(y_height):
        first_row = row * stride_y - top
        rows = window_inside(first_row, height, kernel_height, 1)
        for column in loop(y_width):
            first_column = column * stride_x - left
            columns = window_inside(first_column, width, kernel_width, 1)
            for channel in loop(channels):
                most = LocalVariable(LOW)
                for ky in loop(*rows):
                    for kx in loop(*columns):
                        value = image[first_row + ky, first_column + kx, channel]
                        most.value = maximum(most.value, value.extend(Int32))
                result[row, column, channel] = clip(most.value, low, high).truncate(Int8)


def int8_average_pool(
    x: TypedPointer[Int8],
    y: TypedPointer[Int8],
    *,
    height: Scalar,
    width: Scalar,
    y_height: Scalar,
    y_width: Scalar,
    channels: Scalar,
    kernel_height: Scalar,
    kernel_width: Scalar,
    stride_y: Scalar = 1,
    stride_x: Scalar = 1,
    top: Scalar = 0,
    left: Scalar = 0,
    low: Scalar = LOW,
    high: Scalar = HIGH,
) -> None:
    """Compute the mean of each window of `x[height][width][channels]`.

    The result is `y[y_height][y_width][channels]`; halves are rounded away from zero as in TFLite,
    and padding does not count.
    """
    image, result = x.shaped(height, width, channels), y.shaped(y_height, y_width, channels)
    for row in loop(y_height):
        first_row = row * stride_y - top
        rows = window_inside(first_row, height, kernel_height, 1)
        for column in loop(y_width):
            first_column = column * stride_x - left
            columns = window_inside(first_column, width, kernel_width, 1)
            for channel in loop(channels):
                total, count = LocalVariable(0), LocalVariable(0)
                for ky in loop(*rows):
                    for kx in loop(*columns):
                        value = image[first_row + ky, first_column + kx, channel]
                        total.value += value.extend(Int32)
                        count.value += 1
                mean = _rounded(total.value, count.value)
                result[row, column, channel] = clip(mean, low, high).truncate(Int8)


def _rounded(total: Int32, count: Int32) -> Int32:
    """Return the quotient with halves away from zero."""
    magnitude = (maximum(total, -total) + (count >> 1)) // count
    return select(total < 0, -magnitude, magnitude)


class Int8MaxPool(Computation):
    """`int8_max_pool` of one image."""

    title: ClassVar[str] = "max pool"
    parallel: ClassVar = ("y_height", "y_width", "channels")
    reduction: ClassVar = ("kernel_height", "kernel_width")
    axes: ClassVar = {
        "x": ("height", "width", "channels"),
        "y": ("y_height", "y_width", "channels"),
    }
    sliding: ClassVar = {"height": ROWS, "width": COLUMNS}
    of: ClassVar = (MaxPool,)
    conditions: ClassVar[tuple[Condition, ...]] = (
        *conditions_on_types("source"),
        ONE_IMAGE,
        ("no requantisation", lambda view: view.epilogue.rescale is None),
    )
    reference: ClassVar = staticmethod(int8_max_pool)

    def operator(self, view: Any) -> ComputedOperator:
        """Return the pool."""
        scalars = {**window_scalars(view), "channels": shape_of(view.source)[3]}
        return ComputedOperator({"x": view.source}, {**scalars, **activation(view.epilogue)})


class Int8AveragePool(Int8MaxPool):
    """`int8_average_pool` of one image, on the stored values."""

    title: ClassVar[str] = "average pool"
    of: ClassVar = (AveragePool,)
    conditions: ClassVar[tuple[Condition, ...]] = (
        *Int8MaxPool.conditions,
        (
            "input and output of one zero point",
            lambda view: view.source_zero_point == view.output_zero_point == 0,
        ),
    )
    reference: ClassVar = staticmethod(int8_average_pool)
