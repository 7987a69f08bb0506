"""The sizes of a convolution, its scalars, and its loop nest."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from forebay.api.regions import LoopNest, OperandAccess, induction_variables

LAYER_SCALARS = (
    *("height", "width", "depth", "y_height", "y_width", "y_depth"),
    *("kernel_height", "kernel_width", "stride_y", "stride_x", "dilation_y", "dilation_x"),
    *("top", "left", "depthwise"),
)
"""The scalars of a call of a layer that `LayerGeometry` has, in the order of its fields."""

SUM_BITS = 32


class LayerGeometry(Struct, frozen=True):
    """A convolution of one image `[height][width][depth]` to `[y_height][y_width][y_depth]`.

    `top` and `left` are rows and columns of padding before the image. A `depthwise` channel of the
    result reads the same channel of the image only.
    """

    height: int
    width: int
    depth: int
    y_height: int
    y_width: int
    y_depth: int
    kernel_height: int
    kernel_width: int
    stride_y: int
    stride_x: int
    dilation_y: int
    dilation_x: int
    top: int
    left: int
    depthwise: int

    @staticmethod
    def of(scalars: Mapping[str, int]) -> LayerGeometry:
        """Return the geometry that a call has as scalars."""
        return LayerGeometry(*(scalars[name] for name in LAYER_SCALARS))

    def scalars(self) -> dict[str, int]:
        """Return the scalars of a call."""
        return {name: getattr(self, name) for name in LAYER_SCALARS}

    @property
    def macs(self) -> int:
        """The products of the convolution, those with padding included."""
        inputs = 1 if self.depthwise else self.depth
        outputs = self.y_height * self.y_width * self.y_depth
        return outputs * self.kernel_height * self.kernel_width * inputs

    def nest(self) -> LoopNest:
        """Return the loop nest: rows, columns and channels of the result; the kernel, and inputs.

        Its inputs are the image, the weights `[y_depth][kernel rows][kernel columns][depth]` (for
        depthwise layers without the last dimension), and the bias; the output is the result.
        """
        if self.depthwise:
            y, x, channel, ky, kx = induction_variables(5)
            reduction: tuple[int, ...] = (self.kernel_height, self.kernel_width)
            depth, weights = channel, (channel, ky, kx)
        else:
            y, x, channel, ky, kx, depth = induction_variables(6)
            reduction = (self.kernel_height, self.kernel_width, self.depth)
            weights = (channel, ky, kx, depth)
        row = y * self.stride_y + ky * self.dilation_y - self.top
        column = x * self.stride_x + kx * self.dilation_x - self.left
        result = (self.y_height, self.y_width, self.y_depth)
        return LoopNest(
            parallel=result,
            reduction=reduction,
            inputs=(
                OperandAccess(
                    (self.height, self.width, self.depth), (row, column, depth), clamped=True
                ),
                OperandAccess((self.y_depth, *reduction), weights),
                OperandAccess((self.y_depth,), (channel,), bits=SUM_BITS),
            ),
            outputs=(OperandAccess(result, (y, x, channel)),),
        )
