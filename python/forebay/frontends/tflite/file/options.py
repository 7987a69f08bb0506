"""Operator options: a class per table of the TFLite schema that a lowering needs.

The module of an operator derives the class of its table from `OperatorOptions`. The class has the
name of the table, and the table's fields in the order of the schema up to the last one that is
needed, with its types and defaults, so that one reader serves all classes: a field's position is
its slot in the file. A value of an enumeration is the number in the file, mostly an `SchemaInt8`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

from flatbuffers import number_types
from msgspec import Struct

SchemaInt8: TypeAlias = int
SchemaInt32: TypeAlias = int
SchemaInt32s: TypeAlias = tuple[int, ...]
"""The types of fields in the file, beside `bool`, `float` (of 32 bits) and `str`."""

_KINDS: dict[str, tuple[type, Any, object]] = {
    "SchemaInt8": (int, number_types.Int8Flags, 0),
    "SchemaInt32": (int, number_types.Int32Flags, 0),
    "SchemaInt32s": (tuple, number_types.Int32Flags, ()),
    "bool": (bool, number_types.BoolFlags, False),
    "float": (float, number_types.Float32Flags, 0.0),
    "str": (str, number_types.UOffsetTFlags, ""),
}


class OperatorOptions(Struct, frozen=True):
    """The options of an operator; the subclasses that are imported are all tables that are read."""


class StoredField(NamedTuple):
    """A field of options in the file: its name in the schema, slot, types here and there."""

    name: str
    slot: int
    type: type
    kind: Any
    default: object


def stored_fields(cls: type[OperatorOptions]) -> Iterator[StoredField]:
    """Return the fields of a class of options in the order of their slots."""
    names = cls.__struct_fields__
    last = len(names) - len(cls.__struct_defaults__)
    given = dict(zip(names[last:], cls.__struct_defaults__, strict=True))
    for slot, name in enumerate(names):
        type_, kind, default = _KINDS[str(cls.__annotations__[name])]
        schema_name = "".join(word.capitalize() for word in name.split("_"))
        yield StoredField(schema_name, slot, type_, kind, given.get(name, default))


class VarHandleOptions(OperatorOptions, frozen=True):
    """VAR_HANDLE."""

    container: str
    shared_name: str


class CallOnceOptions(OperatorOptions, frozen=True):
    """CALL_ONCE."""

    init_subgraph_index: SchemaInt32


class ConcatenationOptions(OperatorOptions, frozen=True):
    """CONCATENATION."""

    axis: SchemaInt32
    fused_activation_function: SchemaInt8
