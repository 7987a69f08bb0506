"""The sliding windows of ONNX's operators."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from msgspec.structs import replace

from forebay.frontends import tosa as emit
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.windows import SlidingWindow, WindowAxis, same_padding
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceKernel,
    ReduceOperand,
    affine_dimensions,
    build_reduce,
)


def window_axes(node: OnnxNode, kernel: Sequence[int]) -> list[WindowAxis]:
    """Return the windows of an operator along each spatial dimension of operand 0."""
    spatial = node.shape(0)[2:]
    count = len(spatial)
    if count < 1:
        node.malformed(f"an operand of shape {list(node.shape(0))}, without spatial dimensions")
    given = node.attribute("kernel_shape", list(kernel))
    strides = node.attribute("strides", [1] * count)
    dilations = node.attribute("dilations", [1] * count)
    pads = node.attribute("pads", [0] * 2 * count)
    lengths = (len(kernel), len(given), len(strides), len(dilations), len(pads) // 2)
    if lengths != (count,) * 5 or list(given) != list(kernel):
        node.malformed(f"a window of {list(kernel)} with {strides}, {dilations}, {pads}")
    if min(*kernel, *strides, *dilations) < 1 or min(pads) < 0:
        node.refuse("a window with a size below one", "use positive sizes")
    ceil = bool(node.attribute("ceil_mode", 0))
    automatic = node.attribute("auto_pad", "NOTSET")
    axes: list[WindowAxis] = []
    for i in range(count):
        axis = WindowAxis(
            *(spatial[i], kernel[i], strides[i], dilations[i], pads[i], pads[count + i], ceil)
        )
        axes.append(_automatic(axis, automatic))
    if min(axis.output for axis in axes) < 1:
        node.malformed(f"no window of {list(kernel)} fits into the input {list(spatial)}")
    return axes


def as_image(axes: Sequence[WindowAxis]) -> SlidingWindow:
    """Return the windows of one or two spatial dimensions as those of an image."""
    rows = [] if len(axes) == 2 else [WindowAxis(1, 1, 1, 1)]
    return SlidingWindow(*rows, *axes)


def window_of(node: OnnxNode, kernel: Sequence[int]) -> SlidingWindow:
    """Return the windows of an operator over operand 0, which has one or two spatial dimensions."""
    axes = window_axes(node, kernel)
    if len(axes) > 2:
        node.refuse(f"an operand of rank {len(axes) + 2}", "one or two spatial dimensions are")
    return as_image(axes)


def reduce_windows(
    value: ir.Value, axes: Sequence[WindowAxis], kernel: ReduceKernel, element: ir.Type
) -> ir.Value:
    """Reduce each window of a value with channels last; elements outside are skipped."""
    shape, count = emit.static_shape_of(value), len(axes)
    dims = affine_dimensions(2 * count + 2)
    outer, inner = dims[: count + 2], dims[count + 2 :]
    positions = [axis.position(at, k) for axis, at, k in zip(axes, outer[1:-1], inner, strict=True)]
    result = (shape[0], *(axis.output for axis in axes), shape[-1])
    return build_reduce(
        KernelDomain(result, tuple(axis.kernel for axis in axes)),
        kernel,
        ins=[ReduceOperand(value, (outer[0], *positions, outer[-1]))],
        params=[],
        out=outer,
        result=emit.tensor_type(result, element),
    )


def _automatic(axis: WindowAxis, mode: str) -> WindowAxis:
    if mode not in ("SAME_UPPER", "SAME_LOWER"):
        return axis
    same = same_padding(axis.size, axis.kernel, axis.stride, axis.dilation)
    return same if mode == "SAME_UPPER" else replace(same, before=same.after, after=same.before)


def covered_image(node: OnnxNode, windows: SlidingWindow) -> ir.Value:
    """Return operand 0 as N H W C, without rows and columns after the last window."""
    value = node.operand(0).channels_last()
    shape = emit.static_shape_of(value)
    if len(shape) == 3:
        value = emit.tosa_reshape(value, (shape[0], 1, *shape[1:]))
        shape = emit.static_shape_of(value)
    size = (shape[0], windows.y.used, windows.x.used, shape[-1])
    return emit.tosa_slice(value, (0, 0, 0, 0), size)
