"""Parsing and type checks of the JSON fields of pools, buffers and separations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar, cast

from forebay.planning.model.buffer import Buffer, Interval, Kind
from forebay.planning.model.errors import FormatError
from forebay.planning.model.pool import ByteRange, Pool
from forebay.planning.model.separation import Separation

Fields = dict[str, Any]
Read = Callable[[Any], Any]
Made = TypeVar("Made", Pool, Buffer, Separation)


def make(kind: type[Made], entry: Fields) -> Made:
    """Make a pool, buffer or separation from a JSON object.

    Raises `FormatError`, which names the object and the field, when a field is wrong.
    """
    who = str(entry.get("name", entry.get("first", f"a {kind.__name__.lower()}")))
    readers = READERS[kind]
    for key in entry:
        if key not in readers:
            raise FormatError(f"'{who}': unknown field '{key}'; known: {', '.join(readers)}")
    for field in fields(kind):
        if field.default is MISSING and field.name not in entry:
            raise FormatError(f"'{who}': needs '{field.name}'")
    values: Fields = {}
    for key, value in entry.items():
        try:
            values[key] = readers[key](value)
        except (TypeError, ValueError) as error:
            raise FormatError(f"'{who}': '{key}' must be {error}, not {value!r}") from error
    return kind(**values)


def pair(value: Any) -> tuple[str, str]:
    """Parse a list of two names; raise `FormatError` for anything else."""
    try:
        first, second = texts(value)
    except (TypeError, ValueError) as error:
        raise FormatError(f"a conflict is a pair of names, not {value!r}") from error
    return first, second


def texts(value: Any) -> tuple[str, ...]:
    """Parse a list of strings."""
    return tuple(_text(each) for each in _list(value, "a list of text"))


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(what)
    return cast(list[Any], value)


def _integer(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("an integer")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text")
    return value


def _integers(value: Any) -> tuple[int, ...]:
    return tuple(_integer(each) for each in _list(value, "a list of integers"))


def _pairs(value: Any) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for each in _list(value, "a list of [start, end]"):
        bounds = _integers(each)
        if len(bounds) != 2:
            raise ValueError("a list of [start, end]")
        found.append((bounds[0], bounds[1]))
    return found


def _ranges(value: Any) -> tuple[ByteRange, ...]:
    return tuple(ByteRange(*bounds) for bounds in _pairs(value))


def _intervals(value: Any) -> tuple[Interval, ...]:
    return tuple(Interval(*bounds) for bounds in _pairs(value))


def _kind(value: Any) -> Kind:
    known = [kind.value for kind in Kind]
    if value not in known:
        raise ValueError(f"one of {', '.join(known)}")
    return Kind(value)


def _or_null(read: Read) -> Read:
    return lambda value: None if value is None else read(value)


READERS: Mapping[type, Mapping[str, Read]] = {
    Pool: {
        "name": _text,
        "capacity": _or_null(_integer),
        "alignment": _integer,
        "reserved": _ranges,
        "start": _integer,
        "base": _or_null(_integer),
        "unit": _integer,
        "cost": _or_null(_integer),
        "weight": _integer,
        "banks": _integer,
    },
    Buffer: {
        "name": _text,
        "size": _integer,
        "lifetime": _intervals,
        "candidates": texts,
        "alignment": _or_null(_integer),
        "kind": _kind,
        "pinned_pool": _or_null(_text),
        "pinned_offset": _or_null(_integer),
        "pinned_by": texts,
        "alias": _or_null(_text),
        "costs": _or_null(_integers),
        "origin": _text,
    },
    Separation: {
        "first": _text,
        "second": _text,
        "shared_byte": _integer,
        "same_bank": _integer,
    },
}
