"""The data of a trace: numbered values, and steps that compute them.

0 = parameter rows        a value is a number with a width in bits; 1 is a truth value
1 = parameter blocks
2 = constant 4            constants are recorded once per width
3 = multiply 0 1          a step computes the value after it from the values before it
4 = add 3 2
"""

from __future__ import annotations

from collections.abc import Iterator
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
class PrimitiveResult:
    """The value `number` is `primitive` of the values `operands`."""

    number: int
    primitive: Primitive
    operands: tuple[int, ...]
    width: int
    line: AuthorLine


@dataclass(frozen=True)
class PointerParameter:
    """A pointer to elements of a width."""

    number: int
    name: str
    width: int


@dataclass(frozen=True)
class ElementAddress:
    """An element behind a pointer: `((i0 * s1) + i1) * s2 + i2` for indices i and sizes s."""

    pointer: int
    indices: tuple[int, ...]
    sizes: tuple[int, ...]

    @property
    def numbers(self) -> tuple[int, ...]:
        """The values of indices and sizes."""
        return (*self.indices, *self.sizes)


@dataclass(frozen=True)
class ElementLoad:
    """The value `number` is an element."""

    number: int
    address: ElementAddress
    width: int
    line: AuthorLine


@dataclass(frozen=True)
class ElementStore:
    """An element gets a value."""

    address: ElementAddress
    value: int
    line: AuthorLine


@dataclass(frozen=True)
class VariableRead:
    """The value `number` is what the variable has at this point."""

    number: int
    variable: int
    width: int
    line: AuthorLine


@dataclass(frozen=True)
class VariableWrite:
    """The variable gets a value; its first write, in the block of its declaration, declares it."""

    variable: int
    value: int
    line: AuthorLine


@dataclass(frozen=True)
class CountedLoop:
    """The steps run with the counter at start, start + step, ... below stop, which are values."""

    counter: int
    start: int
    stop: int
    step: int
    width: int
    steps: tuple[TraceStep, ...]
    line: AuthorLine


TraceStep = (
    PrimitiveResult | ElementLoad | ElementStore | VariableRead | VariableWrite | CountedLoop
)


def steps_within(steps: tuple[TraceStep, ...]) -> Iterator[TraceStep]:
    """Return the steps and those inside of loops, in order."""
    for step in steps:
        yield step
        if isinstance(step, CountedLoop):
            yield from steps_within(step.steps)


@dataclass(frozen=True)
class Trace:
    """A traced function: its parameters in order, its steps, and its result if it has one."""

    pointers: tuple[PointerParameter, ...]
    parameters: tuple[ParameterValue, ...]
    constants: tuple[ConstantValue, ...]
    steps: tuple[TraceStep, ...]
    result: int | None
    line: AuthorLine
