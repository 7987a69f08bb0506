"""Mutants of a right module: every kind has its turn as long as it has new ones.

A kind is a file in `kinds` with a function that gives changes in an order of its own drawing. It
may look at the plan and the program for what can go wrong, and never at what the emulator says.
"""

from __future__ import annotations

import importlib
import pkgutil
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from mlir import ir

from common.injection import kinds
from common.injection.right import Right

Change = Callable[[ir.Operation], None]
Wrong = tuple[str, Change]
"""What a change is, in words, and the change of a clone."""

Kind = Callable[[Right, random.Random], Iterator[Wrong]]

DEMANDED = (
    "shift an offset",
    "shrink a lifetime",
    "swap two buffers",
    "drop a wait",
    "drop a copy",
    "reuse a tile early",
    "wrong bank",
    "wrong stride",
    "off-by-one rows",
    "stale weights",
    "missing load",
    "wrong pool",
)
"""Kinds that there have to be; a program without waits or loads has no mutants of these."""


@dataclass(frozen=True)
class Mutant:
    """One change of a clone of the module, and what it is in words."""

    kind: str
    what: str
    change: Change


@cache
def all_kinds() -> dict[str, Kind]:
    """Every kind by its name: the name of its file with spaces, in a fixed order."""
    found = sorted(module.name for module in pkgutil.iter_modules(kinds.__path__))
    draws = {name: importlib.import_module(f"{kinds.__name__}.{name}").draw for name in found}
    named = {_spoken(name): draw for name, draw in draws.items()}
    others = [name for name in named if name not in DEMANDED]
    return {name: named[name] for name in (*DEMANDED, *others)}


def _spoken(name: str) -> str:
    return name.replace("_", " ").replace("off by one", "off-by-one")


def mutants(right: Right, count: int, rng: random.Random) -> Iterator[Mutant]:
    """So many different ones, or as many as there are."""
    waiting = {name: draw(right, rng) for name, draw in all_kinds().items()}
    seen: set[tuple[str, str]] = set()
    while waiting and len(seen) < count:
        for name, draws in list(waiting.items()):
            new = next((wrong for wrong in draws if (name, wrong[0]) not in seen), None)
            if new is None:
                del waiting[name]
                continue
            seen.add((name, new[0]))
            yield Mutant(name, *new)
            if len(seen) == count:
                return
