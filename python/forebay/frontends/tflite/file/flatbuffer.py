"""Read tables of a flatbuffer by the library's untyped and unchecked functions.

No other file uses these functions. A `Table` reads fields by their slots and turns the exceptions
of the library on a broken file into `MalformedModel`. All vectors and strings are charged to one
budget, which is proportional to the file's size. So a file whose offsets all point at the same long
vector costs no more time than a valid file.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from flatbuffers import encode, number_types, packer
from flatbuffers.table import Table as Accessor
from msgspec import Struct
from numpy.typing import NDArray

from forebay.frontends.errors import MalformedModel
from forebay.frontends.tflite.file.options import OperatorOptions, StoredField, stored_fields

_Options = TypeVar("_Options", bound=OperatorOptions)
_Value = TypeVar("_Value")
_IDENTIFIER = b"TFL3"
_SMALLEST_FILE = 8
_ACCESSOR_ERRORS = (struct.error, IndexError, ValueError, TypeError, OverflowError)
_FIRST_ENTRY = 4
"""The first slot's entry in a table's list of offsets, after the sizes of the list and table."""


class Field(Struct, frozen=True):
    """A field of a table: its name, its slot, and the type of its number or of its elements."""

    name: str
    slot: int
    kind: Any = number_types.UOffsetTFlags
    default: Any = 0


class Budget:
    """A limit of the number of vector elements that may still be read from a file."""

    def __init__(self, file_bytes: int) -> None:
        self._left = 4 * file_bytes + 4096

    def charge(self, elements: int, field: str) -> None:
        """Take `elements` off the budget, or raise `MalformedModel` if it is exceeded."""
        self._left -= elements
        if self._left < 0:
            raise MalformedModel(f"{field} makes the file's vectors longer than the file itself")


class Table:
    """One table of the file."""

    def __init__(self, accessor: Any, budget: Budget) -> None:
        self._accessor = accessor
        self._budget = budget

    def integer(self, field: Field) -> int:
        """Return a scalar or enumeration field."""
        return int(self._scalar(field))

    def text(self, field: Field) -> str:
        """Return a string field; an absent one is empty."""

        def read(offset: int) -> str:
            value: bytes = self._accessor.String(offset + self._accessor.Pos)
            self._budget.charge(len(value), field.name)
            return value.decode("utf-8", errors="replace")

        return self._read(field, read, "")

    def integers(self, field: Field) -> tuple[int, ...]:
        """Return a vector of integers; an absent one is empty."""
        return tuple(self._vector(field).tolist())

    def numbers(self, field: Field) -> tuple[float, ...]:
        """Return a vector of floating-point numbers; an absent one is empty."""
        return tuple(self._vector(field).tolist())

    def data(self, field: Field) -> NDArray[np.uint8]:
        """Return a vector of bytes, as a view of the file."""

        def read(offset: int) -> NDArray[np.uint8]:
            if self._accessor.VectorLen(offset) == 0:
                return np.empty(0, np.uint8)
            return self._accessor.GetVectorAsNumpy(number_types.Uint8Flags, offset)

        return self._read(field, read, np.empty(0, np.uint8))

    def table(self, field: Field) -> Table | None:
        """Return a table field, or that of a union; None where it is absent."""

        def read(offset: int) -> Table:
            return self._at(self._accessor.Indirect(offset + self._accessor.Pos))

        return self._read(field, read, None)

    def tables(self, field: Field) -> list[Table]:
        """Return a vector of tables."""

        def read(offset: int) -> list[Table]:
            length: int = self._accessor.VectorLen(offset)
            self._budget.charge(length, field.name)
            first: int = self._accessor.Vector(offset)
            size = number_types.UOffsetTFlags.bytewidth
            return [self._at(self._accessor.Indirect(first + i * size)) for i in range(length)]

        return self._read(field, read, [])

    def options(self, cls: type[_Options]) -> _Options:
        """Return the table as the options of an operator."""
        return cls(*(self._stored(field) for field in stored_fields(cls)))

    def _stored(self, stored: StoredField) -> object:
        field = Field(stored.name, stored.slot, stored.kind, stored.default)
        if stored.type is str:
            return self.text(field)
        if stored.type is tuple:
            return self.integers(field)
        return stored.type(self._scalar(field))

    def _scalar(self, field: Field) -> Any:
        def read(offset: int) -> Any:
            return self._accessor.Get(field.kind, offset + self._accessor.Pos)

        return self._read(field, read, field.default)

    def _vector(self, field: Field) -> NDArray[np.generic]:
        def read(offset: int) -> NDArray[np.generic]:
            length: int = self._accessor.VectorLen(offset)
            self._budget.charge(length, field.name)
            if length == 0:
                return np.empty(0, np.int32)
            return self._accessor.GetVectorAsNumpy(field.kind, offset)

        return self._read(field, read, np.empty(0, np.int32))

    def _at(self, position: int) -> Table:
        return Table(Accessor(self._accessor.Bytes, position), self._budget)

    def _read(self, field: Field, read: Callable[[int], _Value], absent: _Value) -> _Value:
        """Return what `read` finds at the field's offset in the table, or `absent`."""
        try:
            offset: int = self._accessor.Offset(_FIRST_ENTRY + 2 * field.slot)
            return read(offset) if offset else absent
        except _ACCESSOR_ERRORS as error:
            size = len(self._accessor.Bytes)
            raise MalformedModel(
                f"'{field.name}' cannot be read: {error}; the file of {size:,} bytes is incomplete "
                "or damaged, so copy or export it again"
            ) from error


def root(file: bytes) -> Table:
    """Return the `Model` table of a file."""
    if len(file) < _SMALLEST_FILE or file[4:8] != _IDENTIFIER:
        raise MalformedModel("this is no TFLite model: its bytes 4 to 8 are not 'TFL3'")
    return Table(Accessor(file, encode.Get(packer.uoffset, file, 0)), Budget(len(file)))
