"""A property that is computed once, when it is first read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

_T = TypeVar("_T")


class lazy(Generic[_T]):  # noqa: N801  (a decorator)
    """A read-only property that an instance keeps after its first use.

    `functools.cached_property` takes a lock in Python 3.11, which costs more than most of the
    properties of small objects. Two threads may both compute a value here.
    """

    def __init__(self, function: Callable[[Any], _T]) -> None:
        self._function = function
        self._name = function.__name__
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> lazy[_T]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> _T: ...

    def __get__(self, instance: object | None, owner: type) -> lazy[_T] | _T:
        """Compute the value and keep it in the instance, where Python finds it before this."""
        if instance is None:
            return self
        found = instance.__dict__[self._name] = self._function(instance)
        return found
