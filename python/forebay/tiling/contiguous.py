"""The contiguous runs of a box in an array: what a device that writes one range needs calls for.

array of 4 rows of 6       box of 2 rows of 3        2 runs
. . . . . .                . . . . . .               row 1, columns 2 to 4
. . # # # .                of 2 rows of 6            row 2, columns 2 to 4
. . # # # .                # # # # # #               1 run
. . . . . .                # # # # # #
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from forebay.regions import Box, cuts


def outer_axes(sizes: Sequence[int], shape: Sequence[int]) -> int:
    """Return the number of leading axes along which a box of these sizes is not contiguous."""
    axis = len(sizes) - 1
    while axis > 0 and sizes[axis] == shape[axis]:
        axis -= 1
    outer = sizes[: max(axis, 0)]
    return next((n + 1 for n in reversed(range(len(outer))) if outer[n] > 1), 0)


def contiguous_runs(box: Box, shape: Sequence[int]) -> Iterator[Box]:
    """Yield the largest contiguous parts of a box in an array of this shape, in their order."""
    outer = outer_axes(box.sizes, shape)
    for spans in itertools.product(*(list(cuts(span, 1)) for span in box.spans[:outer])):
        yield Box((*spans, *box.spans[outer:]))
