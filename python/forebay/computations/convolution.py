"""Convolutions with TFLite's requantisation."""

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
from forebay.ir.fused import Convolution, Depthwise, shape_of
from forebay.tracing.control import LocalVariable, loop
from forebay.tracing.integers import Int8, Int32
from forebay.tracing.pointers import TypedPointer


def int8_convolution(
    x: TypedPointer[Int8] | None = None,
    weights: TypedPointer[Int8] | None = None,
    bias: TypedPointer[Int32] | None = None,
    y: TypedPointer[Int8] | None = None,
    *,
    sums: TypedPointer[Int32] | None = None,
    multipliers: TypedPointer[Int32] | None = None,
    shifts: TypedPointer[Int32] | None = None,
    height: Scalar = 1,
    width: Scalar = 1,
    depth: Scalar = 1,
    y_height: Scalar,
    y_width: Scalar,
    y_depth: Scalar,
    kernel_height: Scalar = 1,
    kernel_width: Scalar = 1,
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
    """Convolve one image `x[height][width][depth]` into `y[y_height][y_width][y_depth]`.

    The weights are `[y_depth][kernel_height][kernel_width][depth]`. `top` and `left` count the rows
    and columns of padding, whose elements are the zero point. There is one factor for all channels
    or, with `multipliers` and `shifts`, one for each. Without `bias`, the sums of a part of the
    reduction before are continued; without `y`, they are kept in `sums`, of the shape of `y`.
    Without `x` and `weights`, nothing is added to the sums.
    """
    shape = (y_height, y_width, y_depth)
    for row in loop(y_height):
        first_row = row * stride_y - top
        rows = window_inside(first_row, height, kernel_height, dilation_y)
        for column in loop(y_width):
            first_column = column * stride_x - left
            columns = window_inside(first_column, width, kernel_width, dilation_x)
            for channel in loop(y_depth):
                total = LocalVariable(0)
                if bias is not None:
                    total = LocalVariable(bias[channel])
                elif sums is not None:
                    total = LocalVariable(sums.shaped(*shape)[row, column, channel])
                if x is not None and weights is not None:
                    image = x.shaped(height, width, depth)
                    kernel = weights.shaped(y_depth, kernel_height, kernel_width, depth)
                    for ky in loop(*rows):
                        for kx in loop(*columns):
                            for k in loop(depth):
                                at = first_row + ky * dilation_y, first_column + kx * dilation_x
                                value = image[(*at, k)].extend(Int32)
                                weight = kernel[channel, ky, kx, k].extend(Int32)
                                total.value += (value - x_zero_point) * weight
                if y is not None:
                    limits = (y_zero_point, low, high)
                    y.shaped(*shape)[row, column, channel] = finished(
                        total.value, channel, (multipliers, shifts), (multiplier, shift), limits
                    )
                elif sums is not None:
                    sums.shaped(*shape)[row, column, channel] = total.value


class Int8Convolution(Computation):
    """`int8_convolution` of one image."""

    title: ClassVar[str] = "convolution"
    parallel: ClassVar = ("y_height", "y_width", "y_depth")
    reduction: ClassVar = ("kernel_height", "kernel_width", "depth")
    axes: ClassVar = {
        "x": ("height", "width", "depth"),
        "weights": ("y_depth", "kernel_height", "kernel_width", "depth"),
        "bias": ("y_depth",),
        "y": ("y_height", "y_width", "y_depth"),
        "sums": ("y_height", "y_width", "y_depth"),
        "multipliers": ("y_depth",),
        "shifts": ("y_depth",),
    }
    sliding: ClassVar = {"height": ROWS, "width": COLUMNS}
    sums: ClassVar = "sums"
    tables: ClassVar = TABLES
    fills: ClassVar = {"shifts": 31}
    of: ClassVar = (Convolution, Depthwise)
    conditions: ClassVar[tuple[Condition, ...]] = (
        (
            "weights for all input channels",
            lambda view: isinstance(view, Convolution) or shape_of(view.source)[3] == 1,
        ),
        *WEIGHTED,
        ONE_IMAGE,
    )
    reference: ClassVar = staticmethod(int8_convolution)

    def operator(self, view: Convolution | Depthwise) -> ComputedOperator:
        """Return the layer; a depthwise one of a single channel is a convolution, too."""
        weights = constant(view.weights)
        if isinstance(view, Depthwise):
            weights = weights.transpose(3, 0, 1, 2)
        channels, *_, depth = weights.shape
        return ComputedOperator(
            {
                "x": view.source,
                "weights": weights,
                "bias": for_each_channel(constant(view.bias), channels),
                **factor_tables(view.epilogue, channels),
            },
            {
                **window_scalars(view),
                **{"depth": depth, "y_depth": channels},
                "x_zero_point": view.source_zero_point,
                **result_scalars(view.epilogue),
            },
        )
