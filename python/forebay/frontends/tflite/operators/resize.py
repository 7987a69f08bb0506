"""RESIZE_NEAREST_NEIGHBOR and RESIZE_BILINEAR of NHWC images.

    nearest:            resize
    bilinear, int8:     resize (i32, scaled by the product of both axes' denominators) -> rescale
    bilinear, float32:  resize

TOSA samples at `(o * d + offset) / n` for output position o. TFLite's int8 bilinear resize rounds
the step to 1/1024, which is such a fraction. Its nearest neighbours come from float32 products, so
the fraction is compared with TFLite at every position, and a resize with a difference is refused.
Upstream's conversion of TOSA to linalg rounds positions before the first element towards zero, not
down. So a bilinear resize with such positions first repeats the first row or column in front.
Source: TFLite `reference/resize_bilinear.h`, `reference/resize_nearest_neighbor.h`; TOSA RESIZE.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from mlir import ir
from mlir.dialects import tosa
from msgspec import Struct
from msgspec.structs import replace

from forebay.frontends.tflite.file.options import OperatorOptions, SchemaInt32
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.quantize import Multiplier
from forebay.frontends.tflite.lowering.registry import document, operator


class ResizeBilinearOptions(OperatorOptions, frozen=True):
    """RESIZE_BILINEAR; the schema has deprecated its first two fields."""

    new_height: SchemaInt32
    new_width: SchemaInt32
    align_corners: bool
    half_pixel_centers: bool


class ResizeNearestNeighborOptions(OperatorOptions, frozen=True):
    """RESIZE_NEAREST_NEIGHBOR."""

    align_corners: bool
    half_pixel_centers: bool


_LARGEST_DENOMINATOR = 2048
_LARGEST_SHRINKING = 16
_LARGEST_AXIS = 16_383
_LARGEST_OF_ONE = 512
_TYPES = tuple((e, ElementType.INT32, e) for e in (ElementType.INT8, ElementType.FLOAT32))
_NEAREST_TYPES = (*_TYPES, (ElementType.INT16, ElementType.INT32, ElementType.INT16))


class Sampling(Struct, frozen=True):
    """The positions along one axis: `(o * step + offset) / denominator` of `size` elements."""

    size: int
    output: int
    denominator: int
    step: int
    offset: int

    @classmethod
    def reduced(cls, size: int, output: int, fraction: tuple[int, int, int]) -> Sampling:
        """Return the sampling in lowest terms, from denominator, step and offset."""
        divisor = math.gcd(*fraction)
        return cls(size, output, *(x // divisor for x in fraction))

    @property
    def border(self) -> int:
        """The amount that TOSA adds to the input's size to get the output's size."""
        return (self.output - 1) * self.step - (self.size - 1) * self.denominator + self.offset

    def nearest(self, position: int) -> int:
        """Return the element that TOSA takes at an output position: the closest one, halves up."""
        at = position * self.step + self.offset
        closest = (2 * at + self.denominator) // (2 * self.denominator)
        return max(0, min(self.size - 1, closest))

    def led(self) -> Sampling:
        """Return the same samples after one element was added in front."""
        offset = self.offset + self.denominator
        return replace(self, size=self.size + 1, offset=offset)

    @property
    def is_allowed(self) -> bool:
        """Return whether TOSA's limits hold and the last position is inside the input."""
        n = self.denominator
        return (
            n <= _LARGEST_DENOMINATOR
            and 0 < self.step < _LARGEST_SHRINKING * n
            and -n <= self.offset < _LARGEST_SHRINKING * n
            and -_LARGEST_SHRINKING * n <= self.border < n
        )


document(
    "RESIZE_BILINEAR",
    types="int8, float32",
    limits="factors of 1/16 to 16; from one element to 512",
    becomes="[`concat`s], `resize`, `rescale`",
    exact="int8",
)

document(
    "RESIZE_NEAREST_NEIGHBOR",
    types="int8, int16, float32",
    limits="where TOSA's fraction gives TFLite's elements",
    becomes="`resize`",
    exact="yes",
)


@operator("RESIZE_NEAREST_NEIGHBOR", newest_version=4)
def resize_nearest_neighbor(node: Node) -> Sequence[ir.Value]:
    """Lower the copy of one input element to each output element."""
    _check(node, _NEAREST_TYPES)
    options = node.options(ResizeNearestNeighborOptions)

    def sampling(size: int, output: int) -> Sampling:
        wanted = [
            _nearest(o, size, output, options.align_corners, options.half_pixel_centers)
            for o in range(output)
        ]
        for candidate in _nearest_samplings(size, output, options.half_pixel_centers):
            if [candidate.nearest(o) for o in range(output)] == wanted:
                return candidate
        node.refuse(f"nearest neighbours from {size} to {output}", "use a whole factor")

    y, x = _samplings(node, sampling)
    value = node.value(0)
    return [_resize(value, y, x, emit.element_of(value), "NEAREST_NEIGHBOR")]


@operator("RESIZE_BILINEAR", newest_version=4)
def resize_bilinear(node: Node) -> Sequence[ir.Value]:
    """Lower the interpolation of each output element between four input elements."""
    _check(node, _TYPES)
    options = node.options(ResizeBilinearOptions)
    corners, centers = options.align_corners, options.half_pixel_centers
    if corners and centers:
        node.malformed("it aligns both corners and centers")
    if node.output.type is ElementType.FLOAT32:
        y, x = _samplings(node, lambda i, o: _rational(i, o, corners, centers))
        return [_interpolate(node, y, x, ir.F32Type.get())]
    y, x = _samplings(node, lambda i, o: _in_1024ths(i, o, corners, centers))
    # With doubled fractions all sums are even, so RESCALE's first rounding, by half, is exact.
    y = replace(y, denominator=2 * y.denominator, step=2 * y.step, offset=2 * y.offset)
    total = _interpolate(node, y, x, emit.signless(32))
    bits = (y.denominator * x.denominator).bit_length() - 1
    return [emit.tosa_rescale(total, emit.signless(8), [Multiplier(1 << 30, 1 - bits)])]


def _check(node: Node, types: Sequence[tuple[ElementType, ...]]) -> None:
    node.expect_operands(2)
    node.expect_types(*types)
    if node.output.was_unsigned and node.operator.name == "RESIZE_BILINEAR":
        node.refuse("data of type UINT8", "TFLite interpolates it in floats; use INT8")
    node.expect_same_quantization()
    node.expect_rank(0, 4)


def _samplings(node: Node, sampling: Callable[[int, int], Sampling]) -> tuple[Sampling, Sampling]:
    sizes = node.integers(1)
    if len(sizes) != 2 or min(sizes) < 1:
        node.malformed(f"its size is {sizes}")
    batch, height, width, channels = node.shape(0)
    if max(height, width, *sizes) > _LARGEST_AXIS:
        node.refuse(f"a height or width above {_LARGEST_AXIS:,}", "resize a smaller image")
    node.expect_size((batch, *sizes, channels))
    y, x = (
        _of_one(output) if size == 1 else sampling(size, output)
        for size, output in ((height, sizes[0]), (width, sizes[1]))
    )
    if max(y.output if height == 1 else 1, x.output if width == 1 else 1) > _LARGEST_OF_ONE:
        node.refuse(
            f"a resize of one element to more than {_LARGEST_OF_ONE:,}", "resize it in two steps"
        )
    if not (y.is_allowed and x.is_allowed):
        node.refuse(
            f"a resize from {[height, width]} to {sizes}", "use a factor between 1/16 and 16"
        )
    return y, x


def _of_one(output: int) -> Sampling:
    """Return the sampling of an axis of one element: all positions are before 1/2."""
    return Sampling(1, output, 2 * _LARGEST_OF_ONE, 1, 0)


def _interpolate(node: Node, y: Sampling, x: Sampling, element: ir.Type) -> ir.Value:
    value = node.value(0)
    if y.offset < 0:
        value, y = _repeat_first(value, 1), y.led()
    if x.offset < 0:
        value, x = _repeat_first(value, 2), x.led()
    return _resize(value, y, x, element, "BILINEAR")


def _repeat_first(value: ir.Value, axis: int) -> ir.Value:
    shape = emit.static_shape_of(value)
    size = [1 if i == axis else d for i, d in enumerate(shape)]
    return emit.tosa_concat([emit.tosa_slice(value, [0] * len(shape), size), value], axis)


def _resize(value: ir.Value, y: Sampling, x: Sampling, element: ir.Type, mode: str) -> ir.Value:
    batch, _, _, channels = emit.static_shape_of(value)
    return tosa.ResizeOp(
        emit.tensor_type((batch, y.output, x.output, channels), element),
        value,
        emit.tosa_shape((y.denominator, y.step, x.denominator, x.step)),
        emit.tosa_shape((y.offset, x.offset)),
        emit.tosa_shape((y.border, x.border)),
        ir.Attribute.parse(f"#tosa.resize_mode<{mode}>"),
    ).result


def _nearest(o: int, size: int, output: int, corners: bool, centers: bool) -> int:
    """Return the element of TFLite's `GetNearestNeighbor`, in float32."""
    aligned = corners and output > 1
    ratio = (size - 1, output - 1) if aligned else (size, output)
    scale = np.float32(ratio[0]) / np.float32(ratio[1])
    at = (np.float32(o) + np.float32(0.5 if centers else 0.0)) * scale
    index = math.floor(float(at) + 0.5) if corners else math.floor(float(at))
    return max(0, min(size - 1, index))


def _nearest_samplings(size: int, output: int, centers: bool) -> list[Sampling]:
    """Return samplings whose closest element is the floor of TFLite's position, or the closest."""
    floor = (2 * output, 2 * size, (size if centers else 0) - output)
    found = [Sampling.reduced(size, output, floor)]
    if output > 1 and size > 1:
        step = (2 * (output - 1), 2 * (size - 1), size - 1 if centers else 0)
        found.append(Sampling.reduced(size, output, step))
    return found


def _rational(size: int, output: int, corners: bool, centers: bool) -> Sampling:
    if corners and output > 1:
        return Sampling.reduced(size, output, (output - 1, max(size - 1, 1), 0))
    if centers:
        return Sampling.reduced(size, output, (2 * output, 2 * size, size - output))
    return Sampling.reduced(size, output, (output, size, 0))


def _in_1024ths(size: int, output: int, corners: bool, centers: bool) -> Sampling:
    """Return the sampling of TFLite's `ComputeInterpolationValuesInteger`."""
    aligned = corners and output > 1
    numerator, denominator = (size - 1, output - 1) if aligned else (size, output)
    step = (1024 * numerator + denominator // 2) // denominator
    return Sampling.reduced(size, output, (1024, step, step // 2 - 512 if centers else 0))
