"""Windows that slide over the rows and columns of an image, on traced integers."""

from __future__ import annotations

from forebay.computations.computation import SlidingAxis
from forebay.computations.requantised import Scalar
from forebay.tracing.functions import ceil_div, maximum, minimum
from forebay.tracing.integers import Int32

ROWS = SlidingAxis("y_height", "kernel_height", "stride_y", "dilation_y", "top")
COLUMNS = SlidingAxis("y_width", "kernel_width", "stride_x", "dilation_x", "left")


def window_inside(
    first: Int32, size: Scalar, kernel: Scalar, dilation: Scalar
) -> tuple[Int32, Int32]:
    """Return the range of a kernel that is inside of an image of this size.

    The window begins at `first`, which is negative where the image is padded.
    """
    if isinstance(dilation, int) and dilation == 1:
        return maximum(-first, 0), minimum(size - first, kernel)
    start = ceil_div(maximum(-first, 0), dilation)
    return start, minimum(ceil_div(maximum(size - first, 0), dilation), kernel)
