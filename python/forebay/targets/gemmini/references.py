"""The computations of the driver's functions, traced: the emulator and the C reference run them.

Lanes of a block that no channel uses are undefined in the machine. Here moves in set them to zero,
and nothing reads them.
"""

from __future__ import annotations

from forebay.api.target import (
    Int8,
    Int32,
    TypedPointer,
    ceil_div,
    loop,
    minimum,
    select,
)
from forebay.targets.gemmini.machine import DIM
from forebay.targets.int32_convolution.references import (
    LayerSizes,
    OutputLimits,
    WeightPoint,
    layer_sums,
    requantised_sum,
)


def reference_load_image(
    image: TypedPointer[Int8],
    border: TypedPointer[Int8],
    tile: TypedPointer[Int8],
    *,
    width: Int32,
    depth: Int32,
    rows: Int32,
    columns: Int32,
    channels: Int32,
    top: Int32,
    bottom: Int32,
    left: Int32,
    right: Int32,
) -> None:
    """Move a window of an image to blocks of channels, with a border."""
    blocks, height, across = (
        ceil_div(channels, DIM),
        top + rows + bottom,
        left + columns + right,
    )
    source = image.shaped(rows, width, depth)
    target = tile.shaped(blocks, height, across, DIM)
    for block in loop(blocks):
        for y in loop(height):
            for x in loop(across):
                for lane in loop(DIM):
                    is_used = block * DIM + lane < channels
                    target[block, y, x, lane] = select(is_used, border[lane], 0)
    for y in loop(rows):
        for x in loop(columns):
            for c in loop(channels):
                target[c // DIM, top + y, left + x, c % DIM] = source[y, x, c]


def reference_load_bias(
    bias: TypedPointer[Int32], sums: TypedPointer[Int32], *, pixels: Int32, channels: Int32
) -> None:
    """Set the sums of all pixels to the biases."""
    blocks = ceil_div(channels, DIM)
    target = sums.shaped(blocks, pixels, DIM)
    for block in loop(blocks):
        for pixel in loop(pixels):
            for lane in loop(DIM):
                target[block, pixel, lane] = 0
    for c in loop(channels):
        for pixel in loop(pixels):
            target[c // DIM, pixel, c % DIM] = bias[c]


def reference_convolve(
    image: TypedPointer[Int8],
    weights: TypedPointer[Int8],
    sums: TypedPointer[Int32],
    *,
    plane: Int32,
    width: Int32,
    start: Int32,
    weights_stride: Int32,
    weights_start: Int32,
    block_rows: Int32,
    rows: Int32,
    columns: Int32,
    channels: Int32,
    depth: Int32,
    kernel_height: Int32,
    kernel_width: Int32,
    stride_y: Int32,
    stride_x: Int32,
    dilation_y: Int32,
    dilation_x: Int32,
    depthwise: Int32,
) -> None:
    """Add the products of a convolution to sums; sizes of memory count rows of 16 bytes.

    Outputs are the innermost loop, as they are contiguous in sums and weights.
    """
    source, kernel = image.shaped(1, DIM), weights.shaped(1, DIM)
    target = sums.shaped(1, rows * columns, DIM)
    taps = kernel_height * kernel_width
    is_depthwise = depthwise != 0
    for block in loop(ceil_div(channels, DIM)):
        lanes = minimum(channels - block * DIM, DIM)
        for y in loop(rows):
            for x in loop(columns):
                pixel = y * columns + x
                for tap in loop(taps):
                    ky, kx = tap // kernel_width, tap % kernel_width
                    row = start + (y * stride_y + ky * dilation_y) * width
                    position = row + x * stride_x + kx * dilation_x
                    first = weights_start + block * weights_stride + tap * block_rows
                    for k in loop(select(is_depthwise, 0, depth)):
                        value = source[position + k // DIM * plane, k % DIM].extend(Int32)
                        at = first + k // DIM * taps * block_rows + k % DIM
                        for lane in loop(lanes):
                            product = value * kernel[at, lane].extend(Int32)
                            target[block, pixel, lane] = target[block, pixel, lane] + product
                    for lane in loop(select(is_depthwise, lanes, 0)):
                        value = source[position + block * plane, lane].extend(Int32)
                        product = value * kernel[first + lane, lane].extend(Int32)
                        target[block, pixel, lane] = target[block, pixel, lane] + product


def reference_store_sums(
    sums: TypedPointer[Int32], target: TypedPointer[Int32], *, pixels: Int32, channels: Int32
) -> None:
    """Move sums to memory."""
    source, into = sums.shaped(1, pixels, DIM), target.shaped(pixels, channels)
    for pixel in loop(pixels):
        for c in loop(channels):
            into[pixel, c] = source[c // DIM, pixel, c % DIM]


STORE_SCALED = """
func.func @gemmini_store_scaled(
    %sums: memref<?xi32>, %target: memref<?xi8>, %pixels: i32, %channels: i32, %scale: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lanes = arith.constant 16 : index
  %n = arith.index_cast %pixels : i32 to index
  %depth = arith.index_cast %channels : i32 to index
  %factor = arith.bitcast %scale : i32 to f32
  %least = arith.constant -128.0 : f32
  %most = arith.constant 127.0 : f32
  // Added to a number below 2^22, it leaves no bits for the fraction: rounds halves to even.
  %whole = arith.constant 12582912.0 : f32
  scf.for %pixel = %c0 to %n step %c1 {
    %row = arith.muli %pixel, %depth : index
    scf.for %channel = %c0 to %depth step %c1 {
      %block = arith.divui %channel, %lanes : index
      %lane = arith.remui %channel, %lanes : index
      %plane = arith.muli %block, %n : index
      %at_pixel = arith.addi %plane, %pixel : index
      %at_row = arith.muli %at_pixel, %lanes : index
      %at = arith.addi %at_row, %lane : index
      %sum = memref.load %sums[%at] : memref<?xi32>
      %float = arith.sitofp %sum : i32 to f32
      %scaled = arith.mulf %float, %factor : f32
      %is_low = arith.cmpf olt, %scaled, %least : f32
      %low = arith.select %is_low, %least, %scaled : f32
      %is_high = arith.cmpf ogt, %low, %most : f32
      %clipped = arith.select %is_high, %most, %low : f32
      %above = arith.addf %clipped, %whole : f32
      %rounded = arith.subf %above, %whole : f32
      %word = arith.fptosi %rounded : f32 to i32
      %byte = arith.trunci %word : i32 to i8
      %to = arith.addi %row, %channel : index
      memref.store %byte, %target[%to] : memref<?xi8>
    }
  }
  return
}
"""
"""Move sums to memory as int8, scaled by a float32. Its text has floats, which traces lack."""


def reference_layer(
    image: TypedPointer[Int8],
    weights: TypedPointer[Int8],
    bias: TypedPointer[Int32],
    border: TypedPointer[Int8],
    *,
    multipliers: TypedPointer[Int32],
    shifts: TypedPointer[Int8],
    result: TypedPointer[Int8],
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
    zero_point: Int32,
    low: Int32,
    high: Int32,
    double_round: Int32,
) -> None:
    """Compute a whole layer: a convolution with a border, and TFLite's requantisation."""
    sizes = LayerSizes(
        *(height, width, depth, y_height, y_width, y_depth, kernel_height, kernel_width),
        *(stride_y, stride_x, dilation_y, dilation_x, top, left, depthwise),
    )
    is_depthwise, into = depthwise != 0, result.shaped(y_height, y_width, y_depth)
    blocks = select(is_depthwise, 1, ceil_div(depth, DIM))
    block_rows = select(is_depthwise, DIM, minimum(depth, DIM))
    kernel = weights.shaped(1, blocks, kernel_height, kernel_width, block_rows, DIM)

    def weight(at: WeightPoint) -> Int8:
        block = select(is_depthwise, 0, at.input // DIM)
        return kernel[at.output // DIM, block, at.ky, at.kx, at.input % DIM, at.output % DIM]

    limits = OutputLimits(zero_point, low, high)
    for point in layer_sums(sizes, image, bias, border, weight):
        factor = multipliers[point.channel], shifts[point.channel]
        value = requantised_sum(point.total, factor, limits, double_round)
        into[point.row, point.column, point.channel] = value
