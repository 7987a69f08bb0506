"""The base classes of documents and of the objects in them, and the number types of fields."""

from __future__ import annotations

from typing import Annotated, ClassVar

import msgspec

Count = Annotated[int, msgspec.Meta(ge=0)]
"""An integer of at least 0."""

Positive = Annotated[int, msgspec.Meta(ge=1)]
"""An integer of at least 1."""


Sha256 = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
"""A SHA-256 in hexadecimal digits."""


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An immutable JSON object that has only the declared fields, written in their order.

    A field that may be `UNSET` is absent when it has no value.
    """


class Document(Record, frozen=True):
    """A whole JSON document; `document` is its name in `forebay schema` and in messages."""

    document: ClassVar[str]
    title: ClassVar[str]
