"""Sliding windows: their number and padding, in the form that TOSA needs.

In TOSA the last window must end exactly at the end of the padded input. TFLite and ONNX ignore the
rest, so the padding after the input is cut, and then the input itself:

    input  0 1 2 3 4 5 6 7     kernel 1, stride 2, no padding: the last window reads 6,
           ^   ^   ^   ^       and TOSA gets the input cut to 0..6.
"""

from __future__ import annotations

from mlir import ir
from msgspec import Struct


class WindowAxis(Struct, frozen=True):
    """The windows along one dimension; `before` and `after` are the padding of the model."""

    size: int
    kernel: int
    stride: int
    dilation: int
    before: int = 0
    after: int = 0
    ceil: bool = False
    """Whether a last window may end after the padding."""

    @property
    def extent(self) -> int:
        """The number of input positions from the first to the last element of a window."""
        return (self.kernel - 1) * self.dilation + 1

    @property
    def output(self) -> int:
        """The number of windows."""
        steps = self.size + self.before + self.after - self.extent
        if steps < 0:
            return 0
        count = steps // self.stride + 1
        if self.ceil and steps % self.stride:
            # The last window must begin inside of the input or the padding in front of it.
            count += count * self.stride < self.size + self.before
        return count

    @property
    def padding(self) -> tuple[int, int]:
        """The padding that windows read, before and after."""
        return self.before, max(0, self._end - self.before - self.size)

    @property
    def used(self) -> int:
        """The number of input positions up to the end of the last window."""
        return min(self.size, self._end - self.before)

    def position(self, outer: ir.AffineExpr, inner: ir.AffineExpr) -> ir.AffineExpr:
        """Return the position that window `outer` reads for its element `inner`."""
        return outer * self.stride + inner * self.dilation - self.before

    @property
    def _end(self) -> int:
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


def same_padding(size: int, kernel: int, stride: int, dilation: int) -> WindowAxis:
    """Return one window per stride; an odd element of padding goes after the input."""
    axis = WindowAxis(size, kernel, stride, dilation)
    count = -(-size // stride)
    total = max(0, (count - 1) * stride + axis.extent - size)
    return WindowAxis(size, kernel, stride, dilation, total // 2, total - total // 2)
