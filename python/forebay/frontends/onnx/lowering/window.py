"""Sliding windows: the output size and padding of ONNX, in the form that TOSA needs.

In TOSA the last window must end exactly at the end of the padded input. ONNX ignores the rest, so
the padding behind the input is cut, and then the input itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from msgspec import Struct

from forebay.frontends import tosa as emit
from forebay.frontends.onnx.lowering.node import OnnxNode


class OnnxAxis(Struct, frozen=True):
    """The windows along one dimension; `before` and `after` are the padding that ONNX gives."""

    size: int
    kernel: int
    stride: int
    dilation: int
    before: int
    after: int
    ceil: bool = False

    @property
    def extent(self) -> int:
        """The number of input positions from the first to the last element of a window."""
        return (self.kernel - 1) * self.dilation + 1

    @property
    def output(self) -> int:
        """The number of windows."""
        room = self.size + self.before + self.after - self.extent
        if room < 0:
            return 0
        count = room // self.stride + 1
        if self.ceil and room % self.stride:
            # The last window must begin inside of the input or the padding in front of it.
            count += count * self.stride < self.size + self.before
        return count

    @property
    def used(self) -> int:
        """The number of input positions up to the end of the last window."""
        return min(self.size, self._end - self.before)

    @property
    def padding(self) -> tuple[int, int]:
        """The padding that windows read, before and after."""
        return self.before, max(0, self._end - self.before - self.size)

    @property
    def _end(self) -> int:
        return (self.output - 1) * self.stride + self.extent


class OnnxWindow(Struct, frozen=True):
    """Windows over height and width; one spatial dimension is a width."""

    y: OnnxAxis
    x: OnnxAxis

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


def window_of(node: OnnxNode, kernel: Sequence[int]) -> OnnxWindow:
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
    axes: list[OnnxAxis] = []
    for i in range(count):
        axis = OnnxAxis(
            *(spatial[i], kernel[i], strides[i], dilations[i], pads[i], pads[count + i], ceil)
        )
        axes.append(_automatic(axis, automatic))
    if count == 1:
        axes.insert(0, OnnxAxis(1, 1, 1, 1, 0, 0))
    if min(axis.output for axis in axes) < 1:
        node.malformed(f"no window of {list(kernel)} fits into the input {list(spatial)}")
    return OnnxWindow(*axes)


def _automatic(axis: OnnxAxis, mode: str) -> OnnxAxis:
    if mode not in ("SAME_UPPER", "SAME_LOWER"):
        return axis
    output = -(-axis.size // axis.stride)
    total = max(0, (output - 1) * axis.stride + axis.extent - axis.size)
    less, more = total // 2, total - total // 2
    before, after = (less, more) if mode == "SAME_UPPER" else (more, less)
    sizes = (axis.size, axis.kernel, axis.stride, axis.dilation)
    return OnnxAxis(*sizes, before, after)


def covered_image(node: OnnxNode, windows: OnnxWindow) -> ir.Value:
    """Return operand 0 as N H W C, without rows and columns behind the last window."""
    value = node.operand(0).channels_last()
    shape = emit.static_shape_of(value)
    if len(shape) == 3:
        value = emit.tosa_reshape(value, (shape[0], 1, *shape[1:]))
        shape = emit.static_shape_of(value)
    size = (shape[0], windows.y.used, windows.x.used, shape[-1])
    return emit.tosa_slice(value, (0, 0, 0, 0), size)
