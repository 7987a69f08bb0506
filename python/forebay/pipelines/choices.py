"""Checks of the user's choices, in one place for the command and for the Python API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from forebay.errors import Error
from forebay.pipelines.settings import Io


class ChoiceError(Error):
    """An invalid choice: what was given, and what is valid."""


def slots_of(value: object) -> int:
    """Return a number of slots, from a number or its text."""
    text = str(value)
    if isinstance(value, bool) or not text.isdecimal() or int(text) < 1:
        raise ChoiceError(f"'{value}' is no number of slots; 1 is the least")
    return int(text)


def io_of(value: object) -> Io:
    """Return where inputs and outputs live."""
    known: tuple[Io, ...] = get_args(Io)
    for name in known:
        if name == value:
            return name
    raise ChoiceError(f"io is {' or '.join(map(repr, known))}, not {value!r}")


def names_of(what: str, values: object) -> tuple[str, ...]:
    """Return a tuple of names from a sequence of strings."""
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise ChoiceError(f"{what} is a list of names, not {values!r}")
    for value in values:
        if not isinstance(value, str) or not value:
            raise ChoiceError(f"{what} is a list of names, and {value!r} is none")
    return tuple(values)


def devices_of(values: object) -> tuple[str, ...]:
    """Return `OPERATOR=DEVICE` entries, from strings or a mapping by operator name or index."""
    return _pairs("place", "OPERATOR=DEVICE", values)


def pools_of(what: str, values: object) -> tuple[str, ...]:
    """Return `NAME=POOL+POOL` entries, from strings or a mapping of names to one or more pools."""
    return _pairs(what, "NAME=POOL or, in order of preference, NAME=POOL+POOL", values)


def shapes_of(values: Mapping[str, Sequence[int]] | None) -> dict[str, tuple[int, ...]]:
    """Return the bounds of inputs of dynamic shape by their names."""
    shapes: dict[str, tuple[int, ...]] = {}
    for name, given in (values or {}).items():
        sizes: Any = tuple(given)
        if not sizes or any(isinstance(s, bool) or not isinstance(s, int) or s < 1 for s in sizes):
            raise ChoiceError(f"the shape of '{name}' is positive numbers, not {given!r}")
        shapes[name] = sizes
    return shapes


def _pairs(what: str, form: str, values: object) -> tuple[str, ...]:
    if isinstance(values, Mapping):
        return tuple(f"{name}={_joined(what, form, chosen)}" for name, chosen in values.items())
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise ChoiceError(f"{what} is a list of {form}, or a mapping, not {values!r}")
    for value in values:
        name, _, chosen = value.rpartition("=") if isinstance(value, str) else ("", "", "")
        if not name or not all(chosen.split("+")):
            raise ChoiceError(f"{value!r} is not {form}")
    return tuple(values)


def _joined(what: str, form: str, chosen: object) -> str:
    names = [chosen] if isinstance(chosen, str) else chosen
    if not isinstance(names, Sequence) or not names or not all(isinstance(n, str) for n in names):
        raise ChoiceError(f"{chosen!r} in {what} is no name; entries are {form}")
    return "+".join(map(str, names))
