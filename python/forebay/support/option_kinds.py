"""Types of option values: which values are allowed, and how each is read from text.

There is one `Kind` per type, for the options of a compilation and for those of passes:

    bool, int, str, Literal["a", "b"], an Enum, Path | None
    Size                                    bytes: 65536, 0x10000, 64K, 64KiB
    tuple[T, ...]                           a list
    tuple[str, str]                         NAME=VALUE
    tuple[str, tuple[str, ...]]             NAME=VALUE+VALUE
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Literal, NewType, get_args, get_origin

from msgspec import Struct

from forebay.errors import Error
from forebay.support.sizes import size_of

_NUMBER = re.compile(r"-?[0-9]+", re.ASCII)

Size = NewType("Size", int)
"""A number of bytes, which a text may write with a unit: `64K`."""


class OptionError(Error):
    """An invalid value of an option: what was given, and what is allowed."""


class OptionKind(Struct, frozen=True):
    """The allowed values of an option, and their texts."""

    @property
    def allowed(self) -> str:
        """The allowed values in words, to follow "is": `a number of 1 or more`."""
        raise NotImplementedError

    def accepts(self, value: object) -> bool:
        """Return whether a Python value is allowed."""
        raise NotImplementedError

    def parse(self, text: str) -> object:
        """Return the value of a text, or the text itself if it has none."""
        return text

    def read(self, texts: Sequence[str]) -> object:
        """Return the value of the texts of an option: one text, or one for each element."""
        (text,) = texts
        return self.parse(text)

    def checked(self, name: str, value: object) -> object:
        """Return the value, and raise `OptionError` if it is not allowed."""
        if not self.accepts(value):
            raise OptionError(f"{name} is {self.allowed}, not {value!r}")
        return value


class Switch(OptionKind, frozen=True):
    """A `bool`."""

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        return "true or false"

    def accepts(self, value: object) -> bool:
        """Return whether the value is a `bool`."""
        return isinstance(value, bool)

    def parse(self, text: str) -> object:
        """Read `true` or `1`, `false` or `0`."""
        return {"true": True, "1": True, "false": False, "0": False}.get(text.lower(), text)


class Number(OptionKind, frozen=True):
    """An `int` that is not below `least`."""

    least: int | None = None

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        return "a number" if self.least is None else f"a number of {self.least} or more"

    def accepts(self, value: object) -> bool:
        """Return whether the value is a number, and large enough."""
        if not isinstance(value, int) or isinstance(value, bool):
            return False
        return self.least is None or value >= self.least

    def parse(self, text: str) -> object:
        """Read decimal digits."""
        return int(text) if _NUMBER.fullmatch(text) else text


class Bytes(OptionKind, frozen=True):
    """A `Size`."""

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        return "a number of bytes: 65536, 0x10000, 64K or 64KiB"

    def accepts(self, value: object) -> bool:
        """Return whether the value is a number that is not negative."""
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0

    def parse(self, text: str) -> object:
        """Read a number with or without a unit."""
        try:
            return size_of(text)
        except ValueError:
            return text


class Text(OptionKind, frozen=True):
    """A `str`."""

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        return "a text"

    def accepts(self, value: object) -> bool:
        """Return whether the value is a text."""
        return isinstance(value, str)


class File(OptionKind, frozen=True):
    """A `Path | None`; an empty text stands for None."""

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        return "a path or None"

    def accepts(self, value: object) -> bool:
        """Return whether the value is a path or None."""
        return value is None or isinstance(value, Path)

    def parse(self, text: str) -> object:
        """Read a path."""
        return Path(text) if text else None


class Choice(OptionKind, frozen=True):
    """One of the texts of a `Literal`, or one of the members of an `Enum` with such values."""

    choices: tuple[str, ...]
    members: type[Enum] | None = None

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        *most, last = map(repr, self.choices)
        return f"{', '.join(most)} or {last}" if most else last

    def accepts(self, value: object) -> bool:
        """Return whether the value is one of the texts, or a member."""
        return isinstance(value, self.members) if self.members else value in self.choices

    def parse(self, text: str) -> object:
        """Read the text of a choice."""
        return self.members(text) if self.members and text in self.choices else text


class Entry(OptionKind, frozen=True):
    """A name with a value, or with several values in order of preference."""

    has_several: bool

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        return "NAME=VALUE or NAME=VALUE+VALUE" if self.has_several else "NAME=VALUE"

    def accepts(self, value: object) -> bool:
        """Return whether the value is a pair of a name and its value or values."""
        match value:
            case (str(name), str(one)) if not self.has_several:
                return bool(name and one)
            case (str(name), tuple(several)) if self.has_several:
                return bool(name and several) and all(several)
            case _:
                return False

    def parse(self, text: str) -> object:
        """Read `NAME=VALUE`; the name may contain `=`."""
        name, equals, value = text.rpartition("=")
        if not equals:
            return text
        pair = name, tuple(value.split("+")) if self.has_several else value
        return pair if self.accepts(pair) else text


class ListOf(OptionKind, frozen=True):
    """A tuple of values of one kind."""

    element: OptionKind

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        return f"a list of values, each {self.element.allowed}"

    def accepts(self, value: object) -> bool:
        """Return whether the value is a tuple of allowed values."""
        return isinstance(value, tuple) and all(map(self.element.accepts, value))

    def read(self, texts: Sequence[str]) -> object:
        """Return a tuple with the value of each text."""
        return tuple(map(self.element.parse, texts))

    def checked(self, name: str, value: object) -> object:
        """Return the value, and raise `OptionError` for the first element that is not allowed."""
        if isinstance(value, tuple):
            for element in value:
                self.element.checked(f"a value of {name}", element)
        return super().checked(name, value)


_KINDS: dict[object, OptionKind] = {
    bool: Switch(),
    str: Text(),
    Size: Bytes(),
    Path | None: File(),
    tuple[str, str]: Entry(has_several=False),
    tuple[str, tuple[str, ...]]: Entry(has_several=True),
}


def kind_of(hint: Any, least: int | None = None) -> OptionKind:
    """Return the kind for a type; raise `TypeError` for a type that options cannot have."""
    if hint in _KINDS:
        return _KINDS[hint]
    if hint is int:
        return Number(least)
    if get_origin(hint) is Literal:
        return Choice(get_args(hint))
    if isinstance(hint, type) and issubclass(hint, Enum):
        return Choice(tuple(str(member.value) for member in hint), hint)
    if get_origin(hint) is tuple and get_args(hint)[1:] == (...,):
        return ListOf(kind_of(get_args(hint)[0]))
    raise TypeError(
        f"{hint} is no type of an option: bool, int, str, Size, Path | None, a Literal, an Enum, "
        "tuple[T, ...], and in such a tuple tuple[str, str] or tuple[str, tuple[str, ...]]"
    )
