"""The computations of the machine's intrinsics.

    image    [rows][columns][blocks][16 channels]                                   int8
    weights  [output blocks][kernel rows][kernel columns][input blocks][16 outputs][16 inputs]
    sums     [rows][columns][blocks][16 channels]                                   int32

An element is 16 channels of an image or of sums, or 16 x 16 weights.
"""

from __future__ import annotations

from collections.abc import Callable

from forebay.api.target import (
    Int8,
    Int32,
    LocalVariable,
    TypedPointer,
    clip,
    loop,
    maximum,
    minimum,
    select,
)
from forebay.targets.int32_convolution.references import (
    LayerSizes,
    OutputLimits,
    WeightPoint,
    layer_sums,
    requantised_sum,
)

VECTOR = 16
SHIFT_RIGHT, ADD, AT_MOST, AT_LEAST = 3, 2, 0, 1
"""The operations of `vta_alu`, by the machine's own numbers."""


def load_bordered_image(
    x: TypedPointer[Int8],
    border: TypedPointer[Int8],
    y: TypedPointer[Int8],
    *,
    rows: Int32,
    columns: Int32,
    row_stride: Int32,
    pixel_stride: Int32,
    blocks: Int32,
    top: Int32,
    bottom: Int32,
    left: Int32,
    right: Int32,
) -> None:
    """Load `rows` x `columns` pixels from the start of x, with a border around them."""
    channels = blocks * VECTOR
    tile = y.shaped(top + rows + bottom, left + columns + right, channels)
    for row in loop(top + rows + bottom):
        for column in loop(left + columns + right):
            # Of an image without rows or columns, the address is that of its first element.
            source_row = clip(row - top, 0, maximum(rows - 1, 0))
            source_column = clip(column - left, 0, maximum(columns - 1, 0))
            inside = (row - top == source_row) & (column - left == source_column)
            inside = inside & (rows > 0) & (columns > 0)
            start = source_row * row_stride + source_column * pixel_stride
            for channel in loop(channels):
                value = select(
                    inside,
                    x[start * VECTOR + channel],
                    border[channel & (VECTOR - 1)],
                )
                tile[row, column, channel] = value


def repeat_bias(
    bias: TypedPointer[Int32], y: TypedPointer[Int32], pixels: Int32, blocks: Int32
) -> None:
    """Load `blocks` elements for every pixel."""
    sums = y.shaped(pixels, blocks * VECTOR)
    for pixel in loop(pixels):
        for channel in loop(blocks * VECTOR):
            sums[pixel, channel] = bias[channel]


def multiply_tile(
    x: TypedPointer[Int8],
    w: TypedPointer[Int8],
    sums: TypedPointer[Int32],
    *,
    rows: Int32,
    columns: Int32,
    out_blocks: Int32,
    in_blocks: Int32,
    kernel_rows: Int32,
    kernel_columns: Int32,
    stride_rows: Int32,
    stride_columns: Int32,
    image_columns: Int32,
    image_blocks: Int32,
    weight_blocks: Int32,
    dilation_rows: Int32,
    dilation_columns: Int32,
    depthwise: Int32,
    image_first: Int32,
    weights_first: Int32,
) -> None:
    """Add the products of an image and weights to sums, from these elements on."""
    totals = sums.shaped(rows, columns, out_blocks * VECTOR)
    for row in loop(rows):
        for column in loop(columns):
            for channel in loop(out_blocks * VECTOR):
                block, lane = channel // VECTOR, channel & (VECTOR - 1)
                total = LocalVariable(totals[row, column, channel])
                own = select(depthwise != 0, block, 0)
                for ky in loop(kernel_rows):
                    for kx in loop(kernel_columns):
                        y = row * stride_rows + ky * dilation_rows
                        x_ = column * stride_columns + kx * dilation_columns
                        pixel = image_first + (y * image_columns + x_) * image_blocks + own
                        tap = (block * kernel_rows + ky) * kernel_columns + kx
                        for k in loop(select(depthwise != 0, 1, in_blocks)):
                            weight = (weights_first + tap * weight_blocks + k) * VECTOR + lane
                            for i in loop(VECTOR):
                                value = x[(pixel + k) * VECTOR + i].extend(Int32)
                                total.value += value * w[weight * VECTOR + i].extend(Int32)
                totals[row, column, channel] = total.value


def combine(sums: TypedPointer[Int32], op: Int32, immediate: Int32, elements: Int32) -> None:
    """Combine all sums with a number; shifts are arithmetic."""
    for i in loop(elements * VECTOR):
        value = sums[i]
        added = value + immediate
        shifted = value >> (immediate & 31)
        limited = select(op == AT_MOST, minimum(value, immediate), maximum(value, immediate))
        sums[i] = select(op == SHIFT_RIGHT, shifted, select(op == ADD, added, limited))


def store_bytes(sums: TypedPointer[Int32], y: TypedPointer[Int8], elements: Int32) -> None:
    """Store the low byte of each sum."""
    for i in loop(elements * VECTOR):
        y[i] = sums[i].truncate(Int8)


def store_sums(
    sums: TypedPointer[Int32],
    y: TypedPointer[Int8],
    elements: Int32,
    bytes: Int32,
) -> None:
    """Store the low byte of each sum, shift, store the next one; the sums are shifted then."""
    parts = y.shaped(bytes, elements * VECTOR)
    for i in loop(elements * VECTOR):
        for number in loop(bytes):
            parts[number, i] = (sums[i] >> (number * 8)).truncate(Int8)
        sums[i] = sums[i] >> ((bytes - 1) * 8)


def requantised_layer(
    x: TypedPointer[Int8],
    w: TypedPointer[Int8],
    bias: TypedPointer[Int32],
    border: TypedPointer[Int8],
    multipliers: TypedPointer[Int32],
    *,
    shifts: TypedPointer[Int8],
    y: TypedPointer[Int8],
    height: Int32,
    width: Int32,
    depth: Int32,
    y_height: Int32,
    y_width: Int32,
    y_depth: Int32,
    kernel_height: Int32,
    kernel_width: Int32,
    stride_y: Int32,
    stride_x: Int32,
    dilation_y: Int32,
    dilation_x: Int32,
    top: Int32,
    left: Int32,
    depthwise: Int32,
    y_zero_point: Int32,
    low: Int32,
    high: Int32,
    double_round: Int32,
) -> None:
    """Convolve, and requantise by factors: rounded once, or twice as TFLite does."""
    sizes = LayerSizes(
        *(height, width, depth, y_height, y_width, y_depth, kernel_height, kernel_width),
        *(stride_y, stride_x, dilation_y, dilation_x, top, left, depthwise),
    )
    result, weight = y.shaped(y_height, y_width, y_depth), _weights_of(w, sizes)
    for point in layer_sums(sizes, x, bias, border, weight):
        factor = multipliers[point.channel], shifts[point.channel]
        value = requantised_sum(
            point.total, factor, OutputLimits(y_zero_point, low, high), double_round
        )
        result[point.row, point.column, point.channel] = value


def shifted_layer(
    x: TypedPointer[Int8],
    w: TypedPointer[Int8],
    bias: TypedPointer[Int32],
    border: TypedPointer[Int8],
    y: TypedPointer[Int8],
    *,
    height: Int32,
    width: Int32,
    depth: Int32,
    y_height: Int32,
    y_width: Int32,
    y_depth: Int32,
    kernel_height: Int32,
    kernel_width: Int32,
    stride_y: Int32,
    stride_x: Int32,
    dilation_y: Int32,
    dilation_x: Int32,
    top: Int32,
    left: Int32,
    depthwise: Int32,
    y_zero_point: Int32,
    low: Int32,
    high: Int32,
    shift: Int32,
) -> None:
    """Convolve, shift sums right, add the zero point and clip."""
    sizes = LayerSizes(
        *(height, width, depth, y_height, y_width, y_depth, kernel_height, kernel_width),
        *(stride_y, stride_x, dilation_y, dilation_x, top, left, depthwise),
    )
    result, weight = y.shaped(y_height, y_width, y_depth), _weights_of(w, sizes)
    for point in layer_sums(sizes, x, bias, border, weight):
        value = clip((point.total >> shift) + y_zero_point, low, high)
        result[point.row, point.column, point.channel] = value.truncate(Int8)


def _weights_of(w: TypedPointer[Int8], sizes: LayerSizes) -> Callable[[WeightPoint], Int8]:
    """Return where the weights of a layer are, in their blocks."""
    is_depthwise = sizes.depthwise != 0
    blocks = select(is_depthwise, 1, (sizes.depth + VECTOR - 1) // VECTOR)
    matrices = w.shaped(1, sizes.kernel_height, sizes.kernel_width, blocks, VECTOR, VECTOR)

    def weight(at: WeightPoint) -> Int8:
        block = select(is_depthwise, 0, at.input // VECTOR)
        to, from_ = at.output % VECTOR, at.input % VECTOR
        return matrices[at.output // VECTOR, at.ky, at.kx, block, to, from_]

    return weight
