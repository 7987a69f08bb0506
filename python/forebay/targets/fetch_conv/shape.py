"""Classify convolutions for the machine: pointwise ones, and those whose kernel is folded."""

from __future__ import annotations

from msgspec import Struct

from forebay.api import operators
from forebay.api.operators import Pair, Window

Weighted = operators.Convolution | operators.Depthwise
_LARGEST_KERNEL = 7


class Folded(Struct, frozen=True):
    """A convolution of which `by` rows and columns at a time are folded into channels.

    With a stride of 2, two rows of a source form one row with twice the channels, and a kernel of
    10 rows becomes a kernel of 5 rows with stride 1:

        rows     0 1 2 3 4 5 ...      kernel 0 .. 9 at stride 2
        folded  |0 1|2 3|4 5|...      kernel 0 .. 4 at stride 1
    """

    by: Pair
    kernel: Pair
    stride: Pair


def folded(view: Weighted) -> Folded:
    """Fold each direction by its stride if the kernel is too large and the convolution is dense."""
    window = view.window
    by = tuple(
        stride if kernel > _LARGEST_KERNEL and _is_dense(view) else 1
        for kernel, stride in zip(window.kernel, window.stride, strict=True)
    )
    kernel = tuple(-(-size // fold) for size, fold in zip(window.kernel, by, strict=True))
    stride = tuple(step // fold for step, fold in zip(window.stride, by, strict=True))
    return Folded(by, kernel, stride)


def is_pointwise(view: Weighted) -> bool:
    """Return whether each vector of channels is multiplied alone, so that images may be joined."""
    return view.window == Window((1, 1))


def _is_dense(view: Weighted) -> bool:
    """Return whether every output channel reads all input channels (of which there may be one)."""
    return isinstance(view, operators.Convolution) or operators.shape_of(view.source)[3] == 1
