"""Symbolic integers of fixed widths.

The arithmetic is that of two's complement: results wrap to the width. `//` and `%` round down as in
Python. Division by zero gives 0, as in the Arm architecture, and so `x % 0` is `x`. Shifts use the
low bits of the amount, as in RISC-V, and `>>` keeps the sign.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, TypeVar

from forebay.tracing.errors import fail
from forebay.tracing.record import Primitive
from forebay.tracing.recorder import running_recorder
from forebay.tracing.symbolic import Bool, Symbolic, choose, name_of_type

if TYPE_CHECKING:
    from typing_extensions import Self

_I = TypeVar("_I", bound="Integer")


class Integer(Symbolic):
    """A signed integer of a fixed width; Python integers that fit mix with it."""

    @classmethod
    def of(cls, value: object) -> Self:
        """Return a Python integer as a constant of this width."""
        recorder = running_recorder(f"{cls.__name__}.of")
        if isinstance(value, bool) or not isinstance(value, int):
            fail(f"{cls.__name__} of {name_of_type(value)}; it takes a Python integer")
        return cls(recorder, recorder.constant(value, cls.width))

    def __add__(self, other: Self | int) -> Self:
        return self.record(Primitive.add, self.operand(other, "+"))

    __radd__ = __add__

    def __sub__(self, other: Self | int) -> Self:
        return self.record(Primitive.subtract, self.operand(other, "-"))

    def __rsub__(self, other: Self | int) -> Self:
        return self.operand(other, "-") - self

    def __mul__(self, other: Self | int) -> Self:
        return self.record(Primitive.multiply, self.operand(other, "*"))

    __rmul__ = __mul__

    def __neg__(self) -> Self:
        return 0 - self

    def __pos__(self) -> Self:
        return self

    def __floordiv__(self, other: Self | int) -> Self:
        return self.divide(Primitive.floor_divide, other, "//")

    def __rfloordiv__(self, other: Self | int) -> Self:
        return self.operand(other, "//") // self

    def __mod__(self, other: Self | int) -> Self:
        return self - self // other * other

    def __rmod__(self, other: Self | int) -> Self:
        return self.operand(other, "%") % self

    def __and__(self, other: Self | int) -> Self:
        return self.record(Primitive.bit_and, self.operand(other, "&"))

    def __or__(self, other: Self | int) -> Self:
        return self.record(Primitive.bit_or, self.operand(other, "|"))

    def __xor__(self, other: Self | int) -> Self:
        return self.record(Primitive.bit_xor, self.operand(other, "^"))

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> Self:
        return self ^ -1

    def __lshift__(self, other: Self | int) -> Self:
        return self.record(Primitive.shift_left, self._amount(other, "<<"))

    def __rlshift__(self, other: Self | int) -> Self:
        return self.operand(other, "<<") << self

    def __rshift__(self, other: Self | int) -> Self:
        return self.record(Primitive.shift_right, self._amount(other, ">>"))

    def __rrshift__(self, other: Self | int) -> Self:
        return self.operand(other, ">>") >> self

    def __eq__(self, other: Self | int) -> Bool:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._compare(Primitive.equal, other, "==")

    def __ne__(self, other: Self | int) -> Bool:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._compare(Primitive.not_equal, other, "!=")

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __lt__(self, other: Self | int) -> Bool:
        return self._compare(Primitive.less, other, "<")

    def __le__(self, other: Self | int) -> Bool:
        return self._compare(Primitive.less_equal, other, "<=")

    def __gt__(self, other: Self | int) -> Bool:
        return self._compare(Primitive.greater, other, ">")

    def __ge__(self, other: Self | int) -> Bool:
        return self._compare(Primitive.greater_equal, other, ">=")

    def extend(self, type_: type[_I]) -> _I:
        """Return the same number in a wider type."""
        return self._convert(Primitive.sign_extend, type_, "extend")

    def zero_extend(self, type_: type[_I]) -> _I:
        """Return the bits, read as an unsigned number, in a wider type."""
        return self._convert(Primitive.zero_extend, type_, "zero_extend")

    def truncate(self, type_: type[_I]) -> _I:
        """Return the low bits in a narrower type."""
        return self._convert(Primitive.truncate, type_, "truncate")

    def saturate(self, type_: type[_I]) -> _I:
        """Return the nearest number that a narrower type holds."""
        if type_.width >= self.width:
            return self.truncate(type_)
        least, largest = (self.literal(n, "saturate") for n in limits_of_type(type_))
        above = self.record(Primitive.maximum, least)
        return above.record(Primitive.minimum, largest).truncate(type_)

    def _convert(self, primitive: Primitive, type_: type[_I], what: str) -> _I:
        widens = primitive is not Primitive.truncate
        if (widens and type_.width <= self.width) or (not widens and type_.width >= self.width):
            way = ".extend" if type_.width > self.width else ".truncate or .saturate"
            fail(
                f"{what} of {name_of_type(self)} to {type_.__name__}, which is not "
                f"{'wider' if widens else 'narrower'}"
                + ("" if type_.width == self.width else f"; use {way}({type_.__name__})")
            )
        number = self.recorder.compute(primitive, (self.number,), type_.width)
        return type_(self.recorder, number)

    def divide(self, primitive: Primitive, other: Self | int, what: str) -> Self:
        """Trace a division, guarded where the divisor is not known to be harmless."""
        divisor = self.operand(other, what)
        if isinstance(other, int):
            if other == 0:
                fail(f"{what} by the constant 0")
            return -self if other == -1 else self.record(primitive, divisor)
        is_zero, is_minus_one = divisor == 0, divisor == -1
        one, zero = self.literal(1, what), self.literal(0, what)
        safe = choose(is_zero | is_minus_one, one, divisor)
        quotient = choose(is_minus_one, -self, self.record(primitive, safe))
        return choose(is_zero, zero, quotient)

    def _amount(self, other: Self | int, what: str) -> Self:
        if isinstance(other, int):
            if not 0 <= other < self.width:
                fail(f"{what} by {other}; {name_of_type(self)} is shifted by 0 to {self.width - 1}")
            return self.operand(other, what)
        return self.operand(other, what) & (self.width - 1)

    def _compare(self, primitive: Primitive, other: Self | int, what: str) -> Bool:
        numbers = (self.number, self.operand(other, what).number)
        return Bool(self.recorder, self.recorder.compute(primitive, numbers, 1))


class Int8(Integer):
    """A signed integer of 8 bits."""

    width: ClassVar[int] = 8


class Int16(Integer):
    """A signed integer of 16 bits."""

    width: ClassVar[int] = 16


class Int32(Integer):
    """A signed integer of 32 bits, as the scalars of an intrinsic are."""

    width: ClassVar[int] = 32


class Int64(Integer):
    """A signed integer of 64 bits, as everything in a function of cycles is."""

    width: ClassVar[int] = 64


def limits_of_type(type_: type[Integer]) -> tuple[int, int]:
    """Return the least and the largest number of a type."""
    return -(1 << (type_.width - 1)), (1 << (type_.width - 1)) - 1


def word_of(value: int, what: str) -> Integer:
    """Return a constant of the running trace's own width: Int64 for cycles, else Int32."""
    word = Int64 if running_recorder(what).word == Int64.width else Int32
    return word.of(value)
