"""Loops of a traced function, and variables whose values outlive an iteration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, TypeVar, overload

from forebay.tracing.errors import fail
from forebay.tracing.functions import alike
from forebay.tracing.integers import Integer, word_of
from forebay.tracing.recorder import running_recorder
from forebay.tracing.symbolic import Symbolic, name_of_type

_I = TypeVar("_I", bound=Integer)


@overload
def loop(stop: _I, /) -> Iterator[_I]: ...
@overload
def loop(stop: int, /) -> Iterator[Any]: ...
@overload
def loop(start: _I, stop: _I | int, step: int = 1, /) -> Iterator[_I]: ...
@overload
def loop(start: int, stop: _I, step: int = 1, /) -> Iterator[_I]: ...
@overload
def loop(start: int, stop: int, step: int = 1, /) -> Iterator[Any]: ...
def loop(*limits: Any) -> Iterator[Any]:
    """Return the counter of a traced loop, as `range` does: `for i in loop(count):`.

    The body is traced once. The counter has the type of the limits; of Python integers, it is an
    Int32, in a function of cycles an Int64. `step` is a positive Python integer.
    """
    recorder = running_recorder("loop")
    start, stop, step = _limits(limits)
    counter = recorder.begin_loop(start.number, stop.number, step, start.width)
    yield type(start)(recorder, counter)  # `break` and `return` close the generator here
    recorder.end_loop(counter)


def _limits(limits: tuple[Any, ...]) -> tuple[Integer, Integer, int]:
    if not 1 <= len(limits) <= 3:
        fail(f"loop takes stop, or start and stop, or start, stop and step, but got {len(limits)}")
    start, stop = (0, limits[0]) if len(limits) == 1 else limits[:2]
    step = limits[2] if len(limits) == 3 else 1
    if isinstance(step, bool) or not isinstance(step, int) or step < 1:
        fail(f"the step of a loop is a positive Python integer, but is {step}")
    if not isinstance(start, Symbolic) and not isinstance(stop, Symbolic):
        start = word_of(start, "loop")
    first, last = alike((start, stop), "loop")
    if not isinstance(first, Integer) or not isinstance(last, Integer):
        fail(f"the limits of a loop are integers, but got {name_of_type(first)}")
    return first, last, step


class LocalVariable(Generic[_I]):
    """A variable of a traced function, whose `value` is read and set: `total.value += x[i]`.

    It begins with a value, from which it has its type; with a Python integer, it is an Int32, in a
    function of cycles an Int64.
    """

    @overload
    def __init__(self, first: _I) -> None: ...
    @overload
    def __init__(self: LocalVariable[Any], first: int) -> None: ...
    def __init__(self, first: Any) -> None:
        self._recorder = running_recorder("LocalVariable")
        if isinstance(first, Symbolic) and not isinstance(first, Integer):
            fail(f"a variable holds an integer, but got {name_of_type(first)}")
        value: Any = first if isinstance(first, Integer) else word_of(first, "variable")
        self._type: type[_I] = type(value)
        self._number = self._recorder.declare(value.number)

    @property
    def value(self) -> _I:
        """The value at this point of the function."""
        number = self._recorder.read(self._number, self._type.width)
        return self._type(self._recorder, number)

    @value.setter
    def value(self, new: _I | int) -> None:
        last = self._type(self._recorder, self._number)
        self._recorder.write(self._number, last.operand(new, "assignment").number)
