"""Operands of a reference in a layout: indexed by their axes, wherever their elements lie."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from forebay.computations.layout import OperandLayout
from forebay.tracing.functions import ceil_div
from forebay.tracing.pointers import TypedPointer


def in_layouts(
    reference: Callable[..., None], layouts: Mapping[str, OperandLayout]
) -> Callable[..., None]:
    """Return a reference whose operands lie in these layouts; all others are dense."""
    changed = {name: layout for name, layout in layouts.items() if not layout.is_dense}
    if not changed:
        return reference

    @functools.wraps(reference)
    def arranged(**given: Any) -> None:
        for name, layout in changed.items():
            given[name] = _ArrangedPointer(given[name], layout)
        reference(**given)

    return arranged


class _ArrangedPointer:
    """An operand in a layout, in place of a dense `TypedPointer`."""

    def __init__(self, pointer: TypedPointer[Any], layout: OperandLayout, sizes: Any = ()) -> None:
        self._pointer = pointer
        self._layout = layout
        self._sizes = sizes

    def shaped(self, *sizes: Any) -> _ArrangedPointer:
        """Return the operand with an index per axis."""
        return _ArrangedPointer(self._pointer, self._layout, sizes)

    def __getitem__(self, index: Any) -> Any:
        pointer, at = self._at(index)
        return pointer[at]

    def __setitem__(self, index: Any, value: Any) -> None:
        pointer, at = self._at(index)
        pointer[at] = value

    def _at(self, index: Any) -> tuple[TypedPointer[Any], Any]:
        axes, parts = self._layout.axes, self._layout.parts
        if len(axes) == 1:
            return self._pointer, index  # blocks of the only axis are contiguous
        sizes = dict(zip(axes, self._sizes, strict=True))
        place = dict(zip(axes, index, strict=True))
        at = tuple(
            place[p.axis] % p.block if p.is_inside else place[p.axis] // p.block for p in parts
        )
        shape = (p.block if p.is_inside else ceil_div(sizes[p.axis], p.block) for p in parts)
        return self._pointer.shaped(*shape), at
