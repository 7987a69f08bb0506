"""The computation of a whole layer, traced, except for the machine's layout of the weights.

for point in layer_sums(sizes, image, bias, border, weight):
    result[point.row, point.column, point.channel] = requantised_sum(point.total, ...)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from forebay.api.target import (
    Int8,
    Int32,
    Int64,
    LocalVariable,
    TypedPointer,
    clip,
    loop,
    select,
)


class LayerSizes(NamedTuple):
    """The scalars of a layer, in the order of `LAYER_SCALARS`."""

    height: Int32
    width: Int32
    depth: Int32
    y_height: Int32
    y_width: Int32
    y_depth: Int32
    kernel_height: Int32
    kernel_width: Int32
    stride_y: Int32
    stride_x: Int32
    dilation_y: Int32
    dilation_x: Int32
    top: Int32
    left: Int32
    depthwise: Int32


class WeightPoint(NamedTuple):
    """The output, the point of the kernel and the input that a weight is for.

    `input` is the channel of the image; for a depthwise layer it is the output.
    """

    output: Int32
    ky: Int32
    kx: Int32
    input: Int32


class LayerSum(NamedTuple):
    """A point of the result, and its sum with the bias."""

    row: Int32
    column: Int32
    channel: Int32
    total: Int32


class OutputLimits(NamedTuple):
    """The zero point of a result, and its bounds."""

    zero_point: Int32
    low: Int32
    high: Int32


def layer_sums(
    sizes: LayerSizes,
    image: TypedPointer[Int8],
    bias: TypedPointer[Int32],
    border: TypedPointer[Int8],
    weight: Callable[[WeightPoint], Int8],
) -> Iterator[LayerSum]:
    """Trace the loops over the points of the result; their body has the sum of one point.

    `weight` returns the weight of a point, wherever the machine has it.
    """
    source = image.shaped(sizes.height, sizes.width, sizes.depth)
    is_depthwise = sizes.depthwise != 0
    for c in loop(sizes.y_depth):
        first, last = select(is_depthwise, c, 0), select(is_depthwise, c + 1, sizes.depth)
        for y in loop(sizes.y_height):
            for x in loop(sizes.y_width):
                total = LocalVariable(bias[c])
                for k in loop(first, last):
                    for ky in loop(sizes.kernel_height):
                        row = y * sizes.stride_y + ky * sizes.dilation_y - sizes.top
                        at_row = clip(row, 0, sizes.height - 1)
                        for kx in loop(sizes.kernel_width):
                            column = x * sizes.stride_x + kx * sizes.dilation_x - sizes.left
                            at_column = clip(column, 0, sizes.width - 1)
                            inside = (row == at_row) & (column == at_column)
                            value = select(inside, source[at_row, at_column, k], border[0])
                            product = weight(WeightPoint(c, ky, kx, k)).extend(Int32)
                            total.value += value.extend(Int32) * product
                yield LayerSum(y, x, c, total.value)


def requantised_sum(
    total: Int32,
    factor: tuple[Int32, Int8],
    limits: OutputLimits,
    double_round: Int32,
) -> Int8:
    """Return the sum times a multiplier, shifted right, with the zero point, within the bounds.

    It is rounded once, halves up; or twice, as TFLite rounds it for shifts above 31.
    """
    multiplier, shift = factor
    bits = shift.extend(Int64)
    away = select(total < 0, Int64.of(-(1 << 30)), 1 << 30)
    twice = (bits > 31) & (double_round != 0)
    rounding = (Int64.of(1) << (bits - 1)) + select(twice, away, 0)
    scaled = (total.extend(Int64) * multiplier.extend(Int64) + rounding) >> bits
    zero_point, low, high = (limit.extend(Int64) for limit in limits)
    return clip(scaled + zero_point, low, high).truncate(Int8)
