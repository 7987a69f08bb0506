"""Read flatbuffers by the generated `tflite` accessors, which are untyped and unchecked.

No other file uses these accessors. A `Table` reads fields by their schema names and turns the
exceptions of the accessors on a broken file into `MalformedModel`. All vectors and strings are
charged to one budget, which is proportional to the file's size. So a file whose offsets all point
at the same long vector costs no more time than a valid file.
"""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
import tflite
from flatbuffers import number_types
from numpy.typing import NDArray

from forebay.frontends.errors import MalformedModel

_Record = TypeVar("_Record")
_IDENTIFIER = b"TFL3"
_SMALLEST_FILE = 8
_ACCESSOR_ERRORS = (struct.error, IndexError, ValueError, TypeError, OverflowError)


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

    def integer(self, field: str) -> int:
        """Return a scalar or enumeration field."""
        with _checked(field):
            return int(getattr(self._accessor, field)())

    def stored(self, slot: int, default: int = 0) -> int:
        """Return the 32-bit integer stored in a slot of the table, bypassing the accessor."""
        with _checked(f"slot {slot}"):
            position: int = self._accessor._tab.Offset(4 + 2 * slot)
            if position == 0:
                return default
            kind = number_types.Int32Flags
            return int(self._accessor._tab.Get(kind, position + self._accessor._tab.Pos))

    def number(self, field: str) -> float:
        """Return a floating-point field."""
        with _checked(field):
            return float(getattr(self._accessor, field)())

    def text(self, field: str) -> str:
        """Return a string field; an absent one is empty."""
        with _checked(field):
            value = getattr(self._accessor, field)()
            if value is None:
                return ""
            self._budget.charge(len(value), field)
            return bytes(value).decode("utf-8", errors="replace")

    def integers(self, field: str) -> tuple[int, ...]:
        """Return a vector of integers; an absent one is empty."""
        return tuple(int(x) for x in self._vector(field))

    def numbers(self, field: str) -> tuple[float, ...]:
        """Return a vector of floating-point numbers; an absent one is empty."""
        return tuple(float(x) for x in self._vector(field))

    def data(self, field: str) -> NDArray[np.uint8]:
        """Return a vector of bytes, as a view of the file."""
        with _checked(field):
            if getattr(self._accessor, f"{field}Length")() == 0:
                return np.empty(0, np.uint8)
            return getattr(self._accessor, f"{field}AsNumpy")()

    def table(self, field: str) -> Table | None:
        """Return a table field, or None where it is absent."""
        with _checked(field):
            value = getattr(self._accessor, field)()
        return None if value is None else Table(value, self._budget)

    def tables(self, field: str) -> list[Table]:
        """Return a vector of tables."""
        with _checked(field):
            length = getattr(self._accessor, f"{field}Length")()
            self._budget.charge(length, field)
            accessor = getattr(self._accessor, field)
            return [Table(accessor(i), self._budget) for i in range(length)]

    def union(self, field: str, table_name: str) -> Table | None:
        """Return a union field that holds a table of that name, or None where it is absent."""
        with _checked(field):
            value = getattr(self._accessor, field)()
            if value is None:
                return None
            accessor = getattr(tflite, table_name)()
            accessor.Init(value.Bytes, value.Pos)
        return Table(accessor, self._budget)

    def record(self, cls: type[_Record]) -> _Record:
        """Return a dataclass with the fields of the table: `stride_w` is read from `StrideW`."""
        annotated = dataclasses.fields(cls)  # pyright: ignore[reportArgumentType]
        return cls(**{f.name: self._annotated(f.name, str(f.type)) for f in annotated})

    def _annotated(self, name: str, annotation: str) -> object:
        field = "".join(word.capitalize() for word in name.split("_"))
        match annotation:
            case "bool":
                return bool(self.integer(field))
            case "float":
                return self.number(field)
            case "str":
                return self.text(field)
            case "tuple[int, ...]":
                return self.integers(field)
            case _:
                return self.integer(field)

    def _vector(self, field: str) -> NDArray[np.generic]:
        with _checked(field):
            length = getattr(self._accessor, f"{field}Length")()
            self._budget.charge(length, field)
            if length == 0:
                return np.empty(0, np.int32)
            return getattr(self._accessor, f"{field}AsNumpy")()


def root(file: bytes) -> Table:
    """Return the `Model` table of a file."""
    if len(file) < _SMALLEST_FILE or file[4:8] != _IDENTIFIER:
        raise MalformedModel("this is no TFLite model: its bytes 4 to 8 are not 'TFL3'")
    with _checked("Model"):
        return Table(tflite.Model.GetRootAs(file, 0), Budget(len(file)))


def enumeration(name: str) -> dict[int, str]:
    """Return the names of a schema enumeration by their number."""
    return {v: k for k, v in vars(getattr(tflite, name)).items() if isinstance(v, int)}


@contextmanager
def _checked(field: str) -> Generator[None]:
    try:
        yield
    except _ACCESSOR_ERRORS as error:
        raise MalformedModel(f"'{field}' cannot be read: {error}") from error
