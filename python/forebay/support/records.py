"""Frozen dataclasses that are made in two thirds of the time.

`dataclasses` compiles six functions for a class, which takes 0.3 to 1 ms, and a compilation loads
40 such classes. Here comparison, hash and representation are closures, which only read the fields.
A record is a dataclass for all that works on dataclasses: `replace`, `fields`, and subclasses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

_T = TypeVar("_T")

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: object) -> Callable[[_T], _T]:
        """Do nothing; only type checkers need the decorator."""
        return lambda function: function


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(made: type[_T]) -> type[_T]:
    """Make a class a dataclass that is frozen, compares by its fields and has a hash."""
    return _record(made, kw_only=False)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def keyword_record(made: type[_T]) -> type[_T]:
    """Make a class a record whose constructor takes keywords only."""
    return _record(made, kw_only=True)


def _record(made: type[_T], *, kw_only: bool) -> type[_T]:
    found: Any = dataclass(frozen=True, repr=False, eq=False, kw_only=kw_only)(made)
    compared = [item.name for item in fields(found) if item.compare]
    shown = [item.name for item in fields(found) if item.repr]
    values = attrgetter(*compared) if compared else _no_value

    def equals(self: object, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    def hash_of(self: object) -> int:
        return hash(values(self))

    def text_of(self: object) -> str:
        texts = (f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{type(self).__qualname__}({', '.join(texts)})"

    for name, function in (("__eq__", equals), ("__hash__", hash_of), ("__repr__", text_of)):
        if made.__dict__.get(name) is None:  # the class has none of its own
            function.__qualname__ = f"{made.__qualname__}.{name}"
            setattr(found, name, function)
    return found


def _no_value(_: object) -> tuple[()]:
    return ()
