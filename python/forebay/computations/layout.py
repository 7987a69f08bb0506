"""The layout of the elements of an operand: the order of its axes, and axes in blocks.

`"columns/16 depth columns%16"` has blocks of 16 columns: the outer axis counts blocks, then comes
the depth, and the 16 columns of a block are contiguous. Axes without blocks are plain names, as in
`"depth columns"`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

_PART = re.compile(r"(\w+)(?:([/%])(\d+))?")
_T = TypeVar("_T", bound=np.generic)


@dataclass(frozen=True)
class LayoutPart:
    """An axis, the number of the block on an axis, or the number inside of a block."""

    axis: str
    block: int = 1
    is_inside: bool = False

    def size(self, extent: int) -> int:
        """Return the size of the part for an axis of this extent."""
        return self.block if self.is_inside else -(-extent // self.block)


@dataclass(frozen=True)
class OperandLayout:
    """The parts of a layout, the last one contiguous, and the axes of the operand in its own order.

    Raises `ValueError` for parts that are not those of the axes.
    """

    axes: tuple[str, ...]
    parts: tuple[LayoutPart, ...]

    @staticmethod
    def of(text: str, axes: Sequence[str]) -> OperandLayout:
        """Parse a layout."""
        return OperandLayout(tuple(axes), tuple(map(_part, text.split())))

    @staticmethod
    def dense(axes: Sequence[str]) -> OperandLayout:
        """Return the layout without blocks in the order of the axes."""
        return OperandLayout(tuple(axes), tuple(map(LayoutPart, axes)))

    def __post_init__(self) -> None:
        """Check that every axis is there, once or as blocks and inside of them."""
        for part in self.parts:
            if part.axis not in self.axes:
                raise ValueError(f"'{part.axis}' is none of the axes {', '.join(self.axes)}")
        for axis in self.axes:
            of_it = [part for part in self.parts if part.axis == axis]
            sizes = {part.block for part in of_it}
            kinds = sorted(part.is_inside for part in of_it)
            blocked = len(sizes) == 1 and kinds == [False, True]
            if not blocked and (sizes, kinds) != ({1}, [False]):
                raise ValueError(
                    f"axis '{axis}' must be there once, as '{axis}', or in blocks of one size, as "
                    f"'{axis}/16' and '{axis}%16'"
                )

    @property
    def is_dense(self) -> bool:
        """Return whether the elements lie in the order of the axes."""
        return self == OperandLayout.dense(self.axes)

    @property
    def blocks(self) -> Mapping[str, int]:
        """The block of each axis that has blocks."""
        return {part.axis: part.block for part in self.parts if part.is_inside}

    def shape(self, extents: Mapping[str, int]) -> tuple[int, ...]:
        """Return the shape of an operand whose axes have these extents."""
        return tuple(part.size(extents[part.axis]) for part in self.parts)

    def split_shape(self, extents: Mapping[str, int]) -> tuple[int, ...]:
        """Return the shape with each axis of blocks split in two, in the order of the axes."""
        return tuple(part.size(extents[part.axis]) for part in self._split())

    def order(self) -> tuple[int, ...]:
        """Return, for each part, its index in the split shape."""
        split = self._split()
        return tuple(split.index(part) for part in self.parts)

    def arranged(self, elements: NDArray[_T], blocks: Mapping[str, int], fill: int) -> NDArray[_T]:
        """Return elements, which have the operand's axes, in this layout.

        `blocks` has the block of each axis that is filled up to whole blocks.
        """
        extents = dict(zip(self.axes, elements.shape, strict=True))
        border = [(0, -extents[axis] % blocks.get(axis, 1)) for axis in self.axes]
        whole = np.pad(elements, border, constant_values=fill)
        split = whole.reshape(self.split_shape(rounded(extents, blocks)))
        return np.ascontiguousarray(split.transpose(self.order()))

    def _split(self) -> list[LayoutPart]:
        return [
            part
            for axis in self.axes
            for part in sorted(self.parts, key=lambda part: part.is_inside)
            if part.axis == axis
        ]


def common_blocks(layouts: Sequence[OperandLayout]) -> Mapping[str, int]:
    """Return the block of each axis that has blocks in any layout.

    Raises `ValueError` if an axis has blocks of two sizes.
    """
    blocks: dict[str, int] = {}
    for layout in layouts:
        for axis, block in layout.blocks.items():
            if blocks.setdefault(axis, block) != block:
                raise ValueError(f"axis '{axis}' has blocks of {blocks[axis]} and of {block}")
    return blocks


def rounded(extents: Mapping[str, int], blocks: Mapping[str, int]) -> dict[str, int]:
    """Return extents with those of blocked axes rounded up to whole blocks."""
    return {a: math.ceil(n / blocks.get(a, 1)) * blocks.get(a, 1) for a, n in extents.items()}


def _part(text: str) -> LayoutPart:
    found = _PART.fullmatch(text)
    if found is None or (found[3] is not None and int(found[3]) < 2):
        raise ValueError(
            f"'{text}' is no part of a layout; the parts of blocks of 16 are 'axis/16', 'axis%16'"
        )
    axis, kind, block = found.groups()
    return LayoutPart(axis) if kind is None else LayoutPart(axis, int(block), kind == "%")
