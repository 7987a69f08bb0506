"""Blocks of tensors and buffers: offsets, sizes and strides, each a constant or an operand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mlir import ir
from msgspec import Struct

from forebay.reference.errors import UnsupportedError
from forebay.reference.registry import Frame
from forebay.reference.types import shape_of

if TYPE_CHECKING:
    from forebay.reference.program import Scope


class Slice(Struct, frozen=True, eq=False):
    """A block; a constant is stored as a number, an operand as a list with its slot."""

    op: Any
    offsets: tuple[int | list[int], ...]
    sizes: tuple[int | list[int], ...]
    strides: tuple[int | list[int], ...]

    @staticmethod
    def of(op: Any, scope: Scope) -> Slice:
        """Return the block of an op with mixed offsets, sizes and strides."""
        parts = [
            _mixed(op.operation.attributes[f"static_{name}"], scope.slots(getattr(op, name)))
            for name in ("offsets", "sizes", "strides")
        ]
        return Slice(op, *parts)

    def index(self, frame: Frame, shape: Sequence[int]) -> tuple[slice, ...]:
        """Return the NumPy index; raises `UnsupportedError` if the block leaves the shape."""
        found: list[slice] = []
        for offset, size, stride, extent in zip(
            *(self._known(part, frame) for part in (self.offsets, self.sizes, self.strides)),
            shape,
            strict=True,
        ):
            end = offset + (size - 1) * stride + 1 if size else offset
            if offset < 0 or end > extent:
                raise UnsupportedError(self.op, "names a block outside of its operand")
            found.append(slice(offset, end, stride))
        return tuple(found)

    def kept(self, type_: ir.Type) -> list[int]:
        """Return the axes of the block that the result keeps; it may drop axes of size 1."""
        wanted = list(shape_of(type_))
        kept: list[int] = []
        for axis, size in enumerate(self.sizes):
            same = wanted and (size == wanted[0] or not isinstance(size, int))
            if same and len(wanted) <= len(self.sizes) - axis:
                kept.append(axis)
                wanted.pop(0)
        return kept

    @staticmethod
    def _known(part: Sequence[int | list[int]], frame: Frame) -> list[int]:
        return [n if isinstance(n, int) else int(frame[n[0]]) for n in part]


def _mixed(static: Any, slots: Sequence[int]) -> tuple[int | list[int], ...]:
    """Return the static numbers, with a list of a slot for each dynamic one."""
    dynamic = iter(slots)
    unknown = ir.ShapedType.get_dynamic_stride_or_offset()
    return tuple([next(dynamic)] if number == unknown else number for number in static)
