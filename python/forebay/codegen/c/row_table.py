"""A constant array with the places of rows in their pool."""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from numpy.typing import NDArray

from forebay.codegen.c.syntax.text import initialiser


class RowTable(Struct, frozen=True, eq=False):
    """A table under its name in C; its elements are of 16 or 32 bits."""

    name: str
    values: NDArray[Any]

    @property
    def text(self) -> str:
        """Return the definition of the array."""
        ctype = f"int{self.values.dtype.itemsize * 8}_t"
        values = initialiser(self.values, " " * 4)
        return f"static const {ctype} {self.name}[{self.values.size}] = {{\n{values}\n}};\n"
