"""The sliding windows of ONNX's operators."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from msgspec.structs import replace

from forebay.frontends import tosa as emit
from forebay.frontends.onnx.lowering.node import OnnxNode
from forebay.frontends.windows import SlidingWindow, WindowAxis, same_padding


def window_of(node: OnnxNode, kernel: Sequence[int]) -> SlidingWindow:
    """Return the windows of an operator over operand 0, which has one or two spatial dimensions."""
    spatial = node.shape(0)[2:]
    count = len(spatial)
    if count not in (1, 2):
        node.refuse(f"an operand of rank {count + 2}", "one or two spatial dimensions are")
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
    if count == 1:
        axes.insert(0, WindowAxis(1, 1, 1, 1))
    if min(axis.output for axis in axes) < 1:
        node.malformed(f"no window of {list(kernel)} fits into the input {list(spatial)}")
    return SlidingWindow(*axes)


def _automatic(axis: WindowAxis, mode: str) -> WindowAxis:
    if mode not in ("SAME_UPPER", "SAME_LOWER"):
        return axis
    same = same_padding(axis.size, axis.kernel, axis.stride, axis.dilation)
    return same if mode == "SAME_UPPER" else replace(same, before=same.after, after=same.before)


def covered_image(node: OnnxNode, windows: SlidingWindow) -> ir.Value:
    """Return operand 0 as N H W C, without rows and columns behind the last window."""
    value = node.operand(0).channels_last()
    shape = emit.static_shape_of(value)
    if len(shape) == 3:
        value = emit.tosa_reshape(value, (shape[0], 1, *shape[1:]))
        shape = emit.static_shape_of(value)
    size = (shape[0], windows.y.used, windows.x.used, shape[-1])
    return emit.tosa_slice(value, (0, 0, 0, 0), size)
