"""Messages about wrong documents, made from those of msgspec.

msgspec says what is wrong with one value and gives its path, for example "Expected `int`, got `str`
- at `$.buffers[3].size`". The value and the names that are allowed there are looked up in the data
and in the type of the document.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, cast

from msgspec import UNSET, Struct, inspect

_AT = re.compile(r"(?P<what>.*) - at `(?P<path>\$.*)`", re.DOTALL)
_STEP = re.compile(r"\.(?P<field>\w+)|\[(?P<index>\d+|\.\.\.)\]")
_BYTE = re.compile(r"(?P<what>.*) \(byte (?P<byte>\d+)\)")
_QUOTED = re.compile(r"`([^`]*)`")
_WORDS = {
    "int": "an integer",
    "float": "a number",
    "str": "a string",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
}
_LONGEST = 60
"""Characters of a wrong value in a message."""


def wrong(message: str, data: Any, kind: type) -> str:
    """Return what is wrong in `data`, which should be of type `kind`, and where."""
    at = _AT.fullmatch(message)
    what, path = (at["what"], at["path"]) if at else (message, "$")
    found = _find(path, data, kind)
    where = "the document" if path == "$" else path
    named = "" if found.name is None else f" ('{found.name}')"
    return f"{where}{named} {_predicate(what, found)}"


def malformed(text: str, message: str) -> str:
    """Return why a text is not JSON, with its line and column."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f"line {error.lineno}, column {error.colno}: {error.msg}"
    except (ValueError, RecursionError):
        return message
    at = _BYTE.fullmatch(message)
    if at is None:  # the only text without a position that Python's parser accepts
        return "an escape \\ud800 to \\udfff is not half of a pair"
    before = text.encode()[: int(at["byte"])].decode()
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return f"line {line}, column {column}: {at['what'].removeprefix('JSON is malformed: ')}"


class _Found(Struct, frozen=True):
    """A value, its possible types, and the name of the innermost named object around it.

    `value` is UNSET when the path does not give the key that leads to it.
    """

    value: Any
    types: tuple[inspect.Type, ...]
    name: str | None = None


def _find(path: str, data: Any, kind: type) -> _Found:
    found = _Found(data, tuple(_alternatives(inspect.type_info(kind))), _name_of(data))
    for step in _STEP.finditer(path):
        value = _entry(found.value, step["field"] or step["index"])
        types = tuple(each for kind in found.types for each in _inside(kind, step["field"]))
        found = _Found(value, types, _name_of(value) or found.name)
    return found


def _entry(value: Any, key: str) -> Any:
    if isinstance(value, dict):
        return cast("dict[str, Any]", value).get(key, UNSET)
    return cast("list[Any]", value)[int(key)] if isinstance(value, list) else UNSET


def _name_of(value: Any) -> str | None:
    name = cast("dict[str, Any]", value).get("name") if isinstance(value, dict) else None
    return name if isinstance(name, str) else None


def _alternatives(kind: inspect.Type) -> Iterator[inspect.Type]:
    """Yield the types of a union, without metadata."""
    if isinstance(kind, inspect.Metadata):
        yield from _alternatives(kind.type)
    elif isinstance(kind, inspect.UnionType):
        for each in kind.types:
            yield from _alternatives(each)
    else:
        yield kind


def _inside(kind: inspect.Type, name: str | None) -> Iterator[inspect.Type]:
    """Yield the types of a field, or those of the entries of a list or dictionary."""
    if isinstance(kind, inspect.StructType):
        for field in kind.fields:
            if field.encode_name == name:
                yield from _alternatives(field.type)
    elif isinstance(kind, inspect.VarTupleType):
        yield from _alternatives(kind.item_type)
    elif isinstance(kind, inspect.TupleType):
        for each in kind.item_types:
            yield from _alternatives(each)
    elif isinstance(kind, inspect.DictType):
        yield from _alternatives(kind.value_type)


def _predicate(what: str, found: _Found) -> str:
    """Return the message about a value in the form of a predicate."""
    quoted = _QUOTED.findall(what)
    if what.startswith("Object contains unknown field"):
        return f"has the unknown field '{quoted[0]}'; known: {', '.join(_fields(found.types))}"
    if what.startswith("Object missing required field"):
        return f"needs '{quoted[0]}'"
    if what.startswith("Invalid enum value"):
        return f"must be one of {', '.join(_literals(found.types))}{_instead(found.value)}"
    if what.startswith("Expected"):
        rule = what.removeprefix("Expected ").partition(", got")[0]
        words = _QUOTED.sub(lambda match: _or(map(_word, match[1].split(" | "))), rule)
        return f"must be {words}{_instead(found.value)}"
    return f"is wrong: {what}"


def _word(name: str) -> str:
    return _WORDS.get(name, name)


def _or(words: Iterator[str]) -> str:
    return " or ".join(words)


def _fields(types: tuple[inspect.Type, ...]) -> Iterator[str]:
    for kind in types:
        if isinstance(kind, inspect.StructType):
            yield from (field.encode_name for field in kind.fields)


def _literals(types: tuple[inspect.Type, ...]) -> Iterator[str]:
    for kind in types:
        if isinstance(kind, inspect.LiteralType):
            yield from (json.dumps(value) for value in kind.values)


def _instead(value: Any) -> str:
    if value is UNSET:
        return ""
    text = json.dumps(value)
    return f", not {text if len(text) <= _LONGEST else f'{text[: _LONGEST - 3]}...'}"
