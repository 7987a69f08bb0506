"""Objects that a program gives in place of names, as words that pipelines can carry."""

from __future__ import annotations

import itertools
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")


class Given(Generic[T]):
    """Objects of one kind by words of their own, as long as somebody keeps them."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._numbers = itertools.count(1)
        self._objects: WeakValueDictionary[str, T] = WeakValueDictionary()

    def word_for(self, thing: T) -> str:
        """A word for an object that is no name of its kind."""
        word = f"given.{self._kind}.{next(self._numbers)}"
        self._objects[word] = thing
        return word

    def get(self, word: str) -> T | None:
        """The object of a word; None for a word that stands for none."""
        return self._objects.get(word)
