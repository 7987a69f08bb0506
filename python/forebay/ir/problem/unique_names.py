"""Unique names for entries that may request the same name."""

from __future__ import annotations

from collections.abc import Iterable


def unique_names(wanted: Iterable[str]) -> list[str]:
    """Return a name per entry: the first keeps its name, later ones get an unused number."""
    names = list(wanted)
    taken, used = set(names), set[str]()
    numbers: dict[str, int] = {}
    for index, name in enumerate(names):
        if name in used:
            number = numbers.get(name, 1) + 1
            while (numbered := f"{name}_{number}") in taken:
                number += 1
            numbers[name] = number
            taken.add(numbered)
            names[index] = numbered
        used.add(names[index])
    return names
