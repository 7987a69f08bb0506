"""Evaluate a trace on Python integers, without MLIR."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from forebay.tracing.record import Computation, Primitive, Trace


def evaluate_trace(trace: Trace, scalars: Mapping[str, int]) -> int:
    """Return the result for the values of the parameters, which wrap to their widths."""
    values = {p.number: twos_complement(scalars[p.name], p.width) for p in trace.parameters}
    values.update((constant.number, constant.value) for constant in trace.constants)
    widths = {value.number: value.width for value in (*trace.parameters, *trace.constants)}
    for step in trace.steps:
        values[step.number] = _value(step, values, widths)
        widths[step.number] = step.width
    return values[trace.result]


def twos_complement(value: int, width: int) -> int:
    """Return the number that the low bits mean in two's complement; a truth value is 0 or 1."""
    low = value & ((1 << width) - 1)
    return low - (1 << width) if width > 1 and low >> (width - 1) else low


def _value(step: Computation, values: Mapping[int, int], widths: Mapping[int, int]) -> int:
    operands = [values[number] for number in step.operands]
    if step.primitive is Primitive.zero_extend:
        return operands[0] & ((1 << widths[step.operands[0]]) - 1)
    return twos_complement(_COMPUTE[step.primitive](*operands), step.width)


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
