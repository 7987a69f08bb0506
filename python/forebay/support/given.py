"""Generated names for objects that a program passes where a pipeline text expects a name."""

from __future__ import annotations

import itertools
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

_T = TypeVar("_T")


class ObjectName(str):
    """The generated name of an object, which the name keeps alive."""

    thing: object


class ObjectTable(Generic[_T]):
    """A table of objects of one kind by generated name; it holds weak references only."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._numbers = itertools.count(1)
        self._objects: WeakValueDictionary[str, _T] = WeakValueDictionary()

    def name_for(self, thing: _T) -> ObjectName:
        """Return a generated name for an object; no real name of this kind has this form.

        `get` finds the object as long as this name, or another reference to the object, exists.
        """
        word = ObjectName(f"given.{self._kind}.{next(self._numbers)}")
        word.thing = thing
        self._objects[str(word)] = thing  # a plain text, because `word` would keep `thing` alive
        return word

    def get(self, word: str) -> _T | None:
        """Return the object with a generated name, or None if there is none."""
        return self._objects.get(word)
