"""The data of a trace: numbered values, and steps that compute them.

0 = parameter rows        a value is a number with a width in bits; 1 is a truth value
1 = parameter blocks
2 = constant 4            constants are recorded once per width
3 = multiply 0 1          a step computes the value behind it from the values before it
4 = add 3 2
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from forebay.tracing.lines import AuthorLine


class Primitive(Enum):
    """A total function of integers in two's complement; the results wrap.

    The recorder guards the two exceptions: divisors are not 0, and are not -1 where the dividend is
    the least number; shift amounts are at least 0 and below the width.
    """

    add = auto()
    subtract = auto()
    multiply = auto()
    floor_divide = auto()
    ceil_divide = auto()
    bit_and = auto()
    bit_or = auto()
    bit_xor = auto()
    shift_left = auto()
    shift_right = auto()
    minimum = auto()
    maximum = auto()
    equal = auto()
    not_equal = auto()
    less = auto()
    less_equal = auto()
    greater = auto()
    greater_equal = auto()
    select = auto()
    sign_extend = auto()
    zero_extend = auto()
    truncate = auto()

    @property
    def is_comparison(self) -> bool:
        """Return whether the result is a truth value."""
        return Primitive.equal.value <= self.value <= Primitive.greater_equal.value


@dataclass(frozen=True)
class ParameterValue:
    """The value of a scalar parameter."""

    number: int
    name: str
    width: int


@dataclass(frozen=True)
class ConstantValue:
    """A constant; `line` is where it is used first."""

    number: int
    value: int
    width: int
    line: AuthorLine


@dataclass(frozen=True)
class Computation:
    """The value `number` is `primitive` of the values `operands`."""

    number: int
    primitive: Primitive
    operands: tuple[int, ...]
    width: int
    line: AuthorLine


@dataclass(frozen=True)
class Trace:
    """A traced function without memory: its parameters in order, its steps and its result."""

    parameters: tuple[ParameterValue, ...]
    constants: tuple[ConstantValue, ...]
    steps: tuple[Computation, ...]
    result: int
    line: AuthorLine
