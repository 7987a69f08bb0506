"""Values of a running trace: they record what an author's function computes with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NoReturn, TypeVar

from forebay.tracing.errors import fail, mistake
from forebay.tracing.record import Primitive
from forebay.tracing.recorder import Recorder

if TYPE_CHECKING:
    from typing_extensions import Self

_T = TypeVar("_T", bound="Symbolic")


class Symbolic:
    """A value of a running trace, known by its number."""

    width: ClassVar[int]

    def __init__(self, recorder: Recorder, number: int) -> None:
        self.recorder = recorder
        self.number = number

    def __bool__(self) -> bool:
        raise mistake(
            "a traced value has no truth value while the function is traced: `if`, `and`, `or`, "
            "`not`, `min` and `max` cannot use it; use select(condition, a, b), &, |, ~, "
            "minimum(a, b) or maximum(a, b)"
        )

    def __index__(self) -> int:
        raise mistake(
            "a traced value is no Python integer while the function is traced: range, int and "
            "sequences cannot use it"
        )

    __int__ = __float__ = __index__

    def __truediv__(self, other: object) -> NoReturn:
        fail("traced values have no /; use // , which rounds down, or ceil_div(a, b)")

    __rtruediv__ = __truediv__

    def __pow__(self, other: object) -> NoReturn:
        fail("traced values have no **; use * or <<")

    __rpow__ = __pow__

    def operand(self, other: object, what: str) -> Self:
        """Return the other operand of an operation as a value of this type."""
        if type(other) is type(self):
            if other.recorder is not self.recorder:
                fail(f"{what} of values of two different traces")
            return other
        if isinstance(other, Symbolic):
            fail(
                f"{what} of {name_of_type(self)} and {name_of_type(other)}; convert one of them: "
                ".extend(Int32) keeps the value, .truncate(Int8) keeps the low bits, "
                ".saturate(Int8) clamps, and select(condition, 1, 0) makes a number of a Bool"
            )
        return self.literal(other, what)

    def literal(self, value: object, what: str) -> Self:
        """Return a Python integer as a constant of this type."""
        if isinstance(value, bool) or not isinstance(value, int):
            given = name_of_type(value)
            fail(f"{what} of {name_of_type(self)} and {given}; the other must be an integer")
        return type(self)(self.recorder, self.recorder.constant(value, self.width))

    def record(self, primitive: Primitive, *others: Symbolic) -> Self:
        """Trace an operation with a result of this type."""
        numbers = (self.number, *(other.number for other in others))
        return type(self)(self.recorder, self.recorder.compute(primitive, numbers, self.width))


class Bool(Symbolic):
    """The result of a comparison; `&`, `|`, `^` and `~` combine it, `select` chooses by it."""

    width: ClassVar[int] = 1

    def literal(self, value: object, what: str) -> Self:
        """Return a Python truth value as a constant."""
        if not isinstance(value, bool):
            fail(f"{what} of Bool and {name_of_type(value)}; the other must be a comparison")
        return type(self)(self.recorder, self.recorder.constant(int(value), 1))

    def __and__(self, other: Self | bool) -> Self:
        return self.record(Primitive.bit_and, self.operand(other, "&"))

    def __or__(self, other: Self | bool) -> Self:
        return self.record(Primitive.bit_or, self.operand(other, "|"))

    def __xor__(self, other: Self | bool) -> Self:
        return self.record(Primitive.bit_xor, self.operand(other, "^"))

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> Self:
        return self ^ True


def choose(condition: Bool, then: _T, otherwise: _T) -> _T:
    """Trace the choice between two values of one type."""
    numbers = (condition.number, then.number, otherwise.number)
    recorder = then.recorder
    return type(then)(recorder, recorder.compute(Primitive.select, numbers, then.width))


def name_of_type(value: object) -> str:
    """Return the name of a value's type for messages."""
    return type(value).__name__
