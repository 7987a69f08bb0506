"""The elements of an operand that a part of a loop nest accesses.

For the first rows of a convolution with a kernel of 3 rows and one row of padding::

    rows of the image    -1   0   1   2   3   4 ...
    window               |------------------|          what a kernel of 3 rows lies on
    box                       |-------------|          what is read
    padding               1 before, 0 after

The window of an image with stride 2 and a kernel of one row is every other row: its box is not
tight.
"""

from __future__ import annotations

from collections.abc import Sequence

from forebay.regions.box import Box, Span
from forebay.regions.loop_nest import LoopNest, OperandAccess
from forebay.regions.point_set import PointSet
from forebay.support.records import record


@record
class Padding:
    """The numbers of positions of a window before the first element, and after the last one."""

    before: int
    after: int


@record
class OperandRegion:
    """The elements of an operand that a set of points accesses.

    `window` is the smallest box around the indices of all points; it may reach out of the operand.
    `box` is the smallest box around the elements that are accessed, and `elements` their number.
    """

    access: OperandAccess
    window: Box
    box: Box
    elements: int

    @property
    def is_tight(self) -> bool:
        """Return whether every element of the box is accessed."""
        return self.elements == self.box.elements

    @property
    def inside(self) -> Box:
        """The part of the window that is inside of the operand."""
        return self.window.intersect(Box.of(self.access.shape))

    @property
    def padding(self) -> tuple[Padding, ...]:
        """The part of the window that is outside of the operand, per dimension."""
        return tuple(map(padding_of, self.window.spans, self.access.shape))

    @property
    def bytes(self) -> int:
        """The bytes of the box, stored densely."""
        return self.box.bytes(self.access.bits)

    @property
    def window_bytes(self) -> int:
        """The bytes of the window, padding included, stored densely."""
        return self.window.bytes(self.access.bits)


def padding_of(window: Span, size: int) -> Padding:
    """Return what of a window is outside of `[0, size)`."""
    before = min(window.size, max(0, -window.start))
    return Padding(before, min(window.size - before, max(0, window.stop - size)))


def input_regions(nest: LoopNest, at: Box | None = None) -> tuple[OperandRegion, ...]:
    """Return the region of each input for a box of the domain; for the whole domain by default."""
    return _regions(nest.inputs, PointSet(at or nest.domain), nest.points(at))


def output_regions(nest: LoopNest, at: Box | None = None) -> tuple[OperandRegion, ...]:
    """Return the region of each output for a box of the domain."""
    points = PointSet(at or nest.domain)
    return _regions(nest.outputs, points, points)


def input_boxes(nest: LoopNest, at: Box) -> tuple[Box, ...]:
    """Return only the boxes of `input_regions`, which takes half of the time."""
    points, valid = PointSet(at), nest.points(at)
    return tuple(_box(access, valid if access.clamped else points) for access in nest.inputs)


def output_boxes(nest: LoopNest, at: Box) -> tuple[Box, ...]:
    """Return only the boxes of `output_regions`."""
    return tuple(_box(access, PointSet(at)) for access in nest.outputs)


def inputs_of(nest: LoopNest, result: Box, output: int = 0) -> tuple[OperandRegion, ...]:
    """Return the region of each input that a box of an output needs.

    The answer is exact also where no box of the domain computes this box of the output.
    """
    points = nest.points_of(result, output)
    valid = PointSet(points.box, (*points.constraints, *nest.points().constraints))
    return _regions(nest.inputs, points, valid)


def _regions(
    accesses: Sequence[OperandAccess], points: PointSet, valid: PointSet
) -> tuple[OperandRegion, ...]:
    return tuple(_region(a, points, valid if a.clamped else points) for a in accesses)


def _region(access: OperandAccess, points: PointSet, accessed: PointSet) -> OperandRegion:
    window = Box(tuple(map(points.values, access.index)))
    box = _box(access, accessed)
    return OperandRegion(access, window, box, accessed.distinct(access.index, box))


def _box(access: OperandAccess, accessed: PointSet) -> Box:
    return Box(tuple(map(accessed.values, access.index)))
