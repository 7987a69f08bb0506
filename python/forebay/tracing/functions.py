"""Functions of traced integers; on Python integers they compute Python integers."""

from __future__ import annotations

from typing import Any, TypeVar, cast, overload

from forebay.tracing.errors import fail
from forebay.tracing.integers import Integer, word_of
from forebay.tracing.record import Primitive
from forebay.tracing.symbolic import Bool, Symbolic, choose, name_of_type

_I = TypeVar("_I", bound=Integer)
_S = TypeVar("_S", bound=Symbolic)


@overload
def ceil_div(dividend: int, divisor: int) -> int: ...
@overload
def ceil_div(dividend: _I, divisor: _I | int) -> _I: ...
@overload
def ceil_div(dividend: int, divisor: _I) -> _I: ...
def ceil_div(dividend: _I | int, divisor: _I | int) -> _I | int:
    """Return the quotient rounded up; division by zero gives 0."""
    if isinstance(dividend, int) and isinstance(divisor, int):
        return -(-dividend // divisor) if divisor else 0
    left, right = alike((dividend, divisor), "ceil_div")
    if isinstance(divisor, int):
        return left.divide(Primitive.ceil_divide, divisor, "ceil_div")
    return left.divide(Primitive.ceil_divide, right, "ceil_div")


@overload
def minimum(*values: int) -> int: ...
@overload
def minimum(first: _I, /, *others: _I | int) -> _I: ...
@overload
def minimum(first: int, second: _I, /, *others: _I | int) -> _I: ...
def minimum(*values: _I | int) -> _I | int:
    """Return the least of the values."""
    return _folded(Primitive.minimum, values)


@overload
def maximum(*values: int) -> int: ...
@overload
def maximum(first: _I, /, *others: _I | int) -> _I: ...
@overload
def maximum(first: int, second: _I, /, *others: _I | int) -> _I: ...
def maximum(*values: _I | int) -> _I | int:
    """Return the largest of the values."""
    return _folded(Primitive.maximum, values)


@overload
def clip(value: int, low: int, high: int) -> int: ...
@overload
def clip(value: _I, low: _I | int, high: _I | int) -> _I: ...
def clip(value: Any, low: Any, high: Any) -> Any:
    """Return the value, at least `low` and then at most `high`."""
    return minimum(maximum(value, low), high)


@overload
def select(condition: bool, then: int, otherwise: int) -> int: ...
@overload
def select(condition: Bool, then: int, otherwise: int) -> Any: ...
@overload
def select(condition: Bool | bool, then: _S, otherwise: _S | int) -> _S: ...
@overload
def select(condition: Bool | bool, then: int, otherwise: _S) -> _S: ...
def select(condition: object, then: _S | int, otherwise: _S | int) -> Any:
    """Return `then` where the condition holds, else `otherwise`; both are computed.

    Of two Python integers, the result is an Int64 in a function of cycles, else an Int32.
    """
    if isinstance(condition, bool):
        return then if condition else otherwise
    if not isinstance(condition, Bool):
        fail(f"select chooses by a comparison, but got {name_of_type(condition)}; write x != 0")
    if not isinstance(then, Symbolic) and not isinstance(otherwise, Symbolic):
        return choose(condition, word_of(then, "select"), word_of(otherwise, "select"))
    return choose(condition, *alike((then, otherwise), "select"))


def _folded(primitive: Primitive, values: tuple[_I | int, ...]) -> _I | int:
    if not values:
        fail(f"{primitive.name} of no values")
    if all(isinstance(value, int) for value in values):
        numbers = cast("tuple[int, ...]", values)
        return min(numbers) if primitive is Primitive.minimum else max(numbers)
    first, *rest = alike(values, primitive.name)
    for value in rest:
        first = first.record(primitive, value)
    return first


def alike(values: tuple[_S | int, ...], what: str) -> tuple[_S, ...]:
    """Return the values with Python integers as constants of the type of the others."""
    first = next(value for value in values if isinstance(value, Symbolic))
    return tuple(first.operand(value, what) for value in values)
