"""Types of option values: which values are allowed, and how each is read from text.

One `Kind` per type, for the options of a compilation, on the command line and in Python.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from forebay.errors import Error

_NUMBER = re.compile(r"-?[0-9]+", re.ASCII)


class OptionError(Error):
    """An invalid value of an option: what was given, and what is allowed."""


class Kind(ABC):
    """The allowed values of an option, and their texts."""

    @property
    @abstractmethod
    def allowed(self) -> str:
        """The allowed values in words, to follow "is": `a number of 1 or more`."""

    @abstractmethod
    def accepts(self, value: object) -> bool:
        """Return whether a Python value is allowed."""

    @abstractmethod
    def parse(self, text: str) -> object:
        """Return the value of a text, or the text itself if it has none."""

    def checked(self, name: str, value: object) -> object:
        """Return the value, and raise `OptionError` if it is not allowed."""
        if not self.accepts(value):
            raise OptionError(f"{name} is {self.allowed}, not {value!r}")
        return value


@dataclass(frozen=True)
class Switch(Kind):
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


@dataclass(frozen=True)
class Number(Kind):
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


@dataclass(frozen=True)
class Choice(Kind):
    """One of the texts of a `Literal`."""

    choices: tuple[str, ...]

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        *most, last = map(repr, self.choices)
        return f"{', '.join(most)} or {last}" if most else last

    def accepts(self, value: object) -> bool:
        """Return whether the value is one of the texts."""
        return value in self.choices

    def parse(self, text: str) -> object:
        """Return the text."""
        return text


def kind_of(hint: Any, least: int | None = None) -> Kind:
    """Return the kind for a type; raise `TypeError` for a type that options cannot have."""
    if hint is bool:
        return Switch()
    if hint is int:
        return Number(least)
    if get_origin(hint) is Literal:
        return Choice(get_args(hint))
    raise TypeError(f"{hint} is no type of an option: bool, int, Literal")
