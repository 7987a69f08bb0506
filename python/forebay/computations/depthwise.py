"""Depthwise convolutions with TFLite's requantisation."""

from __future__ import annotations

from typing import ClassVar

from forebay.computations.computation import Computation, ComputedOperator
from forebay.computations.condition import Condition
from forebay.computations.requantised import (
    HIGH,
    LOW,
    ONE_IMAGE,
    TABLES,
    WEIGHTED,
    Scalar,
    constant,
    factor_tables,
    finished,
    for_each_channel,
    result_scalars,
    window_scalars,
)
from forebay.computations.windows import COLUMNS, ROWS, window_inside
from forebay.ir.fused import Depthwise, shape_of
from forebay.tracing.control import LocalVariable, loop
from forebay.tracing.integers import Int8, Int32
from forebay.tracing.pointers import TypedPointer


def int8_depthwise(
    x: TypedPointer[Int8],
    weights: TypedPointer[Int8],
    bias: TypedPointer[Int32],
    y: TypedPointer[Int8],
    *,
    multipliers: TypedPointer[Int32] | None = None,
    shifts: TypedPointer[Int32] | None = None,
    height: Scalar,
    width: Scalar,
    y_height: Scalar,
    y_width: Scalar,
    channels: Scalar,
    kernel_height: Scalar,
    kernel_width: Scalar,
    stride_y: Scalar = 1,
    stride_x: Scalar = 1,
    dilation_y: Scalar = 1,
    dilation_x: Scalar = 1,
    top: Scalar = 0,
    left: Scalar = 0,
    x_zero_point: Scalar = 0,
    multiplier: Scalar = 1 << 30,
    shift: Scalar = 30,
    y_zero_point: Scalar = 0,
    low: Scalar = LOW,
    high: Scalar = HIGH,
) -> None:
    """Convolve each channel of `x[height][width][channels]` with a kernel of its own.

    The weights are `[kernel_height][kernel_width][channels]`. Padding and factors are those of
    `int8_convolution`.
    """
    image = x.shaped(height, width, channels)
    kernel = weights.shaped(kernel_height, kernel_width, channels)
    result = y.shaped(y_height, y_width, channels)
    for row in loop(y_height):
        first_row = row * stride_y - top
        rows = window_inside(first_row, height, kernel_height, dilation_y)
        for column in loop(y_width):
            first_column = column * stride_x - left
            columns = window_inside(first_column, width, kernel_width, dilation_x)
            for channel in loop(channels):
                total = LocalVariable(bias[channel])
                for ky in loop(*rows):
                    for kx in loop(*columns):
                        at = first_row + ky * dilation_y, first_column + kx * dilation_x
                        value = image[(*at, channel)].extend(Int32)
                        weight = kernel[ky, kx, channel].extend(Int32)
                        total.value += (value - x_zero_point) * weight
                limits = (y_zero_point, low, high)
                result[row, column, channel] = finished(
                    total.value, channel, (multipliers, shifts), (multiplier, shift), limits
                )


class Int8Depthwise(Computation):
    """`int8_depthwise` of one image, with as many output as input channels."""

    title: ClassVar[str] = "depthwise convolution"
    parallel: ClassVar = ("y_height", "y_width", "channels")
    reduction: ClassVar = ("kernel_height", "kernel_width")
    axes: ClassVar = {
        "x": ("height", "width", "channels"),
        "weights": ("kernel_height", "kernel_width", "channels"),
        "bias": ("channels",),
        "y": ("y_height", "y_width", "channels"),
        "multipliers": ("channels",),
        "shifts": ("channels",),
    }
    sliding: ClassVar = {"height": ROWS, "width": COLUMNS}
    tables: ClassVar = TABLES
    fills: ClassVar = {"shifts": 31}
    of: ClassVar = (Depthwise,)
    conditions: ClassVar[tuple[Condition, ...]] = (
        ("a depth multiplier of 1", lambda view: shape_of(view.weights)[3] == 1),
        *WEIGHTED,
        ONE_IMAGE,
    )
    reference: ClassVar = staticmethod(int8_depthwise)

    def operator(self, view: Depthwise) -> ComputedOperator:
        """Return the layer."""
        weights = constant(view.weights)[:, :, :, 0]
        channels = weights.shape[2]
        return ComputedOperator(
            {
                "x": view.source,
                "weights": weights,
                "bias": for_each_channel(constant(view.bias), channels),
                **factor_tables(view.epilogue, channels),
            },
            {
                **window_scalars(view),
                **{"channels": channels, "x_zero_point": view.source_zero_point},
                **result_scalars(view.epilogue),
            },
        )
