"""ConvTranspose: `transpose_conv2d` on channels last, and a rescaling for integers.

Weights are I O H W in ONNX, O of one group. Several groups are one `accel.reduce`, in which the
group is one more dimension, so no operand is cut. Dilated weights are weights with zeros between.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import tosa
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from forebay.frontends import tosa as emit
from forebay.frontends.elementwise import map_elements
from forebay.frontends.onnx.lowering.layout import LaidOut
from forebay.frontends.onnx.lowering.node import OnnxNode, stored_elements
from forebay.frontends.onnx.lowering.products import (
    Bias,
    accumulator_of,
    finished_sums,
    onnx_bias,
    products_kernel,
    stored_zero_points,
)
from forebay.frontends.onnx.lowering.registry import document_onnx, onnx_operator
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceOperand,
    affine_dimensions,
    build_reduce,
)

document_onnx(
    "ConvTranspose",
    types="int8, uint8, float32",
    limits="constant weights, one or two spatial dimensions, less padding than the kernel",
    golden="1e-6; QDQ: exact sums and factors, halves to even",
)


class _Axis(Struct, frozen=True):
    """One dimension: kernel `i` begins at row `i * stride - before` of the result."""

    size: int
    kernel: int
    """The rows of the kernel, with those between dilated ones."""
    stride: int
    before: int
    result: int = 0

    @property
    def after(self) -> int:
        """The rows after the last kernel; negative where it is cut."""
        return self.result - ((self.size - 1) * self.stride + self.kernel - self.before)


class _Wanted(Struct, frozen=True):
    """What the file says about the size of one dimension of the result."""

    grown: int
    after: int
    result: int
    """The size, 0 if it follows from the padding."""


class _Layer(Struct, frozen=True, eq=False):
    """Rows and columns, weights as O H W I of all groups, and a bias for each channel."""

    y: _Axis
    x: _Axis
    weights: NDArray[np.generic]
    bias: Bias
    groups: int


@onnx_operator("ConvTranspose")
def conv_transpose(node: OnnxNode) -> Sequence[LaidOut]:
    """Lower a transposed convolution."""
    if node.target is None:
        node.expect_floats(0, 1, 2)
    weights, own = node.constant(1), node.shape(0)
    groups = int(node.attribute("group", 1))
    if weights.ndim not in (3, 4):
        node.refuse(f"weights of rank {weights.ndim}", "one or two spatial dimensions are")
    if len(own) != weights.ndim or groups < 1 or own[1] != len(weights) or own[1] % groups:
        node.malformed(f"weights of shape {list(weights.shape)} on {list(own)} in {groups} groups")
    ohwi = _per_channel(weights, groups)
    bias = onnx_bias(node, len(ohwi))
    axes = _axes(node)
    y = axes[0] if len(own) == 4 else _Axis(1, 1, 1, 0, result=1)
    ohwi = ohwi if len(own) == 4 else ohwi[:, None]
    layer = _Layer(y, axes[-1], _dilated(node, ohwi), bias, groups)
    image = node.operand(0).channels_last()
    if len(own) == 3:
        image = emit.tosa_reshape(image, (own[0], 1, own[2], own[1]))
    sums = (_convolve if groups == 1 else _convolve_groups)(node, image, layer)
    value = finished_sums(node, sums, ohwi.reshape(len(ohwi), -1), bias)
    if len(own) == 3:
        shape = emit.static_shape_of(value)
        value = emit.tosa_reshape(value, (shape[0], *shape[2:]))
    return [LaidOut(value, last=True)]


def _per_channel(weights: NDArray[np.generic], groups: int) -> NDArray[np.generic]:
    """Return the weights with the channels of the result first and those of the input last."""
    split = weights.reshape(groups, -1, *weights.shape[1:])
    moved = np.moveaxis(split, 1, -1)
    return np.ascontiguousarray(moved.reshape(-1, *moved.shape[2:]))


def _dilated(node: OnnxNode, ohwi: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return stored weights with rows and columns of zeros between."""
    stored = stored_elements(ohwi)
    steps = [1, *node.attribute("dilations", [1] * (len(node.shape(0)) - 2))][-2:]
    if steps == [1, 1]:
        return stored
    height, width = ((n - 1) * step + 1 for n, step in zip(stored.shape[1:3], steps, strict=True))
    full = np.full(
        (len(stored), height, width, stored.shape[3]), stored_zero_points(node)[1], stored.dtype
    )
    full[:, :: steps[0], :: steps[1]] = stored
    return full


def _axes(node: OnnxNode) -> list[_Axis]:
    sizes, kernel = node.shape(0)[2:], node.shape(1)[2:]
    count = len(sizes)
    strides, dilations, grown = (
        node.attribute(name, [default] * count)
        for name, default in (("strides", 1), ("dilations", 1), ("output_padding", 0))
    )
    pads, given = node.attribute("pads", [0] * 2 * count), node.attribute("output_shape", [])
    lengths = {len(strides), len(dilations), len(grown), len(pads) / 2, len(given) or count}
    if lengths != {count} or node.attribute("kernel_shape", list(kernel)) != list(kernel):
        node.malformed(f"a window of {list(kernel)} with {strides}, {dilations}, {pads}, {grown}")
    if min(*kernel, *strides, *dilations) < 1 or min(*pads, *grown) < 0:
        node.malformed("a negative padding, or a size below one")
    return [
        _axis(
            node,
            _Axis(sizes[i], (kernel[i] - 1) * dilations[i] + 1, strides[i], pads[i]),
            _Wanted(grown[i], pads[count + i], given[i] if given else 0),
        )
        for i in range(count)
    ]


def _axis(node: OnnxNode, axis: _Axis, wanted: _Wanted) -> _Axis:
    """Return the dimension with the padding and size of ONNX's definition."""
    full = axis.stride * (axis.size - 1) + wanted.grown + axis.kernel
    mode = node.attribute("auto_pad", "NOTSET")
    if wanted.result or mode in ("SAME_UPPER", "SAME_LOWER"):
        total = full - (wanted.result or axis.size * axis.stride)
        before = total // 2 if mode == "SAME_UPPER" else total - total // 2
    elif mode == "VALID":
        before = total = 0
    else:
        before, total = axis.before, axis.before + wanted.after
    if total < 0 or full - total < 1:
        node.refuse(f"a result of {full - total} from {full} rows", "give output_padding or pads")
    found = replace(axis, before=before, result=full - total)
    if before >= axis.kernel or found.after <= -axis.kernel:
        node.refuse("padding as wide as the kernel", "slice the result")
    return found


def _convolve(node: OnnxNode, image: ir.Value, layer: _Layer) -> ir.Value:
    element = emit.element_of(image)
    accumulator = accumulator_of(node)
    zero_points = stored_zero_points(node)
    y, x = layer.y, layer.x
    batch = emit.static_shape_of(image)[0]
    return tosa.TransposeConv2DOp(
        emit.tensor_type((batch, y.result, x.result, len(layer.bias)), accumulator),
        image,
        emit.tosa_constant(layer.weights),
        emit.tosa_constant(layer.bias),
        emit.tosa_zero_point(zero_points[0], element),
        emit.tosa_zero_point(zero_points[1], element),
        emit.array([-y.before, y.after, -x.before, x.after]),
        emit.array([y.stride, x.stride]),
        ir.TypeAttr.get(accumulator),
    ).result


def _convolve_groups(node: OnnxNode, image: ir.Value, layer: _Layer) -> ir.Value:
    """Gather: input row `iy` adds to row `r` through weights row `r + before - iy * stride`."""
    channels, depth = len(layer.weights), layer.weights.shape[3]
    members = channels // layer.groups
    y, x = layer.y, layer.x
    n, row, column, g, m, iy, ix, k = affine_dimensions(8)
    ky, kx = row + y.before - iy * y.stride, column + x.before - ix * x.stride
    channel = g * members + m
    batch = emit.static_shape_of(image)[0]
    shape = (batch, y.result, x.result, channels)
    sums = build_reduce(
        KernelDomain((*shape[:3], layer.groups, members), (y.size, x.size, depth)),
        products_kernel(node),
        ins=[
            ReduceOperand(image, (n, iy, ix, g * depth + k)),
            ReduceOperand(emit.tosa_constant(layer.weights), (channel, ky, kx, k)),
        ],
        params=[],
        out=(n, row, column, channel),
        result=emit.tensor_type(shape, accumulator_of(node)),
    )
    if not layer.bias.any():
        return sums
    operands = [sums, emit.tosa_constant(layer.bias)]
    return map_elements(operands, shape, accumulator_of(node), lambda ins: scalar.add(*ins))
