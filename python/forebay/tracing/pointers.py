"""Operands of a traced reference."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from forebay.tracing.errors import fail, mistake
from forebay.tracing.integers import Integer, word_of
from forebay.tracing.record import ElementAddress
from forebay.tracing.recorder import Recorder
from forebay.tracing.symbolic import Symbolic, name_of_type

_I = TypeVar("_I", bound=Integer)
_Index = Any


class TypedPointer(Generic[_I]):
    """An operand: `x[i]` reads an element, `x[i] = value` writes it.

    `x.shaped(rows, columns)` is the same memory with two indices, `x[row, column]`, row by row.
    """

    def __init__(
        self,
        recorder: Recorder,
        number: int,
        element: type[_I],
        operand: tuple[str, bool],
        sizes: tuple[Integer, ...] = (),
    ) -> None:
        self._recorder = recorder
        self._number = number
        self._element = element
        self._name, self._is_written = operand
        self._sizes = sizes

    def shaped(self, *sizes: Integer | int) -> TypedPointer[_I]:
        """Return the operand with an index per size, the last one contiguous."""
        if not sizes:
            fail(f"operand '{self._name}' is shaped by no sizes")
        inner = tuple(self._index(size, "size") for size in sizes[1:])
        operand = (self._name, self._is_written)
        return TypedPointer(self._recorder, self._number, self._element, operand, inner)

    def __getitem__(self, index: _Index) -> _I:
        number = self._recorder.load(self._address(index), self._element.width)
        return self._element(self._recorder, number)

    def __setitem__(self, index: _Index, value: _I | int) -> None:
        if not self._is_written:
            fail(f"operand '{self._name}' is written, but its access is 'in'")
        address = self._address(index)
        stored = self._element(self._recorder, self._number).operand(value, "assignment")
        self._recorder.store(address, stored.number)

    def _address(self, index: object) -> ElementAddress:
        indices: tuple[object, ...] = index if isinstance(index, tuple) else (index,)  # pyright: ignore[reportUnknownVariableType]
        if len(indices) != len(self._sizes) + 1:
            fail(
                f"operand '{self._name}' takes {len(self._sizes) + 1} indices here, but got "
                f"{len(indices)}; x.shaped(rows, columns) takes one per size"
            )
        numbers = tuple(self._index(one, "index").number for one in indices)
        return ElementAddress(self._number, numbers, tuple(size.number for size in self._sizes))

    def _index(self, value: object, what: str) -> Integer:
        if isinstance(value, Integer):
            return value
        if isinstance(value, Symbolic | bool) or not isinstance(value, int):
            fail(f"operand '{self._name}' has {name_of_type(value)} as {what}; it is an integer")
        return word_of(value, what)

    def __bool__(self) -> bool:
        raise mistake(f"operand '{self._name}' has no truth value")

    def __iter__(self) -> Any:
        fail(f"operand '{self._name}' has no known length; use for i in loop(count)")
