"""Convolutions with TFLite's requantisation, a factor per output channel."""

from __future__ import annotations

from forebay.tracing.control import LocalVariable, loop
from forebay.tracing.functions import maximum, minimum
from forebay.tracing.integers import Int8, Int32
from forebay.tracing.pointers import TypedPointer
from forebay.tracing.requantise import requantise

_Scalar = Int32 | int


def int8_convolution(
    x: TypedPointer[Int8],
    weights: TypedPointer[Int8],
    bias: TypedPointer[Int32],
    y: TypedPointer[Int8],
    *,
    multipliers: TypedPointer[Int32],
    shifts: TypedPointer[Int32],
    height: _Scalar,
    width: _Scalar,
    depth: _Scalar,
    y_height: _Scalar,
    y_width: _Scalar,
    y_depth: _Scalar,
    kernel_height: _Scalar,
    kernel_width: _Scalar,
    stride_y: _Scalar,
    stride_x: _Scalar,
    top: _Scalar,
    left: _Scalar,
    x_zero_point: _Scalar,
    y_zero_point: _Scalar,
    low: _Scalar,
    high: _Scalar,
) -> None:
    """Convolve one image `x[height][width][depth]` into `y[y_height][y_width][y_depth]`.

    The weights are `[y_depth][kernel_height][kernel_width][depth]`. `top` and `left` count the rows
    and columns of padding, whose elements are the zero point.
    """
    image, result = x.shaped(height, width, depth), y.shaped(y_height, y_width, y_depth)
    kernel = weights.shaped(y_depth, kernel_height, kernel_width, depth)
    for row in loop(y_height):
        first_row = row * stride_y - top
        for column in loop(y_width):
            first_column = column * stride_x - left
            for channel in loop(y_depth):
                total = LocalVariable(bias[channel])
                # The part of the window that is inside of the image; the rest adds 0.
                for ky in loop(maximum(-first_row, 0), minimum(height - first_row, kernel_height)):
                    for kx in loop(
                        maximum(-first_column, 0), minimum(width - first_column, kernel_width)
                    ):
                        for k in loop(depth):
                            value = image[first_row + ky, first_column + kx, k].extend(Int32)
                            weight = kernel[channel, ky, kx, k].extend(Int32)
                            total.value += (value - x_zero_point) * weight
                scaled = requantise(
                    total.value,
                    multipliers[channel],
                    shifts[channel],
                    zero_point=y_zero_point,
                    low=low,
                    high=high,
                )
                result[row, column, channel] = scaled.truncate(Int8)
