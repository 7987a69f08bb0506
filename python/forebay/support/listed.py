"""Names in messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

SHOWN = 3
"""The most names in a message."""


def listed(names: Sequence[str]) -> str:
    """Return the first names of the operators of a loop, and how many more there are."""
    shown = ", ".join(map(repr, names[:SHOWN]))
    more = len(names) - SHOWN
    return f"{shown} and {more} more in the same loop" if more > 0 else shown


def first_repeated(names: Iterable[str]) -> str | None:
    """Return the first name that was there before, or None if all names differ."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None
