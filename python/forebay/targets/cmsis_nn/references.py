"""The computations of the library's functions, with its offsets, shifts and layouts."""

from __future__ import annotations

from forebay.api.target import (
    Int8,
    Int32,
    LocalVariable,
    TypedPointer,
    ceil_div,
    int8_average_pool,
    int8_max_pool,
    loop,
    maximum,
    minimum,
    requantise,
)
from forebay.targets.cmsis_nn.sizes import (
    Extension,
    SizeValue,
    average_pool_bytes,
    convolution_bytes,
    depthwise_bytes,
)

TFLITE_LEFT_SHIFT = 20
"""The bits that an addition adds to both sides before it scales them."""


def reference_convolution(
    x: TypedPointer[Int8],
    weights: TypedPointer[Int8],
    bias: TypedPointer[Int32],
    y: TypedPointer[Int8],
    *,
    multipliers: TypedPointer[Int32],
    shifts: TypedPointer[Int32],
    context: TypedPointer[Int8] | None = None,
    extension: Extension,
    height: SizeValue,
    width: SizeValue,
    depth: SizeValue,
    y_height: SizeValue,
    y_width: SizeValue,
    y_depth: SizeValue,
    kernel_height: SizeValue,
    kernel_width: SizeValue,
    stride_y: SizeValue,
    stride_x: SizeValue,
    dilation_y: SizeValue,
    dilation_x: SizeValue,
    top: SizeValue,
    left: SizeValue,
    input_offset: SizeValue,
    output_offset: SizeValue,
    low: SizeValue,
    high: SizeValue,
) -> None:
    """Convolve `x[height][width][depth]` by `weights[y_depth][kernel_height][kernel_width][depth]`.

    Padding is the zero point, so its sum with `input_offset` is 0.
    """
    image = x.shaped(height, width, depth)
    kernel = weights.shaped(y_depth, kernel_height, kernel_width, depth)
    for row in loop(y_height):
        first_row = row * stride_y - top
        rows = _inside(first_row, height, kernel_height, dilation_y)
        for column in loop(y_width):
            first_column = column * stride_x - left
            columns = _inside(first_column, width, kernel_width, dilation_x)
            for channel in loop(y_depth):
                total = LocalVariable(bias[channel])
                for ky in loop(*rows):
                    for kx in loop(*columns):
                        for k in loop(depth):
                            at = first_row + ky * dilation_y, first_column + kx * dilation_x, k
                            value = image[at].extend(Int32) + input_offset
                            total.value += value * kernel[channel, ky, kx, k].extend(Int32)
                y.shaped(y_height, y_width, y_depth)[row, column, channel] = requantise(
                    total.value,
                    multipliers[channel],
                    31 - shifts[channel],
                    zero_point=output_offset,
                    low=low,
                    high=high,
                ).truncate(Int8)
    if context is not None:
        needed = convolution_bytes(
            extension,
            height=height,
            width=width,
            depth=depth,
            y_width=y_width,
            kernel_height=kernel_height,
            kernel_width=kernel_width,
            stride_y=stride_y,
            stride_x=stride_x,
            dilation_y=dilation_y,
            dilation_x=dilation_x,
            top=top,
            left=left,
        )
        _overwrite(context, needed)


def reference_depthwise(
    x: TypedPointer[Int8],
    weights: TypedPointer[Int8],
    bias: TypedPointer[Int32],
    y: TypedPointer[Int8],
    *,
    multipliers: TypedPointer[Int32],
    shifts: TypedPointer[Int32],
    context: TypedPointer[Int8] | None = None,
    extension: Extension,
    height: SizeValue,
    width: SizeValue,
    depth: SizeValue,
    y_height: SizeValue,
    y_width: SizeValue,
    y_depth: SizeValue,
    channel_multiplier: SizeValue,
    kernel_height: SizeValue,
    kernel_width: SizeValue,
    stride_y: SizeValue,
    stride_x: SizeValue,
    top: SizeValue,
    left: SizeValue,
    input_offset: SizeValue,
    output_offset: SizeValue,
    low: SizeValue,
    high: SizeValue,
) -> None:
    """Convolve each channel with its own `weights[kernel_height][kernel_width][y_depth]`."""
    image = x.shaped(height, width, depth)
    kernel = weights.shaped(kernel_height, kernel_width, y_depth)
    for row in loop(y_height):
        first_row = row * stride_y - top
        rows = _inside(first_row, height, kernel_height, 1)
        for column in loop(y_width):
            first_column = column * stride_x - left
            columns = _inside(first_column, width, kernel_width, 1)
            for channel in loop(y_depth):
                total = LocalVariable(bias[channel])
                for ky in loop(*rows):
                    for kx in loop(*columns):
                        at = first_row + ky, first_column + kx, channel // channel_multiplier
                        value = image[at].extend(Int32) + input_offset
                        total.value += value * kernel[ky, kx, channel].extend(Int32)
                y.shaped(y_height, y_width, y_depth)[row, column, channel] = requantise(
                    total.value,
                    multipliers[channel],
                    31 - shifts[channel],
                    zero_point=output_offset,
                    low=low,
                    high=high,
                ).truncate(Int8)
    if context is not None:
        needed = depthwise_bytes(
            extension,
            height=height,
            width=width,
            depth=depth,
            y_depth=y_depth,
            y_width=y_width,
            kernel_height=kernel_height,
            kernel_width=kernel_width,
            stride_y=stride_y,
            stride_x=stride_x,
            top=top,
            left=left,
        )
        _overwrite(context, needed)


def reference_fully_connected(
    x: TypedPointer[Int8],
    weights: TypedPointer[Int8],
    bias: TypedPointer[Int32],
    y: TypedPointer[Int8],
    *,
    multipliers: TypedPointer[Int32] | None = None,
    shifts: TypedPointer[Int32] | None = None,
    sums: TypedPointer[Int32] | None = None,
    rows: SizeValue,
    depth: SizeValue,
    columns: SizeValue,
    multiplier: SizeValue = 0,
    shift: SizeValue = 0,
    input_offset: SizeValue,
    output_offset: SizeValue,
    low: SizeValue,
    high: SizeValue,
) -> None:
    """Multiply `x[rows][depth]` by `weights[columns][depth]`.

    With the kernel sums, the library takes the bias and the input's offset from them.
    """
    for row in loop(rows):
        for column in loop(columns):
            total = LocalVariable((bias if sums is None else sums)[column])
            for k in loop(depth):
                value = x.shaped(rows, depth)[row, k].extend(Int32)
                if sums is None:
                    value += input_offset
                total.value += value * weights.shaped(columns, depth)[column, k].extend(Int32)
            y.shaped(rows, columns)[row, column] = requantise(
                total.value,
                multiplier if multipliers is None else multipliers[column],
                31 - (shift if shifts is None else shifts[column]),
                zero_point=output_offset,
                low=low,
                high=high,
            ).truncate(Int8)


def reference_kernel_sums(
    weights: TypedPointer[Int8],
    bias: TypedPointer[Int32],
    sums: TypedPointer[Int32],
    *,
    depth: SizeValue,
    columns: SizeValue,
    input_offset: SizeValue,
) -> None:
    """Add up each row of weights, times the input's offset, and its bias."""
    for column in loop(columns):
        total = LocalVariable(0)
        for k in loop(depth):
            total.value += weights.shaped(columns, depth)[column, k].extend(Int32)
        sums[column] = total.value * input_offset + bias[column]


def reference_max_pool(
    x: TypedPointer[Int8],
    y: TypedPointer[Int8],
    *,
    height: SizeValue,
    width: SizeValue,
    depth: SizeValue,
    y_height: SizeValue,
    y_width: SizeValue,
    kernel_height: SizeValue,
    kernel_width: SizeValue,
    stride_y: SizeValue,
    stride_x: SizeValue,
    top: SizeValue,
    left: SizeValue,
    low: SizeValue,
    high: SizeValue,
) -> None:
    """Compute the largest element of each window."""
    int8_max_pool(
        x,
        y,
        height=height,
        width=width,
        y_height=y_height,
        y_width=y_width,
        channels=depth,
        kernel_height=kernel_height,
        kernel_width=kernel_width,
        stride_y=stride_y,
        stride_x=stride_x,
        top=top,
        left=left,
        low=low,
        high=high,
    )


def reference_average_pool(
    x: TypedPointer[Int8],
    y: TypedPointer[Int8],
    *,
    context: TypedPointer[Int8] | None = None,
    extension: Extension,
    height: SizeValue,
    width: SizeValue,
    depth: SizeValue,
    y_height: SizeValue,
    y_width: SizeValue,
    kernel_height: SizeValue,
    kernel_width: SizeValue,
    stride_y: SizeValue,
    stride_x: SizeValue,
    top: SizeValue,
    left: SizeValue,
    low: SizeValue,
    high: SizeValue,
) -> None:
    """Compute the mean of each window, halves away from zero."""
    int8_average_pool(
        x,
        y,
        height=height,
        width=width,
        y_height=y_height,
        y_width=y_width,
        channels=depth,
        kernel_height=kernel_height,
        kernel_width=kernel_width,
        stride_y=stride_y,
        stride_x=stride_x,
        top=top,
        left=left,
        low=low,
        high=high,
    )
    if context is not None:
        _overwrite(context, average_pool_bytes(extension, depth=depth))


def reference_add(
    x: TypedPointer[Int8],
    other: TypedPointer[Int8],
    y: TypedPointer[Int8],
    *,
    x_offset: SizeValue,
    x_multiplier: SizeValue,
    x_shift: SizeValue,
    other_offset: SizeValue,
    other_multiplier: SizeValue,
    other_shift: SizeValue,
    left_shift: SizeValue,
    output_offset: SizeValue,
    multiplier: SizeValue,
    shift: SizeValue,
    low: SizeValue,
    high: SizeValue,
    count: SizeValue,
) -> None:
    """Add `count` elements, each after its own factor."""
    for i in loop(count):
        left = (x[i].extend(Int32) + x_offset) << left_shift
        right = (other[i].extend(Int32) + other_offset) << left_shift
        total = requantise(left, x_multiplier, 31 - x_shift) + requantise(
            right, other_multiplier, 31 - other_shift
        )
        y[i] = requantise(
            total, multiplier, 31 - shift, zero_point=output_offset, low=low, high=high
        ).truncate(Int8)


def _inside(
    first: Int32, size: SizeValue, kernel: SizeValue, dilation: SizeValue
) -> tuple[SizeValue, SizeValue]:
    """Return the taps of a window from `first` that are inside of the image."""
    start = ceil_div(maximum(-first, 0), dilation)
    return start, minimum(ceil_div(maximum(size - first, 0), dilation), kernel)


def _overwrite(context: TypedPointer[Int8], count: SizeValue) -> None:
    """Overwrite the bytes that the library may use."""
    for i in loop(count):
        context[i] = 0
