"""The entries of dictionaries and arrays, by number.

The bindings have no iterator of a dictionary, and those of arrays end with an exception in C++,
which takes longer than ten entries.
"""

from __future__ import annotations

from mlir import ir


def named_attributes(attributes: ir.Attribute) -> dict[str, ir.Attribute]:
    """Return the entries of a dictionary attribute."""
    entries = ir.DictAttr(attributes)
    return {entries[i].name: entries[i].attr for i in range(len(entries))}


def integers_of(array: ir.DenseI64ArrayAttr) -> tuple[int, ...]:
    """Return the integers of an `array<i64: ...>`."""
    return tuple([array[number] for number in range(len(array))])


def entries_of(array: ir.ArrayAttr) -> list[ir.Attribute]:
    """Return the attributes of an array."""
    return [array[number] for number in range(len(array))]
