"""Evaluate a trace on Python integers, without MLIR."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from forebay.tracing.record import (
    ConstantValue,
    CountedLoop,
    ParameterValue,
    Primitive,
    PrimitiveResult,
    Trace,
    TraceStep,
    VariableRead,
    VariableWrite,
)


def evaluate_trace(trace: Trace, scalars: Mapping[str, int]) -> int:
    """Return the result for the values of the parameters, which wrap to their widths."""
    assert trace.result is not None and not trace.pointers
    frame = _Frame()
    for parameter in trace.parameters:
        frame.define(parameter, scalars[parameter.name])
    for constant in trace.constants:
        frame.define(constant, constant.value)
    frame.run(trace.steps)
    return frame.values[trace.result]


def twos_complement(value: int, width: int) -> int:
    """Return the number that the low bits mean in two's complement; a truth value is 0 or 1."""
    low = value & ((1 << width) - 1)
    return low - (1 << width) if width > 1 and low >> (width - 1) else low


class _Frame:
    """Values and variables by their numbers, and the widths of values."""

    def __init__(self) -> None:
        self.values: dict[int, int] = {}
        self.widths: dict[int, int] = {}

    def define(
        self, value: ParameterValue | ConstantValue | PrimitiveResult | VariableRead, number: int
    ) -> None:
        self.values[value.number] = twos_complement(number, value.width)
        self.widths[value.number] = value.width

    def run(self, steps: tuple[TraceStep, ...]) -> None:
        for step in steps:
            if isinstance(step, PrimitiveResult):
                self.define(step, self._computed(step))
            elif isinstance(step, VariableRead):
                self.define(step, self.values[step.variable])
            elif isinstance(step, VariableWrite):
                self.values[step.variable] = self.values[step.value]
            else:
                assert isinstance(step, CountedLoop)
                self.widths[step.counter] = step.width
                limits = (self.values[number] for number in (step.start, step.stop, step.step))
                for count in range(*limits):
                    self.values[step.counter] = count
                    self.run(step.steps)

    def _computed(self, step: PrimitiveResult) -> int:
        operands = [self.values[number] for number in step.operands]
        if step.primitive is Primitive.zero_extend:
            return operands[0] & ((1 << self.widths[step.operands[0]]) - 1)
        return _COMPUTE[step.primitive](*operands)


def _ceil_divide(left: int, right: int) -> int:
    return -(-left // right)


def _select(condition: int, then: int, otherwise: int) -> int:
    return then if condition else otherwise


_COMPUTE: Mapping[Primitive, Callable[..., Any]] = {
    Primitive.add: operator.add,
    Primitive.subtract: operator.sub,
    Primitive.multiply: operator.mul,
    Primitive.floor_divide: operator.floordiv,
    Primitive.ceil_divide: _ceil_divide,
    Primitive.bit_and: operator.and_,
    Primitive.bit_or: operator.or_,
    Primitive.bit_xor: operator.xor,
    Primitive.shift_left: operator.lshift,
    Primitive.shift_right: operator.rshift,
    Primitive.minimum: min,
    Primitive.maximum: max,
    Primitive.equal: operator.eq,
    Primitive.not_equal: operator.ne,
    Primitive.less: operator.lt,
    Primitive.less_equal: operator.le,
    Primitive.greater: operator.gt,
    Primitive.greater_equal: operator.ge,
    Primitive.select: _select,
    Primitive.sign_extend: operator.pos,
    Primitive.truncate: operator.pos,
}
