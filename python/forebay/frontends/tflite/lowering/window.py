"""The sliding windows of TFLite's operators."""

from __future__ import annotations

from mlir import ir

from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.windows import SlidingWindow, WindowAxis, same_padding

_PADDINGS = {0: same_padding, 1: WindowAxis}
"""The numbers of SAME and VALID."""


def window(
    node: Node,
    kernel: tuple[int, int],
    stride: tuple[int, int],
    padding: int,
    dilation: tuple[int, int] = (1, 1),
) -> SlidingWindow:
    """Return the windows of an operator over operand 0, which is NHWC; pairs are (y, x)."""
    node.expect_rank(0, 4)
    shape = node.shape(0)
    if padding not in _PADDINGS:
        node.malformed(f"padding number {padding} is neither SAME (0) nor VALID (1)")
    if min(*kernel, *stride, *dilation) < 1:
        node.malformed(f"kernel {kernel}, stride {stride}, dilation {dilation}: below one")
    axis_of = _PADDINGS[padding]
    axes = [axis_of(shape[1 + i], kernel[i], stride[i], dilation[i]) for i in (0, 1)]
    if min(axis.output for axis in axes) < 1:
        node.malformed(f"no window of {kernel} fits into the input {list(shape)}")
    return SlidingWindow(*axes)


def covered(node: Node, windows: SlidingWindow) -> ir.Value:
    """Return operand 0 without the rows and columns after the last window."""
    batch, _, _, channels = node.shape(0)
    size = (batch, windows.y.used, windows.x.used, channels)
    return emit.tosa_slice(node.value(0), (0, 0, 0, 0), size)
