"""Trace a function of cycles."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from forebay.tracing.errors import TraceError
from forebay.tracing.integers import Int32, Int64
from forebay.tracing.lines import line_of
from forebay.tracing.record import Primitive, Trace
from forebay.tracing.recorder import recording
from forebay.tracing.signature import name_of_function, parameters_of


def trace_cycles(function: Callable[..., object], scalars: Sequence[str]) -> Trace:
    """Return what a function computes from the scalars that it names, each extended to 64 bits.

    Raises `TraceError` at the author's line for what cannot be traced.
    """
    used, line = parameters_of(function, scalars, "scalars"), line_of(function)
    with recording(Int64.width) as recorder:
        given: dict[str, Int64] = {}
        for name in scalars:
            word = recorder.parameter(name, Int32.width)
            if name in used:
                extended = recorder.compute(Primitive.sign_extend, (word,), Int64.width, line)
                given[name] = Int64(recorder, extended)
        result = function(**given)
        if isinstance(result, int) and not isinstance(result, bool):
            result = Int64.of(result)
    if not isinstance(result, Int64):
        raise TraceError(
            f"{name_of_function(function)} returns {type(result).__name__}; a function of cycles "
            "returns an integer that it computes from its parameters",
            line,
        )
    return recorder.finished(result.number, line)
