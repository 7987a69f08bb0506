"""Changes between a dense tensor and a layout, as operations of the host."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mlir import ir

from forebay.computations.layout import OperandLayout, rounded
from forebay.targets.description.emit import Emit


@dataclass(frozen=True)
class LayoutChange:
    """A tensor whose axes have these extents, and the layout in which a call takes it.

    `blocks` has the block of each axis that is filled up to whole blocks.
    """

    layout: OperandLayout
    extents: Mapping[str, int]
    blocks: Mapping[str, int]

    @property
    def key(self) -> str:
        """A text that is equal for changes that give the same elements in the same places."""
        axes = self.layout.axes
        parts = [f"{axes.index(p.axis)}/{p.block}/{int(p.is_inside)}" for p in self.layout.parts]
        sizes = [
            f"{self.extents[axis]}+{after}" for axis, after in zip(axes, self._missing, strict=True)
        ]
        return " ".join((*parts, "of", *sizes))

    def made(self, value: ir.Value, fill: int, emit: Emit) -> ir.Value:
        """Return a tensor of any shape in the layout; `fill` fills incomplete blocks."""
        dense = emit.reshape(value, [self.extents[axis] for axis in self.layout.axes])
        whole = emit.pad(dense, [0] * len(self.extents), self._missing, fill)
        split = emit.reshape(whole, self.layout.split_shape(self._whole))
        return emit.transpose(split, self.layout.order())

    def undone(self, value: ir.Value, emit: Emit) -> ir.Value:
        """Return a tensor that is in the layout as a dense one."""
        order = self.layout.order()
        split = emit.transpose(value, [order.index(part) for part in range(len(order))])
        whole = emit.reshape(split, [self._whole[axis] for axis in self.layout.axes])
        return emit.pad(whole, [0] * len(self.extents), [-count for count in self._missing], 0)

    @property
    def _whole(self) -> Mapping[str, int]:
        return rounded(self.extents, self.blocks)

    @property
    def _missing(self) -> list[int]:
        return [self._whole[axis] - self.extents[axis] for axis in self.layout.axes]


def extents_of(layout: OperandLayout, scalars: Mapping[str, int]) -> Mapping[str, int]:
    """Return the extents of a layout's axes, which are scalars."""
    return {axis: scalars[axis] for axis in layout.axes}
