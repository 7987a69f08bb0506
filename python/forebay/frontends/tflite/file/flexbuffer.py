"""The options of a custom operator: a FlexBuffer that is a map of scalars."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

from forebay.frontends.errors import MalformedModel

FlexValue = bool | int | float | str
_ERRORS = (IndexError, KeyError, ValueError, TypeError, struct.error, OverflowError, MemoryError)


def flexbuffer_map(content: bytes) -> Mapping[str, FlexValue]:
    """Return the scalars of a map by name; no content is an empty map.

    Values of other kinds, such as vectors, are left out. Raises `MalformedModel` for content of
    another form.
    """
    if not content:
        return {}
    from flatbuffers import flexbuffers  # noqa: PLC0415  (few networks have such operators)

    try:
        root: Any = flexbuffers.GetRoot(bytearray(content))
        if not root.IsMap:
            raise MalformedModel("its options are no map")
        found: Any = root.AsMap
        if len(found) > len(content):
            raise MalformedModel("its options have more entries than bytes")
        named = [(found.Keys[i].AsKey, found.Values[i]) for i in range(len(found))]
        return {key: _scalar(v) for key, v in named if v.IsNumeric or v.IsBool or v.IsString}
    except _ERRORS as error:
        raise MalformedModel(f"its options cannot be read: {error}") from error


def _scalar(reference: Any) -> FlexValue:
    if reference.IsBool:
        return bool(reference.AsBool)
    if reference.IsFloat:
        return float(reference.AsFloat)
    return str(reference.AsString) if reference.IsString else int(reference.AsInt)
