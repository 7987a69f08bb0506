"""JSON Schemas of documents, of draft 2020-12."""

from __future__ import annotations

from inspect import cleandoc
from typing import Any

import msgspec

from forebay.formats.record import Document

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_of(kind: type[Document]) -> dict[str, Any]:
    """Return the JSON Schema of a document."""
    (root,), types = msgspec.json.schema_components([kind])
    definitions = {name: _clean(definition) for name, definition in types.items()}
    fields = definitions.pop(root["$ref"].rpartition("/")[2])
    return {
        "$schema": DIALECT,
        "$id": f"{kind.document}.json",
        **fields,
        "title": kind.title,
        "version": _version(fields),
        **({"$defs": definitions} if definitions else {}),
    }


def schema_text(kind: type[Document]) -> str:
    """Return the JSON Schema of a document as text, with one value per line."""
    return msgspec.json.format(msgspec.json.encode(schema_of(kind)), indent=2).decode() + "\n"


def _version(fields: dict[str, Any]) -> int:
    """Return the value of the field `version`, or 1 for a document without it."""
    return fields["properties"].get("version", {"enum": [1]})["enum"][0]


def _clean(definition: dict[str, Any]) -> dict[str, Any]:
    """Return the definition of a type without the indentation of its docstring."""
    return {**definition, "description": cleandoc(definition["description"])}
