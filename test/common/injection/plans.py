"""Changes of where buffers are."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import TypeVar

from mlir import ir

from common.injection.mutants import Change, Wrong
from common.injection.plan import Places
from common.injection.right import Right

T = TypeVar("T")
_UNCHECKED = 0.1
"""The share of plans that are drawn whether or not they let two live buffers share bytes."""


def moved(right: Right, drawn: Iterable[Places], rng: random.Random) -> Iterator[Wrong]:
    """Plans with some buffers at other places, most of them wrong."""
    own = right.planned.places
    for places in drawn:
        whole = {**own, **places}
        if whole != own and (right.planned.is_broken(whole) or rng.random() < _UNCHECKED):
            yield _text(right, whole), _put(right, whole)


def shuffled(items: Iterable[T], rng: random.Random) -> list[T]:
    """All of them in any order."""
    listed = list(items)
    return rng.sample(listed, len(listed))


def _put(right: Right, places: Places) -> Change:
    def change(module: ir.Operation) -> None:
        right.planned.put(module, places)

    return change


def _text(right: Right, places: Places) -> str:
    changed = [name for name in right.planned.allocs if places[name] != right.planned.places[name]]
    return ", ".join(f"{n} at @{places[n].pool} {places[n].offset}" for n in changed)
