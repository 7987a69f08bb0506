"""Sliding windows: the output size and padding of TFLite, in the form that TOSA needs.

In TOSA the last window must end exactly at the end of the padded input. TFLite ignores the rest:

    input  0 1 2 3 4 5 6 7     kernel 1, stride 2, no padding: the last window reads 6,
           ^   ^   ^   ^       and TOSA gets the input cut to 0..6.
"""

from __future__ import annotations

from mlir import ir
from msgspec import Struct

from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node

_PADDINGS = {0: "SAME", 1: "VALID"}


class WindowAxis(Struct, frozen=True):
    """The windows along one dimension."""

    size: int
    kernel: int
    stride: int
    dilation: int
    same: bool

    @property
    def extent(self) -> int:
        """The number of input positions from the first to the last element of a window."""
        return (self.kernel - 1) * self.dilation + 1

    @property
    def output(self) -> int:
        """The number of windows."""
        reach = 1 if self.same else self.extent
        return (self.size + self.stride - reach) // self.stride

    @property
    def padding(self) -> tuple[int, int]:
        """Padding before and after; the odd element goes after."""
        total = max(0, self._read - self.size) if self.same else 0
        return total // 2, total - total // 2

    def position(self, outer: ir.AffineExpr, inner: ir.AffineExpr) -> ir.AffineExpr:
        """Return the position that window `outer` reads for its element `inner`."""
        return outer * self.stride + inner * self.dilation - self.padding[0]

    @property
    def used(self) -> int:
        """The number of input positions up to the end of the last window."""
        return min(self.size, self._read)

    @property
    def _read(self) -> int:
        return (self.output - 1) * self.stride + self.extent


class SlidingWindow(Struct, frozen=True):
    """Windows over height and width."""

    y: WindowAxis
    x: WindowAxis

    @property
    def padding(self) -> list[int]:
        """The padding in TOSA's order: top, bottom, left, right."""
        return [*self.y.padding, *self.x.padding]

    @property
    def stride(self) -> list[int]:
        """The strides in TOSA's order: y, x."""
        return [self.y.stride, self.x.stride]

    @property
    def dilation(self) -> list[int]:
        """The dilations in TOSA's order: y, x."""
        return [self.y.dilation, self.x.dilation]

    @property
    def kernel(self) -> list[int]:
        """The kernel sizes in TOSA's order: y, x."""
        return [self.y.kernel, self.x.kernel]


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
    same = _PADDINGS[padding] == "SAME"
    axes = [WindowAxis(shape[1 + i], kernel[i], stride[i], dilation[i], same) for i in (0, 1)]
    if min(axis.output for axis in axes) < 1:
        node.malformed(f"no window of {kernel} fits into the input {list(shape)}")
    return SlidingWindow(*axes)


def covered(node: Node, windows: SlidingWindow) -> ir.Value:
    """Return operand 0 without the rows and columns behind the last window."""
    batch, _, _, channels = node.shape(0)
    size = (batch, windows.y.used, windows.x.used, channels)
    return emit.tosa_slice(node.value(0), (0, 0, 0, 0), size)
